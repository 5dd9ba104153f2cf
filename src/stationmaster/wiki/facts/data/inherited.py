"""Columns that classes of tables have from classes which have no table of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from stationmaster.reading.code.stored import Entity
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.data import django
from stationmaster.wiki.facts.model import Facts

Declared = tuple[str, Entity]


def joined(facts: Facts, entities: Sequence[Declared]) -> Iterator[Declared]:
    """Those that are tables, with the columns of all that their classes extend first; the embedded
    types of structs of Go stay as they are."""
    models = django.models(facts, entities)
    bases = {(path, it.symbol): it for path, it in models.entities if it.kind == "base"}
    for path, entity in models.entities:
        if entity.kind == "base":
            if path.endswith(".go"):
                yield path, entity
            continue
        place = (path, entity.symbol)
        around: Iterable[tuple[str, str]] = (
            () if path.endswith(".go") else types(facts).around(place)
        )
        if entity.framework == django.FRAMEWORK:
            around = models.without_table(facts, place)
        above = [
            column if spot[0] == path else msgspec.structs.replace(column, path=spot[0])
            for spot in reversed([*around] if bases else [])
            if spot in bases and spot != place
            for column in bases[spot].columns
        ]
        above += models.pointers(facts, path, entity)
        if above:
            columns = {it.name: it for it in (*above, *entity.columns)}
            entity = msgspec.structs.replace(entity, columns=tuple(columns.values()))
        yield path, django.completed(facts, path, entity, models)
