"""Inserting many rows, and rows that may be there already, on both databases.

Values go to the driver as they are: the query builder would read every value of every row, which
takes three times as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, Table

_MANY_ROWS = 1_000
_CACHE_KB = 16_000
"""With SQLite's own 2 MB, the pages of a table's indexes are written and read again and again."""


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


def insert_new(
    connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """The same for rows of which some may be there already, which stay as they are."""
    if rows:
        _insert(connection, table, columns, rows, " ON CONFLICT DO NOTHING")


def _insert(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    on_conflict: str = "",
) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    mark = "?" if is_sqlite else "%s"
    listed, marks = ", ".join(columns), ", ".join([mark] * len(columns))
    statement = f"INSERT INTO {table.name} ({listed}) VALUES ({marks}){on_conflict}"
    with _large_cache(connection) if is_sqlite and len(rows) >= _MANY_ROWS else nullcontext():
        connection.exec_driver_sql(statement, list(rows))


@contextmanager
def _large_cache(connection: Connection) -> Iterator[None]:
    before = connection.exec_driver_sql("PRAGMA cache_size").scalar_one()
    connection.exec_driver_sql(f"PRAGMA cache_size = {-_CACHE_KB}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size = {before}")
