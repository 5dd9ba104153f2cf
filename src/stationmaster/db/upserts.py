"""Inserting many rows, and rows that may be there already, on both databases.

Values go to the driver as they are: the query builder looks at every value of every row, which
takes three times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table


def upsert(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]], keep: tuple[str, ...] = ()
) -> None:
    """Insert rows or replace those with the same key, except their columns in `keep`. All rows have
    the same columns in the same order."""
    if rows:
        columns = list(rows[0])
        keys = [column.name for column in table.primary_key]
        changes = ", ".join(
            f"{name} = excluded.{name}" for name in columns if name not in {*keys, *keep}
        )
        on_conflict = f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changes}"
        values = [tuple(row.values()) for row in rows]
        _insert(connection, table, columns, values, on_conflict)


def insert_rows(
    connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows, given in the order of the columns as texts, numbers, bytes and None."""
    if rows:
        _insert(connection, table, columns, rows)


def _insert(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    on_conflict: str = "",
) -> None:
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    listed, marks = ", ".join(columns), ", ".join([mark] * len(columns))
    connection.exec_driver_sql(
        f"INSERT INTO {table.name} ({listed}) VALUES ({marks}){on_conflict}", list(rows)
    )
