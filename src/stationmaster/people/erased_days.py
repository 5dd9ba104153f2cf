"""Stored days whose events are erased by policy: an anonymous id in the place of a person.

Nothing can be counted again there, so figures stay, whatever was asked for.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select, update

from stationmaster import days
from stationmaster.aggregate import documents, slices
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import active_users, day_slices, session_days, user_documents
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.people.erasure import Subject
from stationmaster.rollups import store
from stationmaster.rollups.model import Activity, Windows

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
            select(day_slices.c.body).where(
                day_slices.c.org_id == org, day_slices.c.day == day.isoformat()
            )
        ).scalar()
        if body is None:
            _rename_documents(connection, org, day, subject)
            return
        found = slices.unpack(bytes(body))
        users, emails = found.column("user_id"), found.column("email")
        gone = set(subject.users)
        is_theirs = [
            user in gone or (email or "").lower() in subject.emails
            for user, email in zip(users, emails, strict=True)
        ]
        if any(is_theirs):
            _forget_sessions(connection, org, day, found, is_theirs)
            _publish(connection, org, day, _without(found, is_theirs, subject))


def _without(found: slices.Slices, is_theirs: list[bool], subject: Subject) -> slices.Slices:
    users, emails = found.column("user_id"), found.column("email")
    named = zip(users, emails, is_theirs, strict=True)
    renamed = [(subject.anonymous, None) if gone else (user, email) for user, email, gone in named]
    found = found.with_column("user_id", [user for user, _ in renamed])
    return found.with_column("email", [email for _, email in renamed])


def _forget_sessions(
    connection: Connection, org: OrgId, day: date, found: slices.Slices, is_theirs: list[bool]
) -> None:
    """Delete the ids of sessions in which nobody else had a part: slices number the sessions of a
    day in the order of their ids."""
    mine = (session_days.c.org_id == org, session_days.c.day == day.isoformat())
    stored = sorted(connection.execute(select(session_days.c.session_id).where(*mine)).scalars())
    numbers: dict[bool, set[int]] = {True: set(), False: set()}
    for slice_number, session, *_ in slices.records(found.whole("sessions")):
        numbers[is_theirs[slice_number]].add(session)
    if max(numbers[True] | numbers[False], default=-1) + 1 != len(stored):
        return
    for number in sorted(numbers[True] - numbers[False]):
        connection.execute(
            delete(session_days).where(*mine, session_days.c.session_id == stored[number])
        )


def _publish(connection: Connection, org: OrgId, day: date, found: slices.Slices) -> None:
    today = documents.Day(day, found, Windows(0, 0))
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
        documents.render(today),
        found.pack(),
        landed=rolled,
        cost_ms=cost_ms or 0,
    )


def _rename_documents(connection: Connection, org: OrgId, day: date, subject: Subject) -> None:
    """Of a day that a version without slices has counted: the rows of users alone name anybody."""
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
