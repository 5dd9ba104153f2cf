"""The job that erases a person. Every step can be cut at any point and is then done again.

1. Batches that movers work on are waited for, then all that waits is moved, without the person.
2. Parts with events of the person are written anew, a day at a time: the new ones are hidden until
   all of a day are there, then they take the places of the old ones in one transaction.
3. The days that this has changed are counted again. Days whose events are erased by policy get
   another name in what is stored of them.
4. Every row that names the person goes, or loses the name.
5. Free pages of SQLite files, where deleted rows still stand, are written over.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from sqlalchemy import Update, update

from stationmaster import clock, days
from stationmaster.access.audit import Target, record
from stationmaster.aggregate import schedule
from stationmaster.db import overwriting
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erasures
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId
from stationmaster.lake.mover import Mover, landing_name
from stationmaster.lake.storage import Lake
from stationmaster.people import erased_days, erased_parts, erased_rows
from stationmaster.people.erasure import Reports, Subject
from stationmaster.settings import Settings

_DAYS = """
SELECT day FROM lake_partitions WHERE org_id = ?
UNION SELECT day FROM lake_days WHERE org_id = ? ORDER BY 1
"""
_CLAIMED = (
    "SELECT DISTINCT batch_id FROM inbox WHERE org_id = ? AND batch_id IS NOT NULL"
    " AND batch_id NOT LIKE 'corrupt:%'"
)


def erase(
    db: Database,
    inbox: Database,
    mover: Mover,
    settings: Settings,
    org: OrgId,
    erasure_id: str,
    step: Callable[[str], None],
) -> None:
    """Do what is left of an erasure. Raises DamagedParts, Unavailable and what the lake raises."""
    reports, subject = _open(db, org, erasure_id)
    if subject is not None:
        _erase(db, inbox, mover, settings, org, erasure_id, reports, subject, step)
        _forget(db, org, erasure_id, reports)
    step("overwriting free pages")
    for database in {id(each): each for each in (db, inbox)}.values():
        overwriting.overwrite_free_pages(database)
    with db.transaction() as connection:
        connection.execute(_of(org, erasure_id).values(finished_at=clock.now_ms()))


def _erase(
    db: Database,
    inbox: Database,
    mover: Mover,
    settings: Settings,
    org: OrgId,
    erasure_id: str,
    reports: Reports,
    subject: Subject,
    step: Callable[[str], None],
) -> None:
    step("waiting for telemetry on its way")
    for (batch_id,) in inbox.rows(_CLAIMED, org):
        with db.alone(landing_name(batch_id)):
            pass
    mover.drain(org)
    erased_rows.forget_corrupt(inbox, org, subject)
    lake = Lake.open(settings)
    for (day,) in db.rows(_DAYS, org, org):
        step(f"rewriting the events of {day}")
        erased_parts.rewrite(db, lake, org, days.parse(day), erasure_id, reports, subject)
    step("restating reports")
    schedule.roll_up_due(db, settings, org)
    for day in erased_days.closed(db, org):
        erased_days.rename(db, org, day, subject)
    step("erasing records")
    erased_rows.scrub(db, org, subject)


def _open(db: Database, org: OrgId, erasure_id: str) -> tuple[Reports, Subject | None]:
    rows = db.rows(
        "SELECT reports, subject FROM erasures WHERE org_id = ? AND erasure_id = ?",
        *(org, erasure_id),
    )
    if not rows:
        raise NotFound("There is no such erasure.")
    [(reports, subject)] = rows
    return reports, None if subject is None else msgspec.json.decode(subject, type=Subject)


def _forget(db: Database, org: OrgId, erasure_id: str, reports: Reports) -> None:
    """Delete the last that names the person, with the record that says so."""
    with db.transaction() as connection:
        connection.execute(_of(org, erasure_id).values(subject=None))
        target, payload = Target("erasure", erasure_id), {"reports": reports}
        record(connection, org, "person_erased", by=None, target=target, payload=payload)


def _of(org: OrgId, erasure_id: str) -> Update:
    return update(erasures).where(erasures.c.org_id == org, erasures.c.erasure_id == erasure_id)
