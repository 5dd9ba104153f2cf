"""Words of SQL: `sql.toml`."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.catalogue.table import Row, lazy_table


class Snake(Row, frozen=True):
    """`form` in one of the files shows that a framework puts names into snake case, and `unless` in
    one of `unless_in` that it leaves them as they are."""

    framework: str
    files: tuple[str, ...]
    form: str
    unless: str = ""
    unless_in: tuple[str, ...] = ()


class Sql(Row, frozen=True):
    """The whole table, in capitals except names of schemas and patterns of tables."""

    not_columns: frozenset[str]
    after_type: frozenset[str]
    of_columns: frozenset[str]
    actions: frozenset[str]
    default_schemas: frozenset[str]
    catalogues: tuple[str, ...]
    snake: tuple[Snake, ...]
    verbs: Mapping[str, tuple[str, ...]]


sql = lazy_table("repositories/sql", Sql)
