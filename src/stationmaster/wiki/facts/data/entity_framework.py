"""Tables of Entity Framework: what its sets, configurations and classes say of one is joined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.entity_framework import SCALARS
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.stored import Column, Entity
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.model import Facts

_BASES_MAX = 5


class _Property(NamedTuple):
    name: str
    type: str
    path: str
    line: int


def joined(facts: Facts, found: Sequence[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """A table for each class that is stored, by its path. Its name is that of a `ToTable`, else
    that of its `DbSet`; its columns are those of the class and of what it owns."""
    by_class: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for path, entity in found:
        by_class[entity.symbol.rpartition(".")[2]].append((path, entity))
    if not by_class:
        return
    classes = _Classes(facts)
    for name, group in sorted(by_class.items()):
        path, widest = max(group, key=lambda item: item[1].end - item[1].line)
        told = [entity for _, entity in group if entity.name != name]
        table = max(told, key=lambda entity: entity.end - entity.line, default=widest).name
        configured = {column.name: column for _, entity in group for column in entity.columns}
        users = tuple(path for path, _ in group)
        columns = _columns(classes, classes.place(name, users), configured, by_class.keys())
        yield path, msgspec.structs.replace(widest, name=table, columns=tuple(columns))


def _columns(
    classes: _Classes, spot: Spot | None, configured: Mapping[str, Column], stored: Collection[str]
) -> Iterator[Column]:
    properties = classes.properties(spot)
    named = {property_.name: property_.type for property_ in properties}
    left = {key: column for key, column in configured.items() if key not in named}
    for property_ in properties:
        if classes.is_scalar(property_.type):
            target = named.get(property_.name.removesuffix("Id"), "")
            is_key = property_.name in ("Id", f"{spot.name if spot else ''}Id")
            column = configured.get(property_.name)
            yield Column(
                property_.name, property_.type, is_key or (column is not None and column.is_key),
                references=target if target in stored else "", line=property_.line,
            )  # fmt: skip
            continue
        owned = classes.properties(classes.place(property_.type, (property_.path,)))
        if any(it.name in left for it in owned):
            for it in owned:
                left.pop(it.name, None)
                yield Column(f"{property_.name}_{it.name}", it.type, line=it.line)
    yield from left.values()


class _Classes:
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
        """The class that files mean by a name: of several the one that they import."""
        paths = {path for path, _ in self._places.get(name, ())}
        if len(paths) > 1:
            paths &= {link.end for path in users for link in links_from(self._facts, path)}
        return Spot(min(paths), name) if len(paths) == 1 else None

    def properties(self, spot: Spot | None) -> list[_Property]:
        """What can be read and set, of the classes that a class is built on first."""
        found: list[_Property] = []
        for _ in range(_BASES_MAX):
            if spot is None:
                break
            found[:0] = self._own(spot.path, spot.name)
            bases = [base for path, symbol in self._places[spot.name] if path == spot.path
                     for base in symbol.bases]  # fmt: skip
            places = (self.place(base, (spot.path,)) for base in bases)
            spot = next((place for place in places if place), None)
        return found

    def _own(self, path: str, name: str) -> Iterator[_Property]:
        lines = self._facts.tree.text(path).split("\n")
        for symbol in self._facts.code[path].symbols:
            body = " ".join(lines[symbol.line - 1 : symbol.end])
            is_set = "set;" in body or "init;" in body
            if symbol.container == name and symbol.kind == "property" and is_set:
                words = symbol.signature.split()
                yield _Property(symbol.name, words[-2].rstrip("?"), path, symbol.line)
