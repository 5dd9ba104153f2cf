"""Tables of Knex, Kysely, Laravel and Rails after all migrations: what one makes, others change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from stationmaster.reading.code.schemas import ecto
from stationmaster.reading.code.stored import AS_IS, UNREFERENCED, Column, Entity
from stationmaster.reading.projects.paths import folder_of, natural
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.data.schemas import IN_MIGRATIONS, PAST
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query

_OF_RAILS = re.compile(r"(?:^|/)db/migrate/")
_BRACES = str.maketrans("", "", "{}")


def joined(facts: Facts, entities: Iterable[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """The tables that are left, with the paths that make them. What is in no folder of migrations
    sets up what they change. Of Rails none where a file has the whole schema."""
    tables: dict[str, tuple[str, Entity]] = {}
    for path, named in sorted(_of_newest(entities), key=_order):
        if path.endswith(".rb") and (not _OF_RAILS.search(path) or _has_schema(facts)):
            continue
        entity = _filled(facts, path, named)
        if "{" in entity.name:
            continue
        if entity.kind != "change":
            tables.setdefault(entity.name, (path, entity))
        elif entity.name in tables:
            made, table = tables.pop(entity.name)
            if entity.columns:
                tables[entity.name] = made, _changed(table, entity, path)
            elif new := entity.symbol:
                tables[new] = made, msgspec.structs.replace(table, name=new)
    yield from tables.values()


def _of_newest(entities: Iterable[tuple[str, Entity]]) -> Iterator[tuple[str, Entity]]:
    """What is left without the folders of migrations at least half of whose tables another one
    makes, too: that which is not of an old version and has the newest migration."""
    folders: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
    for path, entity in entities:
        folders[folder_of(path)].append((path, entity))

    def rank(folder: str) -> tuple[bool, tuple[tuple[int, int | str], ...], int]:
        newest = max(natural(path.rpartition("/")[2]) for path, _ in folders[folder])
        return not any(map(PAST.search, folder.split("/"))), newest, -len(folder)

    made = set[str]()
    for folder in sorted(folders, key=rank, reverse=True):
        names = {it.name for _, it in folders[folder] if it.kind != "change"}
        names = names if "migrat" in folder.lower() else set()
        if not names or 2 * len(names & made) < len(names):
            made |= names
            yield from folders[folder]


def of_ecto(facts: Facts) -> Iterator[tuple[str, Entity]]:
    """What migrations of Ecto make and change."""
    for path in facts.tree.glob("**/*migrations/*.exs"):
        if not is_test(path):
            yield from ((path, entity) for entity in ecto.read(facts.tree.text(path)))


@query
def _has_schema(facts: Facts) -> bool:
    return bool(facts.tree.glob("**/db/schema.rb", "**/db/structure.sql", everywhere=True))


def _filled(facts: Facts, path: str, entity: Entity) -> Entity:
    """With the texts of constants for their names; a column with an unknown one stays as it is."""
    if "{" not in f"{entity.name}{entity.symbol}{entity.columns}":
        return entity
    filled = partial(told_elsewhere, facts, path)
    columns = tuple(
        msgspec.structs.replace(
            column,
            name=filled(column.name).strip("{}"),
            references=filled(column.references).translate(_BRACES),
        )
        for column in entity.columns
    )
    name, symbol = filled(entity.name), filled(entity.symbol)
    return msgspec.structs.replace(entity, name=name, symbol=symbol, columns=columns)


def _order(item: tuple[str, Entity]) -> tuple[bool, tuple[tuple[int, int | str], ...], int]:
    path, entity = item
    # Those of Ecto are called after their times, in whatever folder.
    name = path.rpartition("/")[2] if path.endswith(".exs") else path
    return IN_MIGRATIONS.search(path) is not None, natural(name), entity.line


def _changed(table: Entity, change: Entity, path: str) -> Entity:
    columns = {column.name: column for column in table.columns}
    for column in change.columns:
        before = columns.get(column.name)
        if before is None and column.references == UNREFERENCED:  # The name of the key.
            name = column.name.removeprefix(f"{table.name}_").removesuffix("_foreign")
            before = columns.get(name)
        if column.type == AS_IS:
            columns |= {before.name: before.marked(column)} if before else {}
        elif column.type and before is None:
            columns[column.name] = msgspec.structs.replace(column, path=path)
        elif column.type and before is not None:
            newer = {"type": column.type, "line": column.line, "path": path}
            columns[column.name] = msgspec.structs.replace(before, **newer)
        elif column.references:
            columns = {it.name: it for it in _renamed(columns.values(), column)}
        else:
            columns.pop(column.name, None)
    return msgspec.structs.replace(table, columns=tuple(columns.values()))


def _renamed(columns: Iterable[Column], change: Column) -> Iterator[Column]:
    for column in columns:
        is_it = column.name == change.name
        yield msgspec.structs.replace(column, name=change.references) if is_it else column
