"""The state database: SQLite in a file, or PostgreSQL, behind one small face.

Writes go through `transaction()`, composed reads through `reading()`; hot reads and appends through
`rows()` and `write()`, which use the driver alone. SQLAlchemy is loaded by the first two.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from stationmaster.db.drivers import SQLITE, Dialect, Driver, PostgresqlDriver, SqliteDriver
from stationmaster.db.quick import PostgresqlTransactions, Quick, SqliteTransactions
from stationmaster.db.readers import FewConnections, Readers, percent_style
from stationmaster.errors import OperatorError, StationmasterError, Unavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table
    from sqlalchemy.dialects import postgresql, sqlite

    from stationmaster.db.pools import EnginePool
    from stationmaster.db.prepared import PreparedReader

STREAM_ROWS = 2_000
"""Rows that `stream` holds at a time."""
READS_AT_ONCE = 8
"""Of one process on PostgreSQL, by `rows`: they are short, and each connection is a process there.
"""

MIGRATION_PATIENCE_S = 60
MIGRATION_PAUSE_S = 0.5
"""How long a migration that PostgreSQL gave no lock is tried again, and the pause in between."""

Row = tuple[Any, ...]


class Database:
    """One database. Safe to share between threads; a process opens its own (not across a fork).

    Every method raises Unavailable (`storage_unavailable`) while storage fails in a way that may
    pass, and OperatorError when the file is damaged.
    """

    def __init__(self, driver: Driver, url: str, pool: EnginePool | None = None) -> None:
        """`open` is the way to make one."""
        self.dialect: Dialect = driver.dialect
        self._driver = driver
        self._url = url
        self._readers = Readers(driver.connect_reader)
        self._few_readers: FewConnections[PreparedReader] = FewConnections(
            driver.connect_reader, READS_AT_ONCE
        )
        self._writers = Readers(driver.connect_writer)
        kind = SqliteTransactions if driver.dialect == "sqlite" else PostgresqlTransactions
        self._quick: SqliteTransactions | PostgresqlTransactions = kind(driver)
        if pool is not None:
            self._pool = pool

    @cached_property
    def _pool(self) -> EnginePool:
        from stationmaster.db import pools

        return pools.open_sqlite(self._url)

    @classmethod
    def open(cls, url: str) -> Database:
        """A database from a SQLAlchemy URL: `sqlite:///<path>` or `postgresql+psycopg://…`.

        Connects when first used. A SQLite file is made when missing, its folder is not. Raises
        OperatorError for a URL that cannot work.
        """
        if url.startswith(SQLITE):
            return cls(SqliteDriver(url), url)
        from stationmaster.db import pools

        parsed = pools.parse(url)
        if parsed.get_backend_name() == "sqlite":
            return cls(SqliteDriver(f"{SQLITE}{parsed.database or ''}"), url)
        pool = pools.open_postgresql(parsed)
        arguments, options = pool.engine.dialect.create_connect_args(parsed)
        host = parsed.host or parsed.query.get("host") or "the local socket"
        address = f"{host}/{parsed.database or ''}"
        return cls(PostgresqlDriver(arguments, dict(options), address), url, pool)

    @property
    def path(self) -> str:
        """The file of a SQLite database."""
        return self._url.removeprefix(SQLITE)

    def migrate(self) -> None:
        """Bring the schema to this version's; a newer one that this version may use stays.

        Any number of processes may call it at the same time, next to others that use the database.
        Raises OperatorError for a schema that this version cannot use or another program has made,
        and for a database that is half copied or has moved.
        """
        if self.is_usable():
            return
        from stationmaster.db import migrations

        give_up = time.monotonic() + MIGRATION_PATIENCE_S
        while True:
            try:
                with self.transaction() as connection:
                    migrations.upgrade(connection)
                return
            except Unavailable as fault:
                # The one that used a table for too long was ended first; now it may be free.
                is_locked = getattr(fault.__cause__, "sqlstate", None) == "55P03"
                if not is_locked or time.monotonic() > give_up:
                    raise
            time.sleep(MIGRATION_PAUSE_S)

    def is_usable(self) -> bool:
        """Is the schema one that this version may use? Asked without the migration machinery."""
        from stationmaster.db import revision

        try:
            rows = self.rows("SELECT version_num, oldest, refusal FROM alembic_version, schema_use")
        except self._driver.errors:
            return False
        for version, oldest, refusal in rows:
            if refusal is not None:
                raise OperatorError(refusal, code="refused_store")
            if revision.is_usable(version, oldest):
                return True
        return False

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A writing transaction: all or nothing, committed on leaving, rolled back on any error.

        On SQLite it holds the one write lock from the start, so it never fails half-way for lack
        of it.
        """
        with self._translated(), self._pool.writing.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A reading transaction: one consistent moment over any number of statements."""
        with self._translated(), self._pool.reading.begin() as connection:
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from stationmaster.db import pools

        faults: tuple[type[BaseException], ...] = (*pools.FAULTS, *self._driver.errors)
        try:
            yield
        except faults as fault:
            cause = pools.cause_of(fault)
            if cause is None:
                raise Unavailable(
                    "Too many requests use the database at the same time; try again.",
                    code="storage_unavailable",
                ) from fault
            self._raise_known(cause)
            raise

    def rows(self, sql: str, *params: Any) -> list[Row]:
        """All rows of one SELECT, by the shortest way: the driver itself, outside transactions.

        Values are marked `?` on both databases. Columns are as the driver gives them, so a
        boolean is 0 or 1 on SQLite.
        """
        try:
            if self.dialect == "sqlite":
                reader = self._readers.get()
                with reader.in_use:
                    return cast(list[Row], reader.connection.execute(sql, params).fetchall())
            return self._postgresql_rows(sql, params)
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise

    def _postgresql_rows(self, sql: str, params: Row) -> list[Row]:
        with self._few_readers.one() as connection:
            try:
                return connection.rows(sql, params)
            except self._driver.errors:
                if not connection.closed:
                    raise
        # The server restarted or hung up since the last read: a read may simply be repeated.
        self._few_readers.drop()
        with self._few_readers.one() as connection:
            return connection.rows(sql, params)

    def version(self) -> object | None:
        """Equal to an earlier answer only if no process has committed anything in between.

        None where the database does not report it (PostgreSQL).
        """
        if self.dialect != "sqlite":
            return None
        # The number is the connection's own, so it means nothing without it.
        return self._readers.get(), self.rows("PRAGMA data_version")[0][0]

    def write(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row, in one transaction; durable when it returns.

        Values are marked `?` on both databases.
        """
        statement = sql if self.dialect == "sqlite" else percent_style(sql)
        writer = self._writers.get()
        try:
            with writer.in_use:
                self._driver.write(writer.connection, statement, rows)
        except self._driver.errors as fault:
            if getattr(writer.connection, "closed", False):
                self._writers.drop()
            self._raise_known(fault)
            raise

    @contextmanager
    def quick(self, *, wait: bool = True) -> Iterator[Quick]:
        """A writing transaction by the driver alone, which outlives the process; see `db.quick`.

        On SQLite no other writer is at work meanwhile; on PostgreSQL others see what was committed.
        Without `wait` it takes some 100 µs on SQLite and raises Busy where it would have to wait
        for others, as always on PostgreSQL; `tidy` is to be called now and then.
        """
        try:
            with self._quick.one(wait=wait) as transaction:
                yield transaction
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise

    def quick_version(self) -> object | None:
        """Equal to an earlier answer only if nothing was committed in between but by this thread's
        `quick` without `wait`. None where the database does not report it (PostgreSQL)."""
        try:
            return self._quick.version()
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise

    def tidy(self) -> None:
        """Move what was committed without waiting out of SQLite's log."""
        try:
            self._quick.tidy()
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise

    def stream(self, sql: str, *params: Any) -> Iterator[Row]:
        """The rows of one SELECT as they arrive, with no more than STREAM_ROWS in memory.

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

    @contextmanager
    def alone(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Be the only one with that name, among all processes and threads on this database.

        Yields True once that is so; without `wait` immediately, and False where another is the one.
        It ends with the block or the process, `kill -9` included. It cannot be nested.

        A holder that loses its connection to PostgreSQL continues without noticing, and another may
        begin. So this spares work that is done twice; what must not happen twice is guarded in the
        transaction that does it.
        """
        try:
            release = self._driver.take(name, wait=wait)
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise
        try:
            yield release is not None
        finally:
            if release is not None:
                release()

    @contextmanager
    def alone_with_first(self, names: Sequence[str]) -> Iterator[int]:
        """Be the only one with each name up to the first that another has now; yields how many
        those are.

        See `alone`. On PostgreSQL one connection holds them all.
        """
        try:
            taken, release = self._driver.take_first(names)
        except self._driver.errors as fault:
            self._raise_known(fault)
            raise
        try:
            yield taken
        finally:
            release()

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that knows `on_conflict_do_update` and `on_conflict_do_nothing`."""
        from sqlalchemy.dialects import postgresql, sqlite

        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    def connections(self) -> tuple[int, int]:
        """Pooled connections of composed statements: how many are in use, how many are idle."""
        if "_pool" not in self.__dict__:
            return 0, 0
        pool = cast(Any, self._pool.engine.pool)
        return int(pool.checkedout()), int(pool.checkedin())

    def close(self) -> None:
        """Close every connection, those in use by a transaction when that ends. A thread that goes
        on with it has new ones, which are closed after each use."""
        self._readers.close()
        self._few_readers.close()
        self._writers.close()
        self._quick.close()
        if "_pool" in self.__dict__:
            self._pool.close()

    def _raise_known(self, fault: BaseException) -> None:
        error: StationmasterError | None = self._driver.recognized(fault)
        if error is not None:
            raise error from fault
