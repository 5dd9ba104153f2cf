"""What describes how the parts of a repository work together: pages, diagrams, decisions."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence.prose import plain
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import Place

_PAGE = "{.md,.markdown,.mdx,.rst,.adoc,.asciidoc,.txt,.org}"
_DOCS = "{docs,doc,documentation}"
_ARCHITECTURE_PAGES = (
    "{,docs/,doc/,documentation/,.github/}*architecture*" + _PAGE,
    "{,docs/,doc/,documentation/}{design,internals,how-it-works,system-design}" + _PAGE,
    _DOCS + "/**/*architecture*" + _PAGE,
    _DOCS + "/**/{architecture,internals,design}/*" + _PAGE,
)
_DIAGRAMS = (
    "**/*.{mmd,mermaid,puml,plantuml,d2,drawio,dio,excalidraw}",
    "**/workspace.dsl",
    "**/*.{drawio,excalidraw}.{svg,png}",
)
_RECORDS = "**/{adr,adrs,decisions,architecture-decisions,architecture_decisions}/*.md"
_PICTURE = re.compile(
    r"(?:.{0,80}[-_. ])?(?:architecture|arch|components?|sequence|flow|dataflow|diagram|topology)"
    r"(?:[-_. ].{0,80})?\.(?:png|svg|jpe?g|gif|webp)",
    re.I,
)
_PICTURES = (
    "{,docs/**/,doc/**/,documentation/**/,assets/**/,images/**/,img/**/,.github/**/}"
    "*.{png,svg,jpg,jpeg,gif,webp}"
)
_FENCED = frozenset({"mermaid", "plantuml", "puml", "d2", "dot", "graphviz", "structurizr"})
_HEADING = re.compile(
    r"\barchitecture\b|\bsystem design\b|\binternals\b|\bcode ?base overview\b"
    r"|\bservice (?:flow|map)s?\b|架构|アーキテクチャ|архитектур|arquite[ct]tura",
    re.I,
)
_STARTS = (
    "{,.github/,docs/,doc/}{README,CONTRIBUTING,DEVELOPMENT,DEVELOPING,HACKING,AGENTS,CLAUDE}"
    + _PAGE
)
_SMALL_FILES = 20
_RECORDS_MIN = 3
_PAGES_READ = 200
_CHARACTERS_MIN = 300


def described(facts: Facts) -> Verdict:
    """Passes where a page, section, diagram or records of decisions describe the architecture."""
    tree = facts.tree
    for path in tree.glob(*_ARCHITECTURE_PAGES, any_case=True):
        if len(plain(tree.text(path))) >= _CHARACTERS_MIN:
            return passes("A page describes the architecture", Place(path))
    if section := _section(facts):
        return passes("A section describes the architecture", section)
    if diagrams := tree.glob(*_DIAGRAMS):
        return passes("There are diagrams", *map(Place, diagrams))
    pictures = tree.glob(_PICTURES, any_case=True)
    if drawn := [path for path in pictures if _PICTURE.fullmatch(path.rpartition("/")[2])]:
        return passes("There is a picture of how the parts work together", *map(Place, drawn))
    if fenced := _fenced(facts):
        return passes("A page has a diagram", fenced)
    records = tree.glob(_RECORDS, any_case=True)
    if len(records) >= _RECORDS_MIN:
        return passes("There are records of decisions", *map(Place, records))
    if len(tree.all_paths) < _SMALL_FILES:
        return skips(f"The repository has fewer than {_SMALL_FILES} files")
    return fails(
        "There is no page, section or diagram on the architecture, and no folder of decisions"
    )


def _section(facts: Facts) -> Place | None:
    """A heading on the architecture, on a page that people start with."""
    for path in facts.tree.glob(_STARTS, any_case=True):
        for heading in Document(path, facts.tree.text).headings:
            if _HEADING.search(heading.text):
                return Place(path, heading.line)
    return None


def _fenced(facts: Facts) -> Place | None:
    for page in facts.tree.documents[:_PAGES_READ]:
        if any(word in page.text for word in _FENCED):
            for code in page.code:
                if code.language in _FENCED:
                    return Place(page.path, code.line)
    return None
