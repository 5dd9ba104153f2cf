"""How far back an organization's events are erased by policy, and erasing them.

All days through a horizon are closed: what arrives for them late is counted and not kept, and
their documents stay as they are. Their parts are erased except those of the horizon itself, whose
last minutes the day after it still reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from sqlalchemy import Connection, delete, select

from stationmaster import clock, days
from stationmaster.db.alone import in_transaction
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_horizons, lake_partitions
from stationmaster.db.upserts import upsert
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.storage import Lake

OPEN_MS = 12 * 3_600_000
"""How long a day stays open after its first events, however old it is: the first of an import are
not the last."""
_NEW = "SELECT min(day) FROM lake_partitions WHERE org_id = ? AND day <= ? AND since > ?"
ERASING = "erasing"
"""The name that is held alone while parts of closed days go, or while all must stay."""
_TO_ERASE = "SELECT day FROM lake_partitions WHERE org_id = ? AND day < ? ORDER BY day"
_CLOSED_THROUGH = "SELECT closed_through FROM lake_horizons WHERE org_id = ?"


def partition_name(org: str, day: date) -> str:
    """What who merges or erases parts of a day has to hold alone."""
    return f"parts of {org} {day}"


def closed_through(db: Database, org: str) -> date | None:
    """The last closed day of an organization."""
    rows = db.rows(_CLOSED_THROUGH, org)
    return days.parse(rows[0][0]) if rows else None


def first_new(db: Database, org: str, through: date) -> date | None:
    """The first day up to one whose first events arrived less than OPEN_MS ago."""
    since = clock.now_ms() - OPEN_MS
    [(day,)] = db.rows(_NEW, org, through.isoformat(), since)
    return None if day is None else days.parse(day)


def is_closed(connection: Connection, org: str, day: date) -> bool:
    """True where a day is the last closed day of an organization or an earlier one."""
    through = connection.execute(
        select(lake_horizons.c.closed_through).where(lake_horizons.c.org_id == org)
    ).scalar()
    return through is not None and day <= days.parse(through)


def hold(connection: Connection, orgs: Iterable[str]) -> dict[str, date]:
    """The horizons of organizations that have one; they stay until the transaction ends."""
    org_ids = sorted(set(orgs))
    for org in org_ids:
        in_transaction(connection, f"horizon of {org}")
    rows = connection.execute(
        select(lake_horizons.c.org_id, lake_horizons.c.closed_through).where(
            lake_horizons.c.org_id.in_(org_ids)
        )
    )
    return {org: days.parse(day) for org, day in rows}


def close(connection: Connection, org: str, through: date) -> None:
    """Move a horizon, in a transaction that has called `hold` and found every day clean."""
    upsert(connection, lake_horizons, [{"org_id": org, "closed_through": through.isoformat()}])


def to_erase(db: Database, org: str, through: date | None = None) -> list[date]:
    """The closed days whose parts are still to go, oldest first; or those if `through` was it."""
    through = through or closed_through(db, org)
    if through is None:
        return []
    return [days.parse(day) for (day,) in db.rows(_TO_ERASE, org, through.isoformat())]


def erase(db: Database, lake: Lake, org: str, day: date) -> None:
    """Delete every part of a day that is to be erased. It may die anywhere and be called again."""
    with db.alone(partition_name(org, day)):
        with db.transaction() as connection:
            entries.remove(connection, org, day)
        for part in lake.parts(org, day):
            lake.files.delete(part.path)
    with db.transaction() as connection:
        connection.execute(
            delete(lake_partitions).where(
                lake_partitions.c.org_id == org, lake_partitions.c.day == day.isoformat()
            )
        )


def outdated(db: Database, org: OrgId, kept_days: int) -> tuple[date, list[date]]:
    """The oldest day that would be kept, and the stored days before it."""
    oldest = oldest_kept(kept_days)
    return oldest, to_erase(db, org, oldest)


def oldest_kept(kept_days: int) -> date:
    """The oldest day that keeps its events. It is closed, too: the day after it needs its last
    minutes."""
    return clock.today() - timedelta(days=kept_days)
