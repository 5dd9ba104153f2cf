"""Asking for a person's data to be erased, and how far that is.

The request ends every access of the person immediately; a durable job does the rest: see `erasing`.
Stored figures of days whose events are erased by policy stay, since nothing can be counted again
there: a random id replaces the person.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, NamedTuple

import msgspec
import pyarrow as pa
from sqlalchemy import Connection, delete, insert, select, update

from stationmaster import clock, days, ids
from stationmaster.access import aliases, change_rules, marks, store
from stationmaster.access.audit import note
from stationmaster.access.model import Caller, email_of, require
from stationmaster.access.signing_in import links, store as signin_store
from stationmaster.aggregate import facts, report_rows, slices
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erasures, members
from stationmaster.db.tables.coverage import senders, source_comparisons
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import (
    active_users,
    day_facts,
    day_slices,
    session_days,
    user_documents,
)
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId
from stationmaster.jobs import service as jobs
from stationmaster.lake import horizon
from stationmaster.lake.rollups import store as documents
from stationmaster.lake.rollups.coverage import SessionCoverage
from stationmaster.lake.rollups.model import Activity, Windows

_CLOSED = "SELECT day FROM lake_days WHERE org_id = ? AND day <= ? ORDER BY day"

JOB = "erase-person"
Reports = Literal["restate", "anonymise"]
"""Whether the figures of the person are taken out of the reports, or stay without a name."""


class Subject(msgspec.Struct, frozen=True):
    """Whom an erasure is about; deleted when it is done."""

    users: list[str]
    """User ids: the person's own, then those that were counted for the person."""
    emails: list[str]
    """In lower case."""
    anonymous: str
    """The user id in the place of all of them, where figures stay."""
    key: str
    """Hex digits; what replaces identifiers of sessions and calls is derived from it."""

    def pattern(self) -> re.Pattern[str]:
        """Matches an id or an address of the person within a text or JSON, and no longer one that
        contains it."""
        named = "|".join(map(re.escape, [*self.users, *self.emails]))
        # In JSON the letter of an escape, such as that of a line break, precedes the name.
        start = r"(?:(?<![\w.+-])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))"
        return re.compile(rf"{start}(?:{named})(?![\w-]|\.\w)", re.IGNORECASE)

    def digest(self, text: str) -> bytes:
        """32 bytes under the key."""
        return hmac.digest(self.key.encode(), text.encode(), "sha256")

    def pseudonym(self, identifier: str) -> str:
        """The identifier in the place of that of a session, a call or a commit: the same for the
        same one."""
        return self.digest(identifier).hex()[:32]


class Task(NamedTuple):
    """An erasure that is not finished."""

    org: ids.OrgId
    erasure_id: str
    reports: Reports
    subject: Subject


class Erasure(msgspec.Struct, frozen=True):
    """Times are UTC milliseconds. `events` counts those that were erased or made anonymous."""

    erasure_id: str
    reports: Reports
    job_id: str
    requested_at: int
    finished_at: int | None
    events: int


class PersonNames(NamedTuple):
    """A person by all that names one."""

    users: list[str]
    emails: list[str]


_COLUMNS = ", ".join(Erasure.__struct_fields__)


def request(db: Database, org: ids.OrgId, person: str, reports: Reports, *, by: Caller) -> Erasure:
    """Erase a person, a user id or an e-mail address, whether a member or only seen in telemetry.

    For owners. Raises NotFound for who is not known here, Conflict for the last owner.
    """
    require(by, "owner")
    with db.transaction() as connection:
        change_rules.lock(connection, org)
        named = resolve(connection, org, person)
        user = ids.UserId(named.users[0])
        member = store.member(connection, org, user)
        if member is not None and member.status == "active":
            change_rules.keep_an_owner(connection, org, member)
        now, erasure_id = clock.now_ms(), ids.new("erasure")
        marks.add(connection, org, named.users)
        _end_access(connection, org, user, now)
        subject = Subject(named.users, named.emails, ids.new("user"), ids.new("k"))
        job = jobs.ask_within(db, connection, org, JOB, erasure_id, by=by)
        new = Erasure(erasure_id, reports, job.job_id, now, None, 0)
        stored = msgspec.json.encode(subject).decode()
        connection.execute(
            insert(erasures).values(org_id=org, subject=stored, **msgspec.structs.asdict(new))
        )
        note(connection, by, "person_erasure_requested", "erasure", erasure_id, reports=reports)
    return new


