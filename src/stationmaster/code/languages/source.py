"""A parsed file, and what every language asks of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from tree_sitter import Language, Query, QueryCursor

from stationmaster.code.model import DOC_MAX, TEXT_MAX, Mark, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_MARK = re.compile(rb"\b(TODO|FIXME|HACK|XXX)\b[ :(]?([^\n]{0,160})")
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(\[])")


class Source:
    """The bytes of a file and the root of their syntax tree."""

    def __init__(self, data: bytes, root: Node, language: Language) -> None:
        self.data = data
        self.root = root
        self._language = language

    def text(self, node: Node | None) -> str:
        """'' for no node."""
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def matches(self, query: str) -> list[tuple[int, dict[str, list[Node]]]]:
        """Each match of a query: the pattern's number and the nodes by the names of captures."""
        return QueryCursor(_compiled(self._language, query)).matches(self.root)

    @cached_property
    def lines(self) -> int:
        return self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))


@lru_cache(64)
def _compiled(language: Language, query: str) -> Query:
    return Query(language, query)


def line_of(node: Node) -> int:
    return node.start_point[0] + 1


def end_of(node: Node) -> int:
    """The last line that holds something of a node."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def one_line(text: str, length_max: int = TEXT_MAX) -> str:
    """A text with single spaces, cut."""
    told = _SPACE.sub(" ", text[: 4 * length_max]).strip()
    return told if len(told) <= length_max else told[: length_max - 1].rstrip() + "…"


def first_sentence(text: str) -> str:
    """Of a comment or docstring whose marks are gone."""
    paragraph = text.strip().partition("\n\n")[0]
    return one_line(_SENTENCE.split(_SPACE.sub(" ", paragraph), maxsplit=1)[0], DOC_MAX)


class Scopes:
    """Which symbol holds a place: made of symbols with the bytes that they span."""

    def __init__(self, spans: list[tuple[int, int, str]]) -> None:
        """`spans` are start, end and qualified name, by start."""
        self._starts = [start for start, _, _ in spans]
        self._spans = spans
        self._parents = list(_parents(spans))

    def at(self, byte: int) -> str:
        """The qualified name of the innermost symbol around a place, '' at top level."""
        index = bisect_right(self._starts, byte) - 1
        while index >= 0:
            if byte < self._spans[index][1]:
                return self._spans[index][2]
            index = self._parents[index]
        return ""


def _parents(spans: list[tuple[int, int, str]]) -> Iterator[int]:
    open_: list[int] = []
    for index, (start, _, _) in enumerate(spans):
        while open_ and spans[open_[-1]][1] <= start:
            open_.pop()
        yield open_[-1] if open_ else -1
        open_.append(index)


def marks_of(comment: bytes, line: int) -> Iterator[Mark]:
    """The remarks in a comment that begins at a line."""
    for found in _MARK.finditer(comment):
        at = line + comment.count(b"\n", 0, found.start())
        yield Mark(found[1].decode(), at, one_line(found[2].decode(errors="replace").strip(" :)")))


def overloads(symbols: list[Symbol]) -> list[Symbol]:
    """By line; a symbol that is there twice on the same lines counts once."""
    seen = {(each.qualified, each.line): each for each in reversed(symbols)}
    return sorted(seen.values(), key=lambda each: (each.line, -each.end, each.name))
