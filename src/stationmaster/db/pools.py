"""SQLAlchemy engines on either database: pooled connections for composed statements."""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError as PoolExhausted

from stationmaster.db.drivers import BUSY_TIMEOUT_MS, CONNECT_TIMEOUT_S, prepare_sqlite
from stationmaster.errors import MissingExtra, OperatorError

POOL: dict[str, Any] = {
    "pool_size": 8,
    "max_overflow": 12,
    "pool_timeout": 10,
    "hide_parameters": True,
}
"""Connections kept, more when needed, and seconds to wait for one; per process. What a statement
was about is left out of its errors, which are logged.
"""
FAULTS = (DBAPIError, PoolExhausted)
_BEGIN = "stationmaster_begin"


class EnginePool:
    """The writing and the reading face of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.writing = engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        if engine.dialect.name == "sqlite":
            self.reading = engine.execution_options(**{_BEGIN: "BEGIN"})
        else:
            # The same promise as SQLite's: a reader sees one moment, however many statements.
            self.reading = engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )

    def close(self) -> None:
        """Close the connections, those in use when they are given back."""
        event.listen(self.engine, "checkin", lambda _, record: record.invalidate())
        self.engine.dispose()


def cause_of(fault: BaseException) -> BaseException | None:
    """The driver's error behind one of SQLAlchemy's; None when the pool ran out."""
    if isinstance(fault, PoolExhausted):
        return None
    return fault.orig if isinstance(fault, DBAPIError) else fault


def parse(url: str) -> URL:
    """A checked database URL. Raises OperatorError for one that cannot work."""
    try:
        parsed = make_url(url)
    except ArgumentError as fault:
        raise OperatorError(
            "The database URL is not of the form sqlite:///PATH or "
            "postgresql://USER@HOST/DATABASE.",
            code="bad_database_url",
        ) from fault
    if parsed.drivername in ("postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() == "sqlite":
        return parsed
    raise OperatorError(
        f"The database URL names {parsed.drivername}; only sqlite and postgresql are supported.",
        code="bad_database_url",
    )


def open_sqlite(url: str) -> EnginePool:
    """A pool of connections to a SQLite file; a writing transaction begins as an immediate one."""
    engine = create_engine(url, **POOL, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _record: object) -> None:
        # The driver would begin transactions by itself, too late and of the wrong kind.
        connection.isolation_level = None
        prepare_sqlite(connection)

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

    return EnginePool(engine)


def open_postgresql(url: URL) -> EnginePool:
    """A pool of connections to a PostgreSQL server. Raises MissingExtra without psycopg."""
    try:
        engine = create_engine(
            url,
            pool_pre_ping=True,
            **POOL,
            connect_args={"connect_timeout": CONNECT_TIMEOUT_S},
        )
    except ModuleNotFoundError as fault:
        raise MissingExtra("PostgreSQL", "server,postgres", fault.name) from fault
    return EnginePool(engine)
