"""The documents that the repository has already, and what they cover."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from stationmaster.reading.projects.documents import Document, Parts, parts
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


def chosen(facts: Facts) -> Sequence[Document]:
    """The first documents of the product, nearest to the root first; for other questions."""
    paths = [each.path for each in facts.tree.documents if _is_own(facts, each.path)]
    facts.tree.files.contents.fetch(paths[:DOCUMENTS_MAX])
    parse = partial(_parts, facts)
    return [Document(path, facts.tree.text, parse) for path in paths[:DOCUMENTS_MAX]]


@query
def _parts(facts: Facts, path: str) -> Parts:
    return parts(path, facts.tree.text(path))


def _is_own(facts: Facts, path: str) -> bool:
    record = facts.records.get(path)
    return record is not None and record.file_class not in _OTHERS and not is_test(path)


def is_dated(path: str) -> bool:
    """Does a document tell of times that are over, such as a list of changes?"""
    return _DATED.fullmatch(path) is not None


def title_of(document: Document) -> str:
    """By its only top heading, by what stands before the text, else by the name of the file."""
    text = document.text
    matter = _MATTER.match(text)
    begin = text.count("\n", 0, matter.end()) if matter else 0
    named = dict(_NAMED.findall(matter[0])) if matter else {}
    headings = [heading for heading in document.headings if heading.line > begin]
    top = min((heading.level for heading in headings), default=1)
    titles = [heading for heading in headings if heading.level == top]
    title = titles[0].text if len(titles) == 1 else named.get("title", "").strip("\"' ")
    return plain(title) or document.path.rpartition("/")[2]


def plain(words: str) -> str:
    """A heading without its markup."""
    return " ".join(_MARKUP.sub(r"\1", words).split())[:_TITLE_MAX]
