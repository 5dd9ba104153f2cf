"""The state database: SQLite in a file, or PostgreSQL, behind one small face.

Writes go through `transaction()`, composed reads through `reading()`, hot reads through `rows()`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from stationmaster.db import faults, migrations
from stationmaster.db.readers import RawConnection, Readers, percent_style
from stationmaster.errors import OperatorError, StationmasterError, Unavailable

BUSY_TIMEOUT_MS = 10_000
"""How long a SQLite writer waits for another one."""
CONNECT_TIMEOUT_S = 10
POOL = {"pool_size": 8, "max_overflow": 24, "pool_timeout": 10}
"""Connections kept, more when needed, and seconds to wait for one; per process."""
STREAM_ROWS = 2_000
"""Rows that `stream` holds at once."""
_BEGIN = "stationmaster_begin"

Dialect = Literal["sqlite", "postgresql"]
Row = tuple[Any, ...]


class Database:
    """One database. Safe to share between threads; a process opens its own (not across a fork).

    Every method raises Unavailable (`storage_unavailable`) while storage fails in a way that may
    pass, and OperatorError when the file is damaged.
    """

    def __init__(self, engine: Engine) -> None:
        """`open` is the way to make one."""
        self.dialect = cast(Dialect, engine.dialect.name)
        self._engine = engine
        self._address = _address(engine.url)
        dbapi = engine.dialect.loaded_dbapi
        self._dbapi_faults = (dbapi.Error,)
        self._faults = (DBAPIError, PoolExhausted, dbapi.Error)
        self._writing = engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        if self.dialect == "sqlite":
            self._reading = engine.execution_options(**{_BEGIN: "BEGIN"})
            self._readers = Readers(self._sqlite_reader)
        else:
            # The same promise as SQLite's: a reader sees one moment, however many statements.
            self._reading = engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            self._readers = Readers(self._postgresql_reader)

    @classmethod
    def open(cls, url: str) -> Database:
        """A database from a SQLAlchemy URL: `sqlite:///<path>` or `postgresql+psycopg://…`.

        Connects when first used. A SQLite file is made when missing, its folder is not. Raises
        OperatorError for a URL that cannot work.
        """
        try:
            parsed = make_url(url)
        except ArgumentError as fault:
            raise OperatorError(
                "The database URL is not of the form sqlite:///PATH or "
                "postgresql://USER@HOST/DATABASE.",
                code="bad_database_url",
            ) from fault
        if parsed.get_backend_name() == "sqlite":
            return cls(_sqlite_engine(parsed))
        if parsed.drivername in ("postgresql", "postgresql+psycopg"):
            return cls(_postgresql_engine(parsed.set(drivername="postgresql+psycopg")))
        raise OperatorError(
            f"The database URL names {parsed.drivername}; only sqlite and postgresql are spoken.",
            code="bad_database_url",
        )

    def migrate(self) -> None:
        """Bring the schema to this version's. Any number of processes may call it at once.

        Raises OperatorError for a schema that a newer version, or another program, has made.
        """
        with self.transaction() as connection:
            migrations.upgrade(connection)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A writing transaction: all or nothing, committed on leaving, rolled back on any error.

        On SQLite it holds the one write lock from the start, so it never fails half-way for want
        of it; a transaction within another would wait for itself.
        """
        try:
            with self._writing.begin() as connection:
                yield connection
        except self._faults as fault:
            self._raise_known(fault)
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A reading transaction: one consistent moment over any number of statements."""
        try:
            with self._reading.begin() as connection:
                yield connection
        except self._faults as fault:
            self._raise_known(fault)
            raise

    def rows(self, sql: str, *params: Any) -> list[Row]:
        """All rows of one SELECT, by the shortest way: the driver itself, outside transactions.

        Values are marked `?` on both databases. Columns come as the driver gives them, so a
        boolean is 0 or 1 on SQLite.
        """
        try:
            if self.dialect == "sqlite":
                return cast(list[Row], self._readers.get().execute(sql, params).fetchall())
            return self._postgresql_rows(percent_style(sql), params)
        except self._dbapi_faults as fault:
            self._raise_known(fault)
            raise

    def _postgresql_rows(self, sql: str, params: Row) -> list[Row]:
        connection = self._readers.get()
        try:
            return cast(list[Row], connection.execute(sql, params).fetchall())
        except self._dbapi_faults:
            if not cast(Any, connection).closed:
                raise
        # The server restarted or hung up since the last read: a read may simply be repeated.
        self._readers.drop()
        return cast(list[Row], self._readers.get().execute(sql, params).fetchall())

    def stream(self, sql: str, *params: Any) -> Iterator[Row]:
        """The rows of one SELECT as they come, with no more than STREAM_ROWS in memory.

        Like `rows` otherwise. It holds a pooled connection until it is exhausted or closed.
        """
        with self.reading() as connection:
            driver = cast(Any, connection.connection.driver_connection)
            if self.dialect == "sqlite":
                yield from driver.execute(sql, params)
                return
            with driver.cursor(name="stream") as cursor:
                cursor.itersize = STREAM_ROWS
                yield from cursor.execute(percent_style(sql), params)

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that knows `on_conflict_do_update` and `on_conflict_do_nothing`."""
        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    def close(self) -> None:
        """Close every connection that is not in use by a transaction."""
        self._readers.close()
        self._engine.dispose()

    def _raise_known(self, fault: BaseException) -> None:
        known = self._known(fault)
        if known is not None:
            raise known from fault

    def _known(self, fault: BaseException) -> StationmasterError | None:
        if isinstance(fault, PoolExhausted):
            return Unavailable(
                "Too many requests use the database at once; try again.", code="storage_unavailable"
            )
        cause = fault.orig if isinstance(fault, DBAPIError) else fault
        if cause is None:
            return None
        if self.dialect == "sqlite":
            return faults.of_sqlite(cause, self._address)
        return faults.of_postgresql(cause, self._address)

    def _sqlite_reader(self) -> RawConnection:
        connection = sqlite3.connect(
            self._address,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        try:
            _prepare_sqlite(connection)
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _postgresql_reader(self) -> RawConnection:
        import psycopg

        args, options = self._engine.dialect.create_connect_args(self._engine.url)
        options.setdefault("connect_timeout", CONNECT_TIMEOUT_S)
        connection = psycopg.connect(*args, **options, autocommit=True, prepare_threshold=0)
        try:
            connection.execute("SET default_transaction_read_only = on")
        except BaseException:
            connection.close()
            raise
        return connection


def _address(url: URL) -> str:
    """The path of a SQLite file, or where a PostgreSQL database is; never a password."""
    if url.get_backend_name() == "sqlite":
        return cast(str, url.database)
    host = url.host or url.query.get("host") or "the local socket"
    return f"{host}/{url.database or ''}"


def _sqlite_engine(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise OperatorError("SQLite state lives in a file; name one.", code="bad_database_url")
    folder = Path(url.database).parent
    if not folder.is_dir():
        raise OperatorError(f"The folder {folder} does not exist.", code="missing_folder")
    engine = create_engine(url, **POOL, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: object) -> None:
        # The driver would begin transactions by itself, too late and of the wrong kind.
        connection.isolation_level = None
        _prepare_sqlite(connection)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

    return engine


def _postgresql_engine(url: URL) -> Engine:
    try:
        return create_engine(
            url,
            pool_pre_ping=True,
            **POOL,
            connect_args={"connect_timeout": CONNECT_TIMEOUT_S},
        )
    except ModuleNotFoundError as fault:
        raise OperatorError(
            "PostgreSQL needs its driver: pip install 'stationmaster[server,postgres]'.",
            code="missing_driver",
        ) from fault


def _prepare_sqlite(connection: sqlite3.Connection) -> None:
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
