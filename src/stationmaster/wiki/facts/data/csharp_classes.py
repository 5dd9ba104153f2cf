"""Classes of C# and what can be set of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.stored import SCALARS
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.model import Facts, Spot

_BASES_MAX = 5
_MODIFIERS = re.compile(
    r"\b(?:public|internal|protected|private|virtual|override|required|new|static|sealed|abstract) "
)


class Property(NamedTuple):
    """`body` is what follows its name."""

    name: str
    type: str
    path: str
    line: int
    doc: str
    body: str
    marks: tuple[str, ...]


class Classes:
    """Classes and enums of C# by name."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._places: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)
        for path, record in facts.code.items():
            if facts.records[path].language == "C#":
                for symbol in record.symbols:
                    if symbol.kind in ("class", "enum") and not symbol.container:
                        self._places[symbol.name].append((path, symbol))

    def is_scalar(self, kind: str) -> bool:
        """Is a type stored in one column?"""
        places = self._places.get(kind, ())
        return kind in SCALARS or any(symbol.kind == "enum" for _, symbol in places)

    def place(self, name: str, users: Sequence[str]) -> Spot | None:
        """The class that a name refers to in files: of several the one that they import."""
        paths = {path for path, _ in self._places.get(name, ())}
        if len(paths) > 1:
            paths &= {link.end for path in users for link in links_from(self._facts, path)}
        return Spot(min(paths), name) if len(paths) == 1 else None

    def properties(self, spot: Spot | None) -> list[Property]:
        """What can be read and set, of the classes that a class extends first."""
        listed: list[Property] = []
        for _ in range(_BASES_MAX):
            if spot is None:
                break
            listed[:0] = self._own(spot.path, spot.name)
            bases = [base for path, symbol in self._places[spot.name] if path == spot.path
                     for base in symbol.bases]  # fmt: skip
            places = (self.place(base, (spot.path,)) for base in bases)
            spot = next((place for place in places if place), None)
        return listed

    def _own(self, path: str, name: str) -> Iterator[Property]:
        lines = lines_of(self._facts, path)
        for symbol in self._facts.code[path].symbols:
            body = " ".join(lines[symbol.line - 1 : symbol.end])
            is_set = "set;" in body or "init;" in body
            if symbol.container == name and symbol.kind == "property" and is_set:
                kind = _MODIFIERS.sub("", symbol.signature).rpartition(" ")[0].rstrip("?")
                behind = body.partition(f" {symbol.name} ")[2]
                yield Property(
                    symbol.name, kind, path, symbol.line, symbol.doc, behind, symbol.marks
                )
