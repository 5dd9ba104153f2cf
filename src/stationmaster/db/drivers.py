"""The two databases at the level of their drivers: connecting, and what their errors mean.

Nothing here needs the query builder, so that a command which only appends or looks something up
starts without loading it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from stationmaster.db import alone, faults
from stationmaster.db.alone import Release
from stationmaster.db.prepared import PreparedReader
from stationmaster.db.readers import RawConnection
from stationmaster.errors import OperatorError, StationmasterError

BUSY_TIMEOUT_MS = 10_000
"""How long a SQLite writer waits for another one."""
CONNECT_TIMEOUT_S = 10
LOCKS = "locks"
"""The folder beside a SQLite file with the locks of `alone`."""
SQLITE = "sqlite:///"

Dialect = Literal["sqlite", "postgresql"]


class Driver(Protocol):
    """One database's driver. `errors` are the exceptions it raises."""

    dialect: Dialect
    errors: tuple[type[BaseException], ...]

    def connect_reader(self) -> Any:
        """A new connection that refuses to write."""

    def connect_writer(self) -> RawConnection:
        """A new connection, which begins no transaction by itself."""

    def write(self, writer: RawConnection, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row, in one durable transaction."""

    def take(self, name: str, *, wait: bool) -> Release | None:
        """Become the one holder of a name; None when another is, and `wait` is false."""

    def take_first(self, names: Sequence[str]) -> tuple[int, Release]:
        """Become the holder of each name up to the first that another has, of how many; they are
        released together."""

    def known(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours that a fault of storage is; None for a fault of the program."""


class SqliteDriver:
    """SQLite with the file `path`. OperatorError for a URL without a file or a missing folder."""

    dialect: Dialect = "sqlite"
    errors: tuple[type[BaseException], ...] = (sqlite3.Error,)

    def __init__(self, url: str) -> None:
        self.path = url.removeprefix(SQLITE).partition("?")[0]
        if not self.path or self.path == ":memory:":
            raise OperatorError("SQLite state lives in a file; name one.", code="bad_database_url")
        folder = Path(self.path).parent
        if not folder.is_dir():
            raise OperatorError(f"The folder {folder} does not exist.", code="missing_folder")

    def connect_reader(self) -> sqlite3.Connection:
        """A connection with `query_only` on."""
        connection = self.connect_writer()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def connect_writer(self) -> sqlite3.Connection:
        """A connection that waits up to BUSY_TIMEOUT_MS for other writers."""
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        try:
            prepare_sqlite(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def write(self, writer: Any, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row in one immediate transaction."""
        writer.execute("BEGIN IMMEDIATE")
        try:
            writer.executemany(sql, rows)
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
            raise

    def take(self, name: str, *, wait: bool) -> Release | None:
        """Lock the file of a name in LOCKS; None when another has it and `wait` is false."""
        return alone.take_file(Path(self.path).parent / LOCKS, name, wait=wait)

    def take_first(self, names: Sequence[str]) -> tuple[int, Release]:
        """Lock the file of each name up to the first that another has: their number and release."""
        return alone.take_first_files(Path(self.path).parent / LOCKS, names)

    def known(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours for a fault of SQLite; None for a fault of the program."""
        return faults.of_sqlite(fault, self.path)


class PostgresqlDriver:
    """PostgreSQL, with the arguments and options of `psycopg.connect`; `address` is for errors."""

    dialect: Dialect = "postgresql"

    def __init__(self, arguments: Sequence[Any], options: dict[str, Any], address: str) -> None:
        import psycopg

        self.errors: tuple[type[BaseException], ...] = (psycopg.Error,)
        self._connect = psycopg.connect
        self._arguments = arguments
        self._options = {"connect_timeout": CONNECT_TIMEOUT_S, **options}
        self._address = address

    def connect_reader(self) -> PreparedReader:
        """A read-only session whose SELECTs are prepared."""
        connection = self.connect_writer()
        try:
            connection.execute("SET default_transaction_read_only = on")
        except BaseException:
            connection.close()
            raise
        return PreparedReader(connection)

    def connect_writer(self) -> Any:
        """A session in autocommit mode; statements are prepared at their first use."""
        return self._connect(
            *self._arguments, **self._options, autocommit=True, prepare_threshold=0
        )

    def write(self, writer: Any, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row in one transaction."""
        with writer.transaction(), writer.cursor() as cursor:
            cursor.executemany(sql, rows)

    def take(self, name: str, *, wait: bool) -> Release | None:
        """Hold an advisory lock; None when another has it and `wait` is false."""
        return alone.take_in_session(self.connect_writer, name, wait=wait)

    def take_first(self, names: Sequence[str]) -> tuple[int, Release]:
        """Hold the lock of each name up to the first that another has: their number and release."""
        return alone.take_first_in_session(self.connect_writer, names)

    def known(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours for a fault of PostgreSQL; None for a fault of the program."""
        return faults.of_postgresql(fault, self._address)


def prepare_sqlite(connection: sqlite3.Connection) -> None:
    """Durable to power loss (FULL), readers beside one writer (WAL), for one connection."""
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, once and for all.

    SQLite does not wait when two processes do this to a new file at once, so we do.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)
