"""The schema of a database: made, and later extended, to what `tables` declares.

A schema only grows, so the tables and columns that a database lacks are all that an upgrade has to
add; `steps` does what stored rows need besides.
"""

from __future__ import annotations

from sqlalchemy import Connection, MetaData, Table, insert, inspect, select, text, update
from sqlalchemy.schema import CreateColumn

from stationmaster.db import revision
from stationmaster.db.migrations.steps import STEPS
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.db.tables.schema import alembic_version, schema_use
from stationmaster.errors import OperatorError

# Any number will do, as long as nothing else that shares the server locks the same one.
_ADVISORY_LOCK = 0x57A7_104A_57E2
_FIRST = "0010"
"""The oldest revision that is upgraded: later ones only added to it."""

LOCK_TIMEOUT_S = 0.5
"""How long a change may wait for a table of PostgreSQL: the next statement for it waits behind.

Less than the second after which PostgreSQL looks for deadlocks, so that it is the change that gives
way, and not a request.
"""


def upgrade(connection: Connection) -> None:
    """Bring the schema to the newest revision; does nothing where it is there already, or where it
    is a newer one that this version may use.

    The caller's transaction keeps other processes out: on SQLite by its write lock, on PostgreSQL
    by an advisory lock that ends with it. Raises OperatorError for a foreign or newer schema.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S * 1000:.0f}ms'"))
    current = _current(connection)
    if current == revision.HEAD:
        return
    if current is None:
        _refuse_foreign(connection)
    elif not _FIRST <= current < revision.HEAD:
        if _is_usable(connection, current):
            return
        raise OperatorError(
            f"The database has schema revision {current}, which this version "
            "of Stationmaster does not know. Upgrade the software, or use another database.",
            code="unknown_schema",
        )
    _extend(connection)
    for number, step in STEPS.items():
        if current is not None and current < number:
            step(connection)
    _put(connection, alembic_version, version_num=revision.HEAD)
    _put(connection, schema_use, id=1, oldest=revision.OLDEST)


def _current(connection: Connection) -> str | None:
    """The revision of the schema; None where there is none."""
    if not inspect(connection).has_table(alembic_version.name):
        return None
    return connection.execute(select(alembic_version.c.version_num)).scalar()


def _is_usable(connection: Connection, version: str) -> bool:
    if not inspect(connection).has_table(schema_use.name):
        return False
    oldest = connection.execute(select(schema_use.c.oldest)).scalar()
    return oldest is not None and revision.is_usable(version, oldest)


def _extend(connection: Connection) -> None:
    """Add the declared tables that are missing, with their indexes, and the missing columns of the
    others."""
    looking = inspect(connection)
    stored = set(looking.get_table_names())
    for table in _declared(connection):
        if table.name not in stored:
            table.create(connection)
            continue
        known = {column["name"] for column in looking.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                added = CreateColumn(column).compile(connection)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {added}"))


def _declared(connection: Connection) -> list[Table]:
    """All tables of a database: the inbox is one of them on PostgreSQL."""
    collections: list[MetaData] = [metadata, alembic_version.metadata]
    if connection.dialect.name == "postgresql":
        collections.append(inbox_metadata)
    return [table for collection in collections for table in collection.sorted_tables]


def _put(connection: Connection, table: Table, **values: str | int) -> None:
    """Make these the values of the one row of a table."""
    if connection.execute(update(table).values(**values)).rowcount == 0:
        connection.execute(insert(table).values(**values))


def create_inbox(connection: Connection) -> None:
    """Make the inbox table where it has a SQLite file of its own; PostgreSQL migrates to it."""
    inbox_metadata.create_all(connection)


def _refuse_foreign(connection: Connection) -> None:
    ours = {*metadata.tables, *inbox_metadata.tables}
    if taken := ours & set(inspect(connection).get_table_names()):
        raise OperatorError(
            f"The database has tables of another program ({', '.join(sorted(taken))}). "
            "Use an empty database.",
            code="foreign_schema",
        )
