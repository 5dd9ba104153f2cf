"""Columns that classes of tables have from classes which have no table of their own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.stored import Entity
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.data import django
from stationmaster.wiki.facts.model import Facts

_DEPTH_MAX, _BASES_MAX = 8, 20
_NAME = re.compile(r"(?:\w{1,100}\.){0,5}(\w{1,100})")

Declared = tuple[str, Entity]


def joined(facts: Facts, entities: Sequence[Declared]) -> Iterator[Declared]:
    """Those that are tables, with the columns of all that their classes extend first; the embedded
    types of structs of Go stay as they are."""
    bases = {(path, it.symbol): it for path, it in entities if it.kind == "base"}
    classes = _Classes(facts, {path.rpartition(".")[2] for path, _ in bases})
    for path, entity in (*entities, *django.inheriting(facts, entities)):
        if entity.kind == "base":
            if path.endswith(".go"):
                yield path, entity
            continue
        above = [
            column if spot[0] == path else msgspec.structs.replace(column, path=spot[0])
            for spot in (classes.above(path, entity.symbol) if entity.symbol else ())
            if spot in bases
            for column in bases[spot].columns
        ]
        if above:
            columns = {it.name: it for it in (*above, *entity.columns)}
            entity = msgspec.structs.replace(entity, columns=tuple(columns.values()))
        yield path, django.completed(facts, path, entity)


class _Class(NamedTuple):
    path: str
    symbol: Symbol


class _Classes:
    """Classes by their names, in files with one of some endings."""

    def __init__(self, facts: Facts, endings: set[str]) -> None:
        self._facts = facts
        self._by_name: dict[str, list[_Class]] = defaultdict(list)
        for path, record in facts.code.items() if endings else ():
            if path.rpartition(".")[2] in endings and facts.records[path].file_class == "source":
                for symbol in record.symbols:
                    if symbol.kind == "class":
                        self._by_name[symbol.name].append(_Class(path, symbol))

    def above(self, path: str, name: str) -> list[tuple[str, str]]:
        """The files and names of what a class extends, the farthest first."""
        waiting = [
            (it, 0)
            for it in self._by_name.get(name.rpartition(".")[2], ())
            if it.path == path and it.symbol.qualified == name
        ]
        bases: list[tuple[str, str]] = []
        while waiting and len(bases) < _BASES_MAX:
            this, depth = waiting.pop(0)
            if depth:
                bases.insert(0, (this.path, this.symbol.qualified))
            for written in this.symbol.bases if depth < _DEPTH_MAX else ():
                named = _NAME.match(written)
                base = self._one(named[1], this.path) if named else None
                if base is not None and base.symbol != this.symbol:
                    waiting.append((base, depth + 1))
        return bases

    def _one(self, name: str, user: str) -> _Class | None:
        """The class that a name refers to in a file: its own, else the one that it imports."""
        places = self._by_name.get(name, [])
        own = [it for it in places if it.path == user]
        if not own and len(places) > 1:
            linked = {link.end for link in links_from(self._facts, user)}
            own = [it for it in places if it.path in linked]
        places = own or places
        return places[0] if len(places) == 1 else None
