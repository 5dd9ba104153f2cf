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

A row that belongs to the person is deleted: its key, or its owner, is one of the person's user ids.
In every other place of an id or an address, alone or within a text, "erased person" replaces it.
So columns of text that are added later are covered, too; what is sealed, compressed or JSON in
bytes is not: tests/people/test_erased_columns.py lists what happens to every column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
from sqlalchemy import Column, Connection, Table, Text, Update, delete, func, or_, select, update

from stationmaster import clock, days
from stationmaster.access.audit import note
from stationmaster.aggregate import schedule
from stationmaster.alerts.mail.outbox import Outbox
from stationmaster.db import overwriting
from stationmaster.db.engine import Database
from stationmaster.db.tables import inbox_metadata, metadata
from stationmaster.db.tables.access import api_keys, erasures, user_aliases
from stationmaster.db.tables.alerts import alerts
from stationmaster.db.tables.computers import (
    computer_events,
    computer_metrics,
    computer_presence,
    computer_sessions,
    computer_step_logs,
    computers,
    managed_computers,
    session_tickets,
)
from stationmaster.db.tables.lake import inbox as inbox_table
from stationmaster.db.tables.limits import budget_requests, budgets
from stationmaster.db.tables.rollups import day_so_far
from stationmaster.db.tables.sessions import agent_session_models, agent_sessions
from stationmaster.db.tables.signin import sessions
from stationmaster.db.tables.wiki import wiki_runs
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId
from stationmaster.lake import rows
from stationmaster.lake.mover import Mover, landing_name
from stationmaster.lake.storage import Lake
from stationmaster.people import erased_parts, erasure
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
    delete_corrupt(stores.inbox, org, subject)
    lake = Lake.open(settings)
    for (day,) in db.rows(_DAYS, org, org):
        step(f"rewriting the events of {day}")
        erased_parts.rewrite(db, lake, days.parse(day), task)
    step("restating reports")
    # First the days that are not counted again: later ones count sessions by the ids in them.
    for closed_day in erasure.closed(db, org):
        erasure.rename(db, org, closed_day, subject)
    schedule.roll_up_due(db, settings, org)
    step("deleting messages")
    stores.outbox.delete_matching(org, subject.pattern())
    step("erasing records")
    scrub(db, org, subject)


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
        subject, reports = task.erasure_id, task.reports
        note(connection, task.org, "person_erased", "erasure", subject, reports=reports)


def _update(org: OrgId, erasure_id: str) -> Update:
    return update(erasures).filter_by(org_id=org, erasure_id=erasure_id)


PLACEHOLDER = "erased person"
OWNERS = (
    *(api_keys.c.principal_id, sessions.c.user_id, user_aliases.c.person_id),
    *(agent_sessions.c.user_id, alerts.c.person_id, budgets.c.scope_id),
    *(budget_requests.c.principal_id, budget_requests.c.subject),
    session_tickets.c.principal_id,
)
"""Columns outside of keys that name whose a row is."""


def scrub(db: Database, org: OrgId, subject: Subject) -> None:
    """Delete and rename, a table in a transaction."""
    with db.transaction() as connection:
        mine = (computers.c.org_id == org, computers.c.owner_id.in_(subject.users))
        owned = select(computers.c.computer_id).where(*mine)
        for table in (
            computer_presence,
            computer_events,
            computer_sessions,
            computer_step_logs,
            computer_metrics,
        ):
            connection.execute(
                delete(table).where(table.c.org_id == org, table.c.computer_id.in_(owned))
            )
        # What is left is needed to end the machine, which then deletes it.
        connection.execute(
            update(managed_computers)
            .where(managed_computers.c.org_id == org, managed_computers.c.computer_id.in_(owned))
            .values(account="", repos="[]")
        )
        connection.execute(delete(computers).where(*mine))
        connection.execute(delete(day_so_far).filter_by(org_id=org))
        theirs = select(agent_sessions.c.session_id).where(
            agent_sessions.c.org_id == org, agent_sessions.c.user_id.in_(subject.users)
        )
        connection.execute(
            delete(agent_session_models).where(
                agent_session_models.c.org_id == org, agent_session_models.c.session_id.in_(theirs)
            )
        )
        connection.execute(
            update(wiki_runs)
            .where(wiki_runs.c.org_id == org, wiki_runs.c.created_by.in_(subject.users))
            .values(source_session_id=None)
        )
        for column in OWNERS:
            _delete(connection, org, column, subject)
    inbox = set(inbox_metadata.tables)
    for table in metadata.sorted_tables:
        if "org_id" not in table.columns or table is erasures or table.name in inbox:
            continue
        with db.transaction() as connection:
            for column in _texts(table):
                if column.primary_key:
                    _delete(connection, org, column, subject)
                else:
                    _rename(connection, org, column, subject)


def delete_corrupt(inbox: Database, org: OrgId, subject: Subject) -> None:
    """Delete the person's requests that were set aside because they do not decode."""
    columns = inbox_table.c
    aside = (columns.org_id == org, columns.batch_id.like("corrupt:%"))
    with inbox.transaction() as connection:
        rows = connection.execute(select(columns.id, columns.tally).where(*aside)).all()
        theirs = [row_id for row_id, tally in rows if _is_of(bytes(tally), subject)]
        if theirs:
            connection.execute(delete(inbox_table).where(*aside, columns.id.in_(theirs)))


def _is_of(tally: bytes, subject: Subject) -> bool:
    try:
        return rows.decode_tally(tally).sender.user_id in subject.users
    except rows.CorruptRowError:
        # Its owner is unknown, and it cannot be counted.
        return True


def _texts(table: Table) -> Iterator[Column[str]]:
    for column in table.columns:
        if isinstance(column.type, Text) and column.name != "org_id":
            yield column


def _delete(connection: Connection, org: OrgId, column: Column[str], subject: Subject) -> None:
    table = column.table
    connection.execute(
        delete(table).where(
            table.c.org_id == org,
            or_(column.in_(subject.users), func.lower(column).in_(subject.emails)),
        )
    )


def _rename(connection: Connection, org: OrgId, column: Column[str], subject: Subject) -> None:
    table = column.table
    named = [*subject.users, *subject.emails]
    rows_with = select(*table.primary_key, column.label("value")).where(
        table.c.org_id == org,
        or_(*(func.lower(column).contains(text, autoescape=True) for text in named)),
    )
    pattern = subject.pattern()
    for *key, value in connection.execute(rows_with).all():
        new = pattern.sub(PLACEHOLDER, value)
        if new != value:
            at = zip(table.primary_key, key, strict=True)
            connection.execute(
                update(table)
                .where(table.c.org_id == org, *(part == key_value for part, key_value in at))
                .values({column.name: new})
            )
