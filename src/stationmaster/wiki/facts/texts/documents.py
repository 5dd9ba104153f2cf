"""The documents that the repository has already, and what they cover."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from stationmaster.reading.projects.documents import Document, first_sentence, is_agent_file
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query

DOCUMENTS_MAX = 800
_TITLE_MAX = 100
_MARKUP = re.compile(r"!?\[([^\]]{0,200})\]\([^)]{0,500}\)|<[^>]{0,200}>|[`*]|\{#[^}]{0,80}\}")
_DATED = re.compile(r"(?is)(?:^|.*/)(?:changelog|changes|news|history|releases?|upgrad\w*)[^/]*$"
                    r"|.*(?:versioned_docs|/archive|/blog|release[-_]?notes)/.*")  # fmt: skip


_MATTER = re.compile(r"---[ \t]*\n(?:(?!---[ \t]*\n).*\n){0,200}?---[ \t]*\n")
_NAMED = re.compile(r"^(title|name):[ \t]*(.{1,200})$", re.MULTILINE)
_OTHERS = frozenset({"vendored", "generated", "fixture", "excluded", "symlink", "submodule"})


class Paper(msgspec.Struct, frozen=True):
    """`says` is its first sentence."""

    path: str
    title: str
    says: str
    lines: int
    is_for_agents: bool


def chosen(facts: Facts) -> Sequence[Document]:
    """The first documents of the product, nearest to the root first; for other questions."""
    found = [document for document in facts.tree.documents if _is_own(facts, document.path)][
        :DOCUMENTS_MAX
    ]
    facts.raw.tree.files.contents.fetch(each.path for each in found)
    return found


def _is_own(facts: Facts, path: str) -> bool:
    record = facts.records.get(path)
    return record is not None and record.file_class not in _OTHERS and not is_test(path)


@query
def papers(facts: Facts) -> tuple[Paper, ...]:
    """Nearest to the root first."""
    return tuple(_paper(each) for each in chosen(facts))


def is_dated(path: str) -> bool:
    """Does a document tell of times that are over, such as a list of changes?"""
    return _DATED.fullmatch(path) is not None


def _paper(document: Document) -> Paper:
    text = document.text
    matter = _MATTER.match(text)
    begin = text.count("\n", 0, matter.end()) if matter else 0
    named = dict(_NAMED.findall(matter[0])) if matter else {}
    headings = [heading for heading in document.headings if heading.line > begin]
    top = min((heading.level for heading in headings), default=1)
    titles = [heading for heading in headings if heading.level == top]
    is_titled = len(titles) == 1
    title = plain(titles[0].text) if is_titled else plain(named.get("title", "").strip("\"' "))
    is_list = is_dated(document.path)
    return Paper(
        document.path, title or document.path.rpartition("/")[2],
        "" if is_list else first_sentence(text[matter.end() :] if matter else text),
        text.count("\n") + 1, is_agent_file(document.path),
    )  # fmt: skip


def plain(words: str) -> str:
    """A heading without its markup."""
    return " ".join(_MARKUP.sub(r"\1", words).split())[:_TITLE_MAX]
