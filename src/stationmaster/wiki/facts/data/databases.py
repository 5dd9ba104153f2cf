"""Which folders with SQL declare the same database, and whose table a file means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from stationmaster.reading.code.resolving.model import shared
from stationmaster.reading.code.schemas.sql import Table
from stationmaster.reading.projects.paths import is_below, parents

K = TypeVar("K")
_DIALECTS = ("postgres", "pgsql", "mysql", "mariadb", "mssql", "sqlserver", "sqlite", "h2")
"""By which of several forms of the same tables is shown: the first."""
_DIALECT = re.compile(rf"(?i)(?:{'|'.join(_DIALECTS)})(?:ql|\d)?(?![a-z])")


class Schema(NamedTuple):
    """The tables that the SQL of a folder leaves behind, or of one file there that is alone."""

    folder: str
    tables: Sequence[Table]


def databases(schemas: Iterable[Schema], packages: Collection[str]) -> list[list[Schema]]:
    """The schemas of each database, the one to be shown first. `packages` are the folders of
    manifests: what one of them declares is one database, and so are forms for several engines."""

    def rank(schema: Schema) -> tuple[int, int, str]:
        engines = [at for at, it in enumerate(_DIALECTS) if it in schema.folder.lower()]
        return min(engines, default=0), -len(schema.tables), schema.folder

    groups: list[list[Schema]] = []
    for schema in sorted(schemas, key=rank):
        names = {table.name.lower() for table in schema.tables}
        near = [it for it in groups if _is_one(it[0], schema, packages)]
        same = max(near, key=lambda it: _shared(it[0], names), default=[])
        groups += [] if same else [same]
        same.append(schema)
    return groups


def _shared(schema: Schema, names: Collection[str]) -> int:
    return sum(table.name.lower() in names for table in schema.tables)


def are_forms(one: str, other: str) -> bool:
    """Do the names of two folders differ only in the engine of a database?"""
    return one != other and _DIALECT.sub("", one) == _DIALECT.sub("", other)


def nearest(path: str, folders: Mapping[K, Collection[str]]) -> K | None:
    """The key of the folders of which one shares most with the path of a file, or the only key;
    None where several do."""
    steps = path.split("/")
    near = {key: max(shared(steps, it.split("/")) for it in own) for key, own in folders.items()}
    most = [key for key, count in near.items() if count == max(near.values())]
    return most[0] if len(most) == 1 else None


def _is_one(first: Schema, schema: Schema, packages: Collection[str]) -> bool:
    one, other = (
        next((it for it in parents(folder) if it in packages), ".")
        for folder in (first.folder, schema.folder)
    )
    files = {it.folder.rpartition("/")[2] for it in (first, schema) if it.folder.endswith(".sql")}
    is_of_one = len(files) < 2 and (is_below(one, other) or is_below(other, one))
    return is_of_one or are_forms(first.folder, schema.folder) or _are_alike(first, schema)


def _are_alike(*schemas: Schema) -> bool:
    """Do two schemas share half of their tables, and these most of their columns?"""
    one, other = (
        {table.name.lower(): {column.name.lower() for column in table.columns} for table in tables}
        for _, tables in schemas
    )
    pairs = [(one[it], other[it]) for it in one.keys() & other.keys()]
    alike = sum(2 * len(a & b) >= max(len(a), len(b)) for a, b in pairs)
    return 2 * alike >= max(len(one), len(other))
