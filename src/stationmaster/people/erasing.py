"""The job that erases a person. Every step can be interrupted at any point and is then repeated.

1. Batches that movers are landing are waited for, then everything that waits is moved to the lake
   without the person.
2. Parts with events of the person are rewritten, a day at a time: the new ones are hidden until
   all of a day are written, then they replace the old ones in one transaction.
3. In stored figures of days whose events are erased by policy, the person gets a random id. The
   other days that have changed are counted again.
4. Messages to the person that wait to be sent are deleted.
5. Every row that names the person is deleted, or loses the name.
6. Free pages of SQLite files, which still hold deleted rows, are overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from sqlalchemy import Update, update

from stationmaster import clock, days
from stationmaster.access.audit import Target, record
from stationmaster.aggregate import schedule
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.db import overwriting
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erasures
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId
from stationmaster.lake.mover import Mover, landing_name
from stationmaster.lake.storage import Lake
from stationmaster.people import erased_days, erased_parts, erased_rows
from stationmaster.people.erasure import Subject, Task
from stationmaster.settings import Settings

Step = Callable[[str], None]
"""Called with what is done next; raises where the job was cancelled."""
_DAYS = """
SELECT day FROM lake_partitions WHERE org_id = ?
UNION SELECT day FROM lake_days WHERE org_id = ? ORDER BY 1
"""
_CLAIMED = (
    "SELECT DISTINCT batch_id FROM inbox WHERE org_id = ? AND batch_id IS NOT NULL"
    " AND batch_id NOT LIKE 'corrupt:%'"
)


class Stores(NamedTuple):
    """Everything that may hold data of a person."""

    db: Database
    inbox: Database
    mover: Mover
    outbox: Outbox
    settings: Settings


def erase(stores: Stores, org: OrgId, erasure_id: str, step: Step) -> None:
    """Do what is left of an erasure. Raises DamagedParts, Unavailable and what the lake raises."""
    db = stores.db
    task = _unfinished(db, org, erasure_id)
    if task is not None:
        _erase(stores, task, step)
        _delete_subject(db, task)
    step("overwriting free pages")
    for database in {id(store): store for store in (db, stores.inbox)}.values():
        overwriting.overwrite_free_pages(database)
    with db.transaction() as connection:
        connection.execute(_update(org, erasure_id).values(finished_at=clock.now_ms()))


def _erase(stores: Stores, task: Task, step: Step) -> None:
    db, settings = stores.db, stores.settings
    org, subject = task.org, task.subject
    step("waiting for telemetry that is being stored")
    for (batch_id,) in stores.inbox.rows(_CLAIMED, org):
        with db.alone(landing_name(batch_id)):
            pass
    stores.mover.drain(org)
    erased_rows.delete_corrupt(stores.inbox, org, subject)
    lake = Lake.open(settings)
    for (day,) in db.rows(_DAYS, org, org):
        step(f"rewriting the events of {day}")
        erased_parts.rewrite(db, lake, days.parse(day), task)
    step("restating reports")
    # First the days that are not counted again: later ones count sessions by the ids in them.
    for closed_day in erased_days.closed(db, org):
        erased_days.rename(db, org, closed_day, subject)
    schedule.roll_up_due(db, settings, org)
    step("deleting messages")
    stores.outbox.delete_matching(org, subject.pattern())
    step("erasing records")
    erased_rows.scrub(db, org, subject)


def _unfinished(db: Database, org: OrgId, erasure_id: str) -> Task | None:
    """What an erasure is about; None where only free pages may be left. Raises NotFound."""
    rows = db.rows(
        "SELECT reports, subject FROM erasures WHERE org_id = ? AND erasure_id = ?",
        *(org, erasure_id),
    )
    if not rows:
        raise NotFound("There is no such erasure.")
    [(reports, subject)] = rows
    if subject is None:
        return None
    return Task(org, erasure_id, reports, msgspec.json.decode(subject, type=Subject))


def _delete_subject(db: Database, task: Task) -> None:
    """Delete the last text that names the person, and record that in the audit log."""
    with db.transaction() as connection:
        connection.execute(_update(task.org, task.erasure_id).values(subject=None))
        target, payload = Target("erasure", task.erasure_id), {"reports": task.reports}
        record(connection, task.org, "person_erased", by=None, target=target, payload=payload)


def _update(org: OrgId, erasure_id: str) -> Update:
    return update(erasures).filter_by(org_id=org, erasure_id=erasure_id)
