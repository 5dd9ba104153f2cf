"""The schema's history, run from inside the package, in the caller's transaction."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text, update

from stationmaster.db import revision
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.db.tables.schema import schema_use
from stationmaster.errors import OperatorError

# Any number will do, as long as nothing else that shares the server locks the same one.
_ADVISORY_LOCK = 0x57A7_104A_57E2


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
    config = Config()
    config.set_main_option("script_location", "stationmaster.db:migrations")
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_heads()
    revisions = {migration.revision for migration in script.walk_revisions()}
    if not current:
        _refuse_foreign(connection)
    if unknown := set(current) - revisions:
        if _is_usable(connection, max(unknown)):
            return
        raise OperatorError(
            f"The database has schema revision {', '.join(sorted(unknown))}, which this version "
            "of Stationmaster does not know. Upgrade the software, or use another database.",
            code="unknown_schema",
        )
    if set(current) == set(script.get_heads()):
        return
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    connection.execute(update(schema_use).values(oldest=revision.OLDEST))


def _is_usable(connection: Connection, version: str) -> bool:
    if not inspect(connection).has_table(schema_use.name):
        return False
    oldest = connection.execute(select(schema_use.c.oldest)).scalar()
    return oldest is not None and revision.is_usable(version, oldest)


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
