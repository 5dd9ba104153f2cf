"""Short writing transactions by the driver alone, many a second.

They outlive the process (`kill -9`), and those of the last moment may be lost with the machine: on
SQLite until the next synced commit of anybody, on PostgreSQL for less than a second. So they are
for what is stored durably elsewhere as well.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from stationmaster.db.drivers import Driver
from stationmaster.db.readers import FewConnections, RawConnection, Readers, percent_style

CONNECTIONS = 4
"""Of one process on PostgreSQL."""


class Busy(Exception):
    """Another transaction is at work, and this one would have to wait."""


class Quick(Protocol):
    """One transaction. Values are marked `?` on both databases."""

    is_postgresql: bool

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a SELECT."""

    def run(self, sql: str, *params: Any) -> int:
        """Run a statement; the number of rows it changed."""

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""

    def version(self) -> object | None:
        """Equal to an earlier answer only if nothing else was committed in between, by no other
        connection of this process either. None where the database does not report it (PostgreSQL).
        """


class SqliteTransactions:
    """A connection for each thread; the threads of a process take turns, which is fairer and
    faster than SQLite's own waiting."""

    def __init__(self, driver: Driver) -> None:
        self._connections = Readers(lambda: _relaxed(driver))
        self._impatient = Readers(lambda: _impatient(driver))
        self._turn = threading.Lock()

    @contextmanager
    def one(self, *, wait: bool = True) -> Iterator[Quick]:
        """A writing transaction, rolled back when its block raises.

        Raises Busy where `wait` is false and another one is open.
        """
        if not self._turn.acquire(blocking=wait):
            raise Busy
        try:
            own = (self._connections if wait else self._impatient).get()
            with own.in_use:
                connection: Any = own.connection
                _begin(connection, wait=wait)
                try:
                    yield _OnSqlite(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        finally:
            self._turn.release()

    def version(self) -> object | None:
        """`Quick.version` of this thread's transactions that do not wait."""
        own = self._impatient.get()
        with own.in_use:
            return _version(own.connection)

    def tidy(self) -> None:
        """Move what was committed out of the log. Impatient transactions leave that to others,
        because it waits for the disk."""
        own = self._connections.get()
        with own.in_use:
            own.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connections of all threads."""
        self._connections.close()
        self._impatient.close()


class PostgresqlTransactions:
    """At most CONNECTIONS, which threads take turns with."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._connections = FewConnections(self._connect, CONNECTIONS)

    @contextmanager
    def one(self, *, wait: bool = True) -> Iterator[Quick]:
        """A transaction, rolled back when its block raises. Raises Busy where `wait` is false."""
        if not wait:
            raise Busy
        with (
            self._connections.one() as connection,
            connection.transaction(),
            connection.cursor() as cursor,
        ):
            yield _OnPostgresql(cursor)

    def _connect(self) -> Any:
        connection: Any = self._driver.connect_writer()
        try:
            connection.execute("SET synchronous_commit = off")
        except BaseException:
            connection.close()
            raise
        return connection

    def version(self) -> object | None:
        """None: the database does not report it."""
        return None

    def tidy(self) -> None:
        """Nothing: the server does it."""

    def close(self) -> None:
        """Close all connections, those that are in use when their transaction ends."""
        self._connections.close()


def _relaxed(driver: Driver) -> RawConnection:
    connection = driver.connect_writer()
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _impatient(driver: Driver) -> RawConnection:
    connection = _relaxed(driver)
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _version(connection: Any) -> object:
    # The number is the connection's own, so it means nothing without it.
    return connection, connection.execute("PRAGMA data_version").fetchone()[0]


def _begin(connection: Any, *, wait: bool) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as fault:
        if not wait and fault.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise Busy from fault
        raise


class _OnSqlite:
    is_postgresql = False

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, params).fetchall()  # type: ignore[no-any-return]  # untyped

    def run(self, sql: str, *params: Any) -> int:
        return int(self._connection.execute(sql, params).rowcount)

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)

    def version(self) -> object | None:
        return _version(self._connection)


class _OnPostgresql:
    is_postgresql = True

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        return self._cursor.execute(percent_style(sql), params).fetchall()  # type: ignore[no-any-return]  # untyped

    def run(self, sql: str, *params: Any) -> int:
        return int(self._cursor.execute(percent_style(sql), params).rowcount)

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._cursor.executemany(percent_style(sql), rows)

    def version(self) -> object | None:
        return None
