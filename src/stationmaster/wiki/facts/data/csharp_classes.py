"""Classes of C# and what can be set of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.code.stored import SCALARS
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of, types
from stationmaster.wiki.facts.model import Facts, Spot

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


def class_of(facts: Facts, name: str, users: Sequence[str]) -> Spot | None:
    """The class or enum that a name refers to in files, of which each imports it or none."""
    spots = {spot for path in users if (spot := handler_of(facts, path, name, 0))}
    return spots.pop() if len(spots) == 1 else None


def is_scalar(facts: Facts, property_: Property) -> bool:
    """Is what a property holds stored in one column?"""
    spot = class_of(facts, property_.type, (property_.path,))
    symbol = symbol_of(facts, *spot) if spot else None
    return property_.type in SCALARS or (symbol is not None and symbol.kind == "enum")


def properties(facts: Facts, spot: Spot | None) -> list[Property]:
    """What can be read and set, of the classes that a class extends first."""
    places = [*types(facts).around(spot)] if spot else []
    return [it for path, name in reversed(places) for it in _own(facts, path, name)]


def _own(facts: Facts, path: str, name: str) -> Iterator[Property]:
    lines = lines_of(facts, path)
    for symbol in facts.code[path].symbols:
        body = " ".join(lines[symbol.line - 1 : symbol.end])
        is_set = "set;" in body or "init;" in body
        if symbol.container == name and symbol.kind == "property" and is_set:
            kind = _MODIFIERS.sub("", symbol.signature).rpartition(" ")[0].rstrip("?")
            behind = body.partition(f" {symbol.name} ")[2]
            yield Property(symbol.name, kind, path, symbol.line, symbol.doc, behind, symbol.marks)