def get(db: Database, org: ids.OrgId, erasure_id: str) -> Erasure:
    """Raises NotFound."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM erasures WHERE org_id = ? AND erasure_id = ?", org, erasure_id
    )
    if not rows:
        raise NotFound("There is no such erasure.")
    return Erasure(*rows[0])


def listed(db: Database, org: ids.OrgId) -> list[Erasure]:
    """All that were asked for, newest first."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM erasures WHERE org_id = ? ORDER BY requested_at DESC, erasure_id",
        org,
    )
    return [Erasure(*row) for row in rows]


def resolve(connection: Connection, org: ids.OrgId, person: str) -> PersonNames:
    """All user ids and addresses of a person. Raises NotFound, BadRequest for no address."""
    user = ids.user_of_email(org, email_of(person)) if "@" in person else person
    known_aliases = aliases.directory(connection, org).aliases()
    user = known_aliases[user].person_id if user in known_aliases else user
    users = [
        user,
        *sorted(other for other, alias in known_aliases.items() if alias.person_id == user),
    ]
    emails = _emails(connection, org, users)
    emails |= {
        alias.person_email.lower()
        for alias in known_aliases.values()
        if alias.person_id == user and alias.person_email is not None
    }
    if not emails and len(users) == 1 and not _is_seen(connection, org, user):
        raise NotFound("There is no such person.")
    if store.service_account(connection, org, user) is not None:
        raise NotFound("There is no such person.")
    if "@" in person:
        emails.add(email_of(person))
    return PersonNames(users, sorted(emails))


def _emails(connection: Connection, org: ids.OrgId, users: list[str]) -> set[str]:
    emails = set[str]()
    for table in (members, senders):
        rows = connection.execute(
            select(table.c.email).where(table.c.org_id == org, table.c.user_id.in_(users))
        )
        emails |= {email.lower() for (email,) in rows if email}
    return emails


def _is_seen(connection: Connection, org: ids.OrgId, user: str) -> bool:
    return any(
        connection.execute(
            select(table.c.user_id).filter_by(org_id=org, user_id=user).limit(1)
        ).first()
        for table in (active_users, senders)
    )


def _end_access(connection: Connection, org: ids.OrgId, user: ids.UserId, now: int) -> None:
    store.set_member(connection, org, user, removed_at=now)
    store.revoke_keys_of(connection, org, user, now)
    links.end_all(connection, org, user)
    signin_store.revoke_sessions_of(connection, org, user, now)
    signin_store.delete_password(connection, org, user)


def closed(db: Database, org: OrgId) -> list[date]:
    """The days whose figures are never counted again, oldest first."""
    through = horizon.closed_through(db, org)
    if through is None:
        return []
    return [days.parse(day) for (day,) in db.rows(_CLOSED, org, through.isoformat())]


def rename(db: Database, org: OrgId, day: date, subject: Subject) -> None:
    """Put the anonymous id into all that is stored of a day, in one transaction."""
    with db.transaction() as connection:
        documents.hold(connection, org)
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
            _delete_branches(connection, org, day, is_theirs)


def _without(stored: slices.Slices, is_theirs: list[bool], subject: Subject) -> slices.Slices:
    users, emails = stored.column("user_id"), stored.column("email")
    named = zip(users, emails, is_theirs, strict=True)
    renamed = [(subject.anonymous, None) if gone else (user, email) for user, email, gone in named]
    stored = stored.with_column("user_id", [user for user, _ in renamed])
    return stored.with_column("email", [email for _, email in renamed])


def _delete_branches(connection: Connection, org: OrgId, day: date, is_theirs: list[bool]) -> None:
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
    """Replace the ids of sessions in which no one else had a part, and return the table of
    sessions that fits: its numbers are the places of the ids in their order."""
    table = stored.whole("sessions")
    of_day = (session_days.c.org_id == org, session_days.c.day == day.isoformat())
    ids = sorted(connection.execute(select(session_days.c.session_id).where(*of_day)).scalars())
    numbers: dict[bool, set[int]] = {True: set(), False: set()}
    for slice_number, session, *_ in slices.records(table):
        numbers[is_theirs[slice_number]].add(session)
    if max(numbers[True] | numbers[False], default=-1) + 1 != len(ids):
        # A version that deleted ids has renamed people: which of them are left is not known.
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
    today.windows = documents.replace_active_users(connection, org, day, active)
    key = (lake_days.c.org_id == org, lake_days.c.day == day.isoformat())
    [(rolled, cost_ms)] = connection.execute(
        select(lake_days.c.rolled, lake_days.c.cost_ms).where(*key)
    )
    documents.publish(
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
                values["digest"] = documents.digest(values["body"])
            connection.execute(delete(table).where(*mine[:2], table.c.user_id == anonymous))
            connection.execute(update(table).where(*mine).values(values))
