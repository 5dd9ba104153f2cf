"""The documents that the repository has already, and what they cover."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import partial

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import Document, Parts, parts
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query

DOCUMENTS_MAX = 800
_TITLE_MAX = 100
_PICTURE = re.compile(
    r"\[?!\[[^\]]{0,200}\](?:\([^)]{0,500}\)|\[[^\]]{0,200}\])"
    r"(?:\](?:\([^)]{0,500}\)|\[[^\]]{0,200}\]))?|\{%[^%\n]{0,200}%\}"
)
_MARKUP = re.compile(
    r"\[([^\]]{0,200})\]\([^)]{0,500}\)|:[a-z][a-z:]{1,20}:(?=`)|<[^>]{0,200}>|[`*]|\{#[^}]{0,80}\}"
)
_DATED = re.compile(r"(?is)(?:^|.*[/_-])(?:changelog|changes|news|history|releases?|upgrad\w*"
                    r"|what'?s[-_]?new)[^/]*$|(?:.*/)?(?:versioned_docs|archive|blog|_posts|history|upgrad\w*|"
                    r"release[-_]?notes)/.*")  # fmt: skip


_MATTER = re.compile(r"---[ \t]*\n(?:(?!---[ \t]*\n).*\n){0,200}?---[ \t]*\n")
_NAMED = re.compile(r"^(title|name):[ \t]*(.{1,200})$", re.MULTILINE)
_PROPOSALS = re.compile(
    r"(?is)(?:.*/)?(?:enhancements?|proposals?|rfcs?|keps?|design[-_]?(?:docs?|proposals?))/.*"
    r"|(?:.*/)?(?:roadmap|rfc|proposal)[^/]*"
)
_PROPOSED = re.compile(
    r"(?i)(?:motivation|proposal|proposed (?:solution|changes?|design)|(?:goals and )?non-?goals"
    r"|goals|drawbacks|alternatives(?: considered)?|unresolved questions|open questions|prior art"
    r"|risks and mitigations|rollout(?: plan)?|graduation criteria)"
)
_PROPOSED_MIN = 3
"""Different headings of proposals that make a document one."""
_LANGUAGE = expressions("marks")["language"]
_OF_LANGUAGE = re.compile(rf"(.{{1,80}}?)[._-]({_LANGUAGE.pattern})\.(\w{{2,8}})", re.VERBOSE)
"""The name of a document with its language before its ending."""
_OTHERS = frozenset({"vendored", "generated", "fixture", "excluded", "symlink", "submodule"})


def chosen(facts: Facts) -> Sequence[Document]:
    """The first documents of the product, nearest to the root first; for other questions."""
    paths = [each.path for each in guides(facts) if _is_own(facts, each.path)]
    facts.tree.files.contents.fetch(paths[:DOCUMENTS_MAX])
    parse = partial(_parts, facts)
    return [Document(path, facts.tree.text, parse) for path in paths[:DOCUMENTS_MAX]]


@query
def _parts(facts: Facts, path: str) -> Parts:
    return parts(path, facts.tree.text(path))


def guides(facts: Facts) -> list[Document]:
    """All documents but translations of others. For questions."""
    documents = facts.tree.documents
    there = frozenset(each.path for each in documents)
    return [each for each in documents if not is_translation(each.path, there)]


def is_translation(path: str, there: Set[str]) -> bool:
    """Is a document the same in another language as one that is there: `README.zh.md` beside
    or below `README.md`, `docs/fr/start.md` beside `docs/start.md` or `docs/en/start.md`?"""
    folder, _, name = path.rpartition("/")
    if told := _OF_LANGUAGE.fullmatch(name):
        name = f"{told[1]}.{told[3]}"
        above = (folder.rsplit("/", up)[0] for up in range(folder.count("/") + 1))
        originals = [name, *(f"{each}/{name}" for each in (folder, *above))]
        return path not in originals and not there.isdisjoint(originals)
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if _LANGUAGE.fullmatch(part):
            before, after = "/".join(parts[:at]), "/".join(parts[at + 1 :])
            beside = (f"{before}/{after}", f"{before}/en/{after}", f"{before}/en-US/{after}")
            if any(other.removeprefix("/") in there for other in beside):
                return True
    return False


def _is_own(facts: Facts, path: str) -> bool:
    record = facts.records.get(path)
    return record is not None and record.file_class not in _OTHERS and not is_test(path)


def tells_what_is(document: Document) -> bool:
    """Is a document about the present? A list of changes tells of times that are over, and what a
    proposal says may never have become true."""
    path = document.path
    if _DATED.fullmatch(path) or _PROPOSALS.fullmatch(path):
        return False
    headings = {plain(heading.text).lower() for heading in document.headings}
    proposed = [*filter(_PROPOSED.fullmatch, headings)]
    return len(proposed) < _PROPOSED_MIN or path.rpartition("/")[2].lower().startswith("readme")


def title_of(document: Document) -> str:
    """By its only top heading, by what stands before the text, else by the name of the file."""
    text = document.text
    matter = _MATTER.match(text)
    begin = behind_matter(text)
    named = dict(_NAMED.findall(matter[0])) if matter else {}
    headings = [heading for heading in document.headings if heading.line > begin]
    top = min((heading.level for heading in headings), default=1)
    titles = [heading for heading in headings if heading.level == top]
    title = titles[0].text if len(titles) == 1 else named.get("title", "").strip("\"' ")
    return plain(title) or named_by(document.path)


def named_by(path: str) -> str:
    """The title of a document that has none, by its name: `Rendering process` of
    `rendering-process.md`."""
    name = path.rpartition("/")[2]
    words = re.sub(r"[-_]+", " ", name.partition(".")[0]).strip()
    return words[:1].upper() + words[1:] if words else name


def behind_matter(text: str) -> int:
    """How many lines the fields take that a page of a site begins with."""
    matter = _MATTER.match(text)
    return text.count("\n", 0, matter.end()) if matter else 0


def plain(words: str) -> str:
    """A heading without its markup."""
    bare = _PICTURE.sub("", expressions("marks")["raised"].sub("", words))
    return " ".join(_MARKUP.sub(r"\1", bare).split())[:_TITLE_MAX]
