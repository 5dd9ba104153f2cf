"""The embedded store into PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from sqlalchemy import update

from stationmaster.access import operator
from stationmaster.db import copying
from stationmaster.db.engine import Database
from stationmaster.db.tables.schema import schema_use
from stationmaster.errors import BadRequest
from stationmaster.lake import entries
from stationmaster.lake import inbox as inboxes
from stationmaster.lake.backups import parts
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

Reindex = Callable[[Database], None]
"""Makes the search of the wiki anew, which each kind of database has in a form of its own."""


def relocate(
    settings: Settings, to: str, *, lake: Lake | None = None, reindex: Reindex, tell: copying.Tell
) -> list[copying.CopiedTable]:
    """Copy the SQLite store of a data folder to a PostgreSQL URL, and its parts to another lake if
    one is given; every table, compared.

    Nobody writes to the store meanwhile: senders are refused and repeat, readers are answered. In
    the end it refuses writers for good, whoever has it open. Before that it is not changed; killed
    at any point, it goes on with the next call.

    Raises BadRequest for a URL or a store of the wrong kind, Conflict where the target holds other
    data or the store has moved already, OperatorError when the copy differs.
    """
    with (
        closing(Database.open(to)) as target,
        closing(Database.open(settings.state_url)) as state,
        closing(inboxes.open_database(settings)) as inbox,
    ):
        if target.dialect != "postgresql" or state.dialect != "sqlite":
            raise BadRequest(
                "A store moves from SQLite to PostgreSQL: leave STATIONMASTER_DATABASE_URL unset "
                "and set --to postgresql://USER@HOST/DATABASE.",
                code="bad_database_url",
            )
        has_moved = _has_moved(state)
        if not has_moved:
            state.migrate()
        # The write locks of both files, from the first row to the seal.
        with inbox.transaction() as waiting, state.transaction() as kept:
            copying.check_revision(kept)
            copying.begin(target, _name_of(state), has_moved=has_moved)
            copied = copying.copy(kept, target, copying.STATE, tell)
            copied += copying.copy(waiting, target, copying.INBOX, tell)
            if lake is not None:
                tell("the lake")
                entered = entries.hashes(state, with_faulty=False)
                parts.move(Lake.open(settings), lake, settings.scratch_dir, entered)
            tell("the search of the wiki")
            reindex(target)
            copying.seal(waiting, copying.INBOX)
            copying.seal(kept, copying.STATE)
            kept.execute(update(schema_use).values(refusal=copying.MOVED))
        copying.finish(target)
    return copied


def _has_moved(state: Database) -> bool:
    with state.reading() as connection:
        return copying.refusal(connection) == copying.MOVED


def _name_of(state: Database) -> str:
    """What tells one installation from another: its oldest organization."""
    return next((org.org_id for org in operator.tenants(state)), "an empty installation")
