"""The collection that all tables belong to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import DDL, Index, MetaData, Table, event, text
from sqlalchemy.schema import SchemaItem

metadata = MetaData()


def table(name: str, *items: SchemaItem, **options: Any) -> Table:
    """A table of the collection, of its columns, indexes and constraints."""
    return Table(name, metadata, *items, **options)


def once_made(table: Table, dialect: str, *statements: str) -> None:
    """Run statements of one database when the table is made."""
    for statement in statements:
        made = DDL(statement)  # type: ignore[no-untyped-call]  # untyped
        event.listen(table, "after_create", made.execute_if(dialect=dialect))


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows that a condition holds for."""
    condition = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
