"""Inserting rows that may be there already, on both databases."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(
    connection: Connection, table: Table, rows: list[dict[str, Any]], keep: tuple[str, ...] = ()
) -> None:
    """Insert rows or replace those with the same key, except their columns in `keep`."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table)
    keys = [column.name for column in table.primary_key]
    statement = statement.on_conflict_do_update(
        index_elements=keys,
        set_={
            column.name: statement.excluded[column.name]
            for column in table.columns
            if column.name not in keys and column.name not in keep
        },
    )
    connection.execute(statement, rows)
