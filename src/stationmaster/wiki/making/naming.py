"""What a repository is called."""

from __future__ import annotations

import re

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.introductions import introducing
from stationmaster.reading.projects.queries import Tree
from stationmaster.wiki.facts.texts.about import READMES

_LIKE = expressions("passages")
_VERSION = re.compile(r"v\d{1,4}")
"""The last step of a module's path in Go."""
_WHOLE = re.compile(r"[-_.](?:parent|root|monorepo|workspace)$")
_DRAWN = re.compile(
    r"\[?!\[[^\]]{0,200}\]\([^()]{0,300}\)(?:\]\([^()]{0,300}\))?|<[^<>]{0,300}>|\[\]\(\)"
)
"""Pictures, also those that are links, and tags."""
_EDGE = re.compile(r"^\W+|\W+$")
_HEADING_MAX = 1_000
_TITLE = re.compile(r"\w[\w.+'’-]*(?: \w[\w.+'’-]*){0,2}")
_NAMELESS = lists.words("name-of-whole")


def name_of(tree: Tree) -> str:
    """By the manifests at its root, one that is not npm's first, else by the title of its README;
    '' where neither names it."""
    rooted = [it for it in introducing(tree.project.manifests) if it.name]
    rooted.sort(key=lambda it: it.ecosystem == "npm")
    names = (_own(it.name or "") for it in rooted)
    return next(filter(None, names), "") or _title(tree)


def _own(name: str) -> str:
    """The last word of a package's name that is its own: `tea` of `@tea/root`,
    `com.example:tea-parent` and `example.com/tea/v2`."""
    steps = [step.lstrip("@") for step in re.split(r"[/:]", name) if not _VERSION.fullmatch(step)]
    own = (_WHOLE.sub("", step) for step in reversed(steps))
    return next((step for step in own if step and step.lower() not in _NAMELESS), "")


def _title(tree: Tree) -> str:
    """Of a README, unless it is that of a chapter."""
    readme = next((document for document in tree.documents if document.path in READMES), None)
    first = readme.headings[0] if readme is not None and readme.headings else None
    if first is None or first.level > 1:
        return ""
    bare = _EDGE.sub("", " ".join(_DRAWN.sub("", first.text[:_HEADING_MAX]).split()))
    is_chapter = _LIKE["process"].search(bare) or _LIKE["says_what"].search(bare)
    return bare if _TITLE.fullmatch(bare) and not is_chapter else ""
