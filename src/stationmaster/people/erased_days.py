"""Stored figures of days whose events are erased by policy: a random id replaces the person.

Nothing can be counted again there, so figures stay, whichever kind of reports was requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec
import pyarrow as pa
from sqlalchemy import Connection, delete, select, update

from stationmaster import days
from stationmaster.aggregate import facts, report_rows, slices
from stationmaster.db.engine import Database
from stationmaster.db.tables.coverage import source_comparisons
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import (
    active_users,
    day_facts,
    day_slices,
    session_days,
    user_documents,
)
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.lake.rollups import store
from stationmaster.lake.rollups.coverage import SessionCoverage
from stationmaster.lake.rollups.model import Activity, Windows
from stationmaster.people.erasure import Subject

_CLOSED = "SELECT day FROM lake_days WHERE org_id = ? AND day <= ? ORDER BY day"


def closed(db: Database, org: OrgId) -> list[date]:
    """The days whose figures are never counted again, oldest first."""
    through = horizon.closed_through(db, org)
    if through is None:
        return []
    return [days.parse(day) for (day,) in db.rows(_CLOSED, org, through.isoformat())]


def rename(db: Database, org: OrgId, day: date, subject: Subject) -> None:
    """Put the anonymous id into all that is stored of a day, in one transaction."""
    with db.transaction() as connection:
        store.hold(connection, org)
        body = connection.execute(
            select(day_slices.c.body).filter_by(org_id=org, day=day.isoformat())
        ).scalar()
        if body is None:
            _rename_documents(connection, org, day, subject)
            return
        stored = slices.unpack(bytes(body))
        users, emails = stored.column("user_id"), stored.column("email")
        ids = set(subject.users)
        is_theirs = [
            user in ids or (email or "").lower() in subject.emails
            for user, email in zip(users, emails, strict=True)
        ]
        if any(is_theirs):
            sessions = _rename_sessions(connection, org, day, subject, stored, is_theirs)
            renamed = _without(stored.with_table("sessions", sessions), is_theirs, subject)
            _publish(connection, org, day, renamed)
            _forget_branches(connection, org, day, is_theirs)


def _without(stored: slices.Slices, is_theirs: list[bool], subject: Subject) -> slices.Slices:
    users, emails = stored.column("user_id"), stored.column("email")
    named = zip(users, emails, is_theirs, strict=True)
    renamed = [(subject.anonymous, None) if gone else (user, email) for user, email, gone in named]
    stored = stored.with_column("user_id", [user for user, _ in renamed])
    return stored.with_column("email", [email for _, email in renamed])


def _forget_branches(connection: Connection, org: OrgId, day: date, is_theirs: list[bool]) -> None:
    """Remove the branches of the person's slices: a branch may be named after its author."""
    of_day = (day_facts.c.org_id == org, day_facts.c.day == day.isoformat())
    body = connection.execute(select(day_facts.c.body).where(*of_day)).scalar()
    if body is not None:
        kept = facts.without_branches(bytes(body), is_theirs)
        connection.execute(update(day_facts).where(*of_day).values(body=kept))


def _rename_sessions(
    connection: Connection,
    org: OrgId,
    day: date,
    subject: Subject,
    stored: slices.Slices,
    is_theirs: list[bool],
) -> pa.Table:
    """Replace the ids of sessions in which nobody else had a part, and return the table of
    sessions that fits: its numbers are the places of the ids in their order."""
    table = stored.whole("sessions")
    of_day = (session_days.c.org_id == org, session_days.c.day == day.isoformat())
    ids = sorted(connection.execute(select(session_days.c.session_id).where(*of_day)).scalars())
    numbers: dict[bool, set[int]] = {True: set(), False: set()}
    for slice_number, session, *_ in slices.records(table):
        numbers[is_theirs[slice_number]].add(session)
    if max(numbers[True] | numbers[False], default=-1) + 1 != len(ids):
        # A version that deleted ids has renamed somebody: which are left is not known.
        _rename_compared(connection, org, day, {})
        return table
    new_ids = list(ids)
    for number in numbers[True] - numbers[False]:
        new_ids[number] = subject.pseudonym(ids[number])
        connection.execute(
            update(session_days)
            .where(*of_day, session_days.c.session_id == ids[number])
            .values(session_id=new_ids[number])
        )
    _rename_compared(connection, org, day, dict(zip(ids, new_ids, strict=True)))
    place = {session_id: number for number, session_id in enumerate(sorted(new_ids))}
    column = [place[new_ids[number]] for number in table["session"].to_pylist()]
    field = slices.SCHEMAS["sessions"].field("session")
    return table.set_column(
        table.schema.get_field_index("session"), field, pa.array(column, field.type)
    )


def _rename_compared(
    connection: Connection, org: OrgId, day: date, new_ids: Mapping[str, str]
) -> None:
    """Replace the ids of sessions that sources were compared by; those without a new id go."""
    table = source_comparisons
    of_day = (table.c.org_id == org, table.c.day == day.isoformat())
    for row in connection.execute(select(*table.primary_key, table.c.worst).where(*of_day)).all():
        sessions = msgspec.json.decode(row.worst, type=list[SessionCoverage])
        renamed = [
            session._replace(session_id=new_ids[session.session_id])
            for session in sessions
            if session.session_id in new_ids
        ]
        if renamed != sessions:
            key = zip(table.primary_key, row[:-1], strict=True)
            connection.execute(
                update(table)
                .where(*(column == value for column, value in key))
                .values(worst=msgspec.json.encode(renamed).decode())
            )


def _publish(connection: Connection, org: OrgId, day: date, renamed: slices.Slices) -> None:
    today = report_rows.Day(day, renamed, Windows(0, 0))
    active = {
        user: Activity(user in today.counted, tally.billable_tokens, *today.places[user])
        for user, tally in today.people.items()
    }
    today.windows = store.replace_active_users(connection, org, day, active)
    key = (lake_days.c.org_id == org, lake_days.c.day == day.isoformat())
    [(rolled, cost_ms)] = connection.execute(
        select(lake_days.c.rolled, lake_days.c.cost_ms).where(*key)
    )
    store.publish(
        connection,
        org,
        day,
        report_rows.render(today),
        renamed.pack(),
        None,
        landed=rolled,
        cost_ms=cost_ms or 0,
    )


def _rename_documents(connection: Connection, org: OrgId, day: date, subject: Subject) -> None:
    """The same for a day that a version without slices has counted, where only rows of users name
    people. Which sessions are the person's is not known: their ids stay."""
    _rename_compared(connection, org, day, {})
    for number, user in enumerate(subject.users):
        anonymous = subject.anonymous if number == 0 else f"{subject.anonymous}{number}"
        for table in (active_users, user_documents):
            mine = (table.c.org_id == org, table.c.day == day.isoformat(), table.c.user_id == user)
            values: dict[str, Any] = {"user_id": anonymous}
            if table is user_documents:
                body = connection.execute(select(table.c.body).where(*mine)).scalar()
                if body is None:
                    continue
                row = msgspec.json.decode(bytes(body))
                row |= {"user_id": anonymous, "user_email": None}
                values["body"] = msgspec.json.encode(row)
                values["digest"] = store.digest(values["body"])
            connection.execute(delete(table).where(*mine[:2], table.c.user_id == anonymous))
            connection.execute(update(table).where(*mine).values(values))
