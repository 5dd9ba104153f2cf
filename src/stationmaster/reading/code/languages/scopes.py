"""The declaration around a place of a file, and the values of variables there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node


class Scopes:
    """The symbols around places, from symbols with the bytes that they span."""

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


class Made(NamedTuple):
    """The value of a variable, as far as imports prove it: the result of `maker`, a name in code of
    others. `call` is where it was made, None for a parameter of that type; `place` is the byte
    before the variable, which is outside the declaration of the variable itself."""

    maker: str
    call: Node | None
    place: int


def innermost(candidates: Iterable[Made], variable: Node, scopes: Scopes) -> Made | None:
    """The value of a variable at its place: made in the same function or else around it."""
    scope = scopes.at(variable.start_byte)
    best: tuple[int, Made] | None = None
    for candidate in candidates:
        around = scopes.at(candidate.place)
        is_around = around in ("", scope) or scope.startswith(f"{around}.")
        if is_around and (best is None or len(around) >= best[0]):
            best = (len(around), candidate)
    return best[1] if best else None
