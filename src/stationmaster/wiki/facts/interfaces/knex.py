"""Tables of Knex after all its migrations: what one makes, others change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from stationmaster.reading.code.model import Column, Entity
from stationmaster.reading.projects.paths import natural
from stationmaster.wiki.facts.interfaces.schemas import IN_MIGRATIONS


def joined(entities: Iterable[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """The tables that are left, each with the path that makes it. What lies in no folder of
    migrations sets up what they change."""
    tables: dict[str, tuple[str, Entity]] = {}
    for path, entity in sorted(entities, key=_order):
        if entity.kind != "change":
            tables.setdefault(entity.name, (path, entity))
        elif entity.name in tables:
            made, table = tables.pop(entity.name)
            if entity.columns:
                tables[entity.name] = made, _changed(table, entity)
            elif new := entity.symbol:
                tables[new] = made, msgspec.structs.replace(table, name=new)
    yield from tables.values()


def _order(item: tuple[str, Entity]) -> tuple[bool, tuple[tuple[int, int | str], ...], int]:
    path, entity = item
    return IN_MIGRATIONS.search(path) is not None, natural(path), entity.line


def _changed(table: Entity, change: Entity) -> Entity:
    columns = {column.name: column for column in table.columns}
    for column in change.columns:
        before = columns.get(column.name)
        if column.type and before is None:  # Its line is one of another file.
            columns[column.name] = msgspec.structs.replace(column, line=0)
        elif column.type and before is not None:
            columns[column.name] = msgspec.structs.replace(before, type=column.type)
        elif column.references:
            columns = {it.name: it for it in _renamed(columns.values(), column)}
        else:
            columns.pop(column.name, None)
    return msgspec.structs.replace(table, columns=tuple(columns.values()))


def _renamed(columns: Iterable[Column], change: Column) -> Iterator[Column]:
    for column in columns:
        is_it = column.name == change.name
        yield msgspec.structs.replace(column, name=change.references) if is_it else column
