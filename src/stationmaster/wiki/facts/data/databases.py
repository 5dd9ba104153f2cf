"""Which folders with SQL declare the same database, and whose table a file means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from stationmaster.reading.code.resolving.model import shared
from stationmaster.reading.code.schemas.sql import Table
from stationmaster.reading.projects.paths import is_below, parents

_DIALECTS = ("postgres", "pgsql", "mysql", "mariadb", "mssql", "sqlserver", "sqlite", "h2")
"""By which of several forms of the same tables is shown: the first."""
_DIALECT = re.compile(rf"(?i)(?:{'|'.join(_DIALECTS)})(?:ql|\d)?(?![a-z])")


class Schema(NamedTuple):
    """The tables that the SQL of a folder leaves behind."""

    folder: str
    tables: Sequence[Table]


def databases(schemas: Iterable[Schema], packages: Collection[str]) -> list[list[Schema]]:
    """The schemas of each database, the one to be shown first. `packages` are the folders of
    manifests: what one of them declares is one database, and so are forms for several engines."""
    groups: list[list[Schema]] = []
    ranked = sorted(schemas, key=lambda it: (_rank(it.folder), -len(it.tables), it.folder))
    for schema in ranked:
        same = (group for group in groups if _is_one(group[0], schema, packages))
        if (group := next(same, None)) is not None:
            group.append(schema)
        else:
            groups.append([schema])
    return groups


def are_forms(one: str, other: str) -> bool:
    """Do the names of two folders differ only in the engine of a database?"""
    return one != other and _DIALECT.sub("", one) == _DIALECT.sub("", other)


def nearest(path: str, folders: Mapping[str, Collection[str]]) -> str | None:
    """The key of the folders of which one shares most with the path of a file; None where several
    do."""
    steps = path.split("/")
    near = {
        key: max((shared(steps, it.split("/")) for it in own if it != "."), default=0)
        for key, own in folders.items()
    }
    most = [key for key, count in near.items() if count == max(near.values())]
    return most[0] if len(most) == 1 else None


def _rank(folder: str) -> int:
    words = folder.lower()
    return next((rank for rank, name in enumerate(_DIALECTS) if name in words), 0)


def _is_one(first: Schema, schema: Schema, packages: Collection[str]) -> bool:
    if are_forms(first.folder, schema.folder):
        return True
    one, other = (
        next((it for it in parents(folder) if it in packages), ".")
        for folder in (first.folder, schema.folder)
    )
    return is_below(one, other) or is_below(other, one) or _are_alike(first.tables, schema.tables)


def _are_alike(one: Sequence[Table], other: Sequence[Table]) -> bool:
    """Do two schemas share half of their tables, and these most of their columns?"""
    names, others = ({table.name.lower(): _columns(table) for table in it} for it in (one, other))
    pairs = [(names[it], others[it]) for it in names.keys() & others.keys()]
    alike = sum(2 * len(a & b) >= max(len(a), len(b)) for a, b in pairs)
    return 2 * alike >= max(len(names), len(others))


def _columns(table: Table) -> Set[str]:
    return {column.name.lower() for column in table.columns}
