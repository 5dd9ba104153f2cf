"""Inserting many rows, and rows that may be there already, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
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


def insert_rows(
    connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows, given in the order of the columns as texts, numbers, bytes and None.

    The query builder takes three times as long: it looks at every value of every row.
    """
    if rows:
        mark = "?" if connection.dialect.name == "sqlite" else "%s"
        listed, marks = ", ".join(columns), ", ".join([mark] * len(columns))
        connection.exec_driver_sql(
            f"INSERT INTO {table.name} ({listed}) VALUES ({marks})", list(rows)
        )
