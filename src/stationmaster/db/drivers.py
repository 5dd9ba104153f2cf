"""The two databases at the level of their drivers: connecting, and what their errors mean.

Nothing here needs the query builder, so that a command which only appends or looks something up
starts without loading it.

Some faults are passing troubles of storage, some need a person; everything else (a wrong statement,
a broken constraint) is a fault of ours and passes unchanged. Clients read what to do; the log and
the operator's terminal also read where and why.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from stationmaster.db import alone
from stationmaster.db.alone import Release
from stationmaster.db.prepared import PreparedReader
from stationmaster.db.readers import RawConnection
from stationmaster.errors import OperatorError, StationmasterError, Unavailable

BUSY_TIMEOUT_MS = 10_000
"""How long a SQLite writer waits for another one."""
CONNECT_TIMEOUT_S = 10
LOCKS = "locks"
"""The folder next to a SQLite file with the locks of `alone`."""
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

    def recognized(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours that a fault of storage is; None for a fault of the program."""


class SqliteDriver:
    """SQLite with the file `path`. OperatorError for a URL without a file or a missing folder."""

    dialect: Dialect = "sqlite"
    errors: tuple[type[BaseException], ...] = (sqlite3.Error,)

    def __init__(self, url: str) -> None:
        self.path = url.removeprefix(SQLITE).partition("?")[0]
        if not self.path or self.path == ":memory:":
            raise OperatorError(
                "SQLite keeps its state in a file; name one.", code="bad_database_url"
            )
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

    def recognized(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours for a fault of SQLite; None for a fault of the program."""
        return of_sqlite(fault, self.path)


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

    def recognized(self, fault: BaseException) -> StationmasterError | None:
        """The error of ours for a fault of PostgreSQL; None for a fault of the program."""
        return of_postgresql(fault, self._address)


def prepare_sqlite(connection: sqlite3.Connection) -> None:
    """Durable to power loss (FULL), readers along with one writer (WAL), for one connection."""
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, once and for all.

    SQLite does not wait when two processes do this to a new file at the same time, so we do.
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


# SQLite primary result codes (the low byte of an extended code): https://sqlite.org/rescode.html
_SQLITE_TROUBLES = {
    sqlite3.SQLITE_FULL: "The disk is full; free some space on it.",
    sqlite3.SQLITE_READONLY: "The file is read-only; make it and its folder writable.",
    sqlite3.SQLITE_CANTOPEN: "The file cannot be opened; check its folder and permissions.",
    sqlite3.SQLITE_IOERR: "The disk fails to read or write; check it and its file system.",
    sqlite3.SQLITE_BUSY: "Another process has locked the file for too long; stop it or try again.",
    sqlite3.SQLITE_LOCKED: "Another connection has locked the table; try again.",
}
_SQLITE_WRITING = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
"""What a folder that is read-only may look like."""
_SQLITE_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

# PostgreSQL error classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_POSTGRESQL_TROUBLES = {
    "08": "The connection broke; check the server and the network.",
    "25": "The server is read-only; point at the primary, or wait for it to take over.",
    "28": "The server refuses the login; check the user and the password of the database URL.",
    "3D": "The database does not exist; create it, or check the database URL.",
    "40": "Concurrent changes collided; try again.",
    "53": "The server ran out of a resource (disk, memory or connections); free some.",
    "55": "A lock was not free in time; try again.",
    "57": "The server is shutting down, starting up or cancelled the statement; try again.",
    "58": "The server's disk or system fails; check its log.",
}


def of_sqlite(fault: BaseException, path: str) -> StationmasterError | None:
    """What a sqlite3 error means for the caller; None when it is a fault of the program."""
    extended = getattr(fault, "sqlite_errorcode", 0)
    if extended == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
        # The one use of triggers: a store that has moved refuses its writers.
        return Unavailable(str(fault), code="moved_store")
    code = extended & 0xFF
    if code in _SQLITE_BROKEN:
        return OperatorError(
            "The database is damaged. Restore a backup, or move it away.",
            code="storage_damaged",
            internal=f"{path} is damaged, or not a database ({fault}). "
            "Restore a backup, or move it away.",
        )
    if code in _SQLITE_WRITING and (folder := _read_only_folder(path)):
        return Unavailable(
            "The data folder is read-only; make it writable.",
            code="storage_unavailable",
            internal=f"The folder {folder} is read-only; make it writable.",
        )
    advice = _SQLITE_TROUBLES.get(code)
    return None if advice is None else _unavailable(path, fault, advice)


def _read_only_folder(path: str) -> str | None:
    """The folder of a file, where this process may not write to it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        is_read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return None
    return folder if is_read_only or not os.access(folder, os.W_OK) else None


def of_postgresql(fault: BaseException, address: str) -> StationmasterError | None:
    """What a psycopg error means for the caller; None when it is a fault of the program.

    psycopg leaves `sqlstate` empty when there was no server to give one.
    """
    import psycopg

    state = getattr(fault, "sqlstate", None)
    if state is not None:
        advice = _POSTGRESQL_TROUBLES.get(state[:2])
    elif isinstance(fault, psycopg.OperationalError):
        advice = "Check that the server runs and that the database URL is right."
    else:
        advice = None
    return None if advice is None else _unavailable(address, fault, advice)


def _unavailable(address: str, fault: BaseException, advice: str) -> Unavailable:
    reason = " ".join(str(fault).split())
    return Unavailable(
        f"Storage fails. {advice}",
        code="storage_unavailable",
        internal=f"Storage at {address} fails ({reason}). {advice}",
    )
