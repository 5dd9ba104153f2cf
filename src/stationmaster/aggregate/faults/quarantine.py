"""What a rollup leaves out because it cannot count it: a row each, until an operator requests a
retry."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

import pyarrow as pa
from sqlalchemy import delete, update

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import quarantine
from stationmaster.db.upserts import insert_new
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.rollups import reads

_PART = "part-"
_OF_DAY = "SELECT item FROM quarantine WHERE org_id = ? AND day = ?"
_OVERVIEW = (
    "SELECT day, reason, SUM(CASE WHEN item LIKE 'part-%' THEN 0 ELSE 1 END),"
    " SUM(CASE WHEN item LIKE 'part-%' THEN 1 ELSE 0 END)"
    " FROM quarantine WHERE org_id = ? GROUP BY day, reason ORDER BY day, reason"
)


class SetAside(NamedTuple):
    """What is left out of one day."""

    parts: frozenset[str]
    """Names of parts."""
    events: pa.Table | None
    """Ids in two columns, as the lake has them; None when there are none."""


class QuarantineCount(NamedTuple):
    """How much was set aside of a day for one reason."""

    day: str
    reason: str
    events: int
    parts: int


def of_day(db: Database, org: OrgId, day: date) -> SetAside:
    """What a rollup of the day has to leave out."""
    items = [item for (item,) in db.rows(_OF_DAY, org, day.isoformat())]
    events = [item for item in items if not item.startswith(_PART)]
    parts = frozenset(item for item in items if item.startswith(_PART))
    return SetAside(parts, _ids(events) if events else None)


def overview(db: Database, org: OrgId) -> list[QuarantineCount]:
    """Everything that is set aside, by day and reason."""
    return [
        QuarantineCount(day, reason, int(events), int(parts))
        for day, reason, events, parts in db.rows(_OVERVIEW, org)
    ]


def set_aside(db: Database, org: OrgId, day: date, items: Collection[str], reason: str) -> None:
    """Leave events (their ids in hex) or whole parts (their names) out of a day from now on."""
    columns = ("org_id", "day", "item", "reason", "set_aside_at")
    rows = [(org, day.isoformat(), item, reason, clock.now_ms()) for item in sorted(items)]
    with db.transaction() as connection:
        insert_new(connection, quarantine, columns, rows)


def leave_out_damaged(
    db: Database, org: OrgId, first: date | None = None, last: date | None = None
) -> int:
    """Leave the parts out, from now on, that the last check found missing or changed; how many.

    Only of days that are due: the figures of the others count them already.
    """
    due = set(reads.due_days(db, org))
    damaged = [
        (day, name, fault)
        for day, name, fault in entries.faults(db, org)
        if day in due and (first or date.min) <= day <= (last or date.max)
    ]
    for day, name, fault in damaged:
        set_aside(db, org, day, [name], f"{fault}_part")
    return len(damaged)


def retry(db: Database, org: OrgId, first: date | None = None, last: date | None = None) -> int:
    """Take everything back, of a range of days or all; those are due again. How many days."""
    first_day, last_day = str(first or date.min), str(last or date.max)
    with db.transaction() as connection:
        taken = connection.execute(
            delete(quarantine)
            .where(quarantine.c.org_id == org, quarantine.c.day.between(first_day, last_day))
            .returning(quarantine.c.day)
        )
        days = sorted({day for (day,) in taken})
        for day in days:
            connection.execute(
                update(lake_days)
                .where(lake_days.c.org_id == org, lake_days.c.day == day)
                .values(landed=lake_days.c.landed + 1)
            )
    return len(days)


def _ids(events: list[str]) -> pa.Table:
    def signed(digits: str) -> int:
        return int.from_bytes(bytes.fromhex(digits), "big", signed=True)

    return pa.table(
        {
            "event_id_hi": pa.array([signed(event[:16]) for event in events], pa.int64()),
            "event_id_lo": pa.array([signed(event[16:]) for event in events], pa.int64()),
        }
    )
