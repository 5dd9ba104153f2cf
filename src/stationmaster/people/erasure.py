"""Asking for a person's data to be erased, and how far that is.

The request ends every access of the person at once; a durable job does the rest: see `erasing`.
"""

from __future__ import annotations

import hmac
import re
from typing import Literal, NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select

from stationmaster import clock, ids
from stationmaster.access import aliases, change_rules, marks, store
from stationmaster.access.audit import Target, record
from stationmaster.access.model import Caller, email_of, require
from stationmaster.access.signing_in import links, store as signin_store
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import erasures, members
from stationmaster.db.tables.coverage import senders
from stationmaster.db.tables.rollups import active_users
from stationmaster.errors import NotFound
from stationmaster.jobs import service as jobs

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
        # In JSON the letter of an escape, such as that of a line break, stands before the name.
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
        marks.add(db, connection, org, named.users)
        _end_access(connection, org, user, now)
        subject = Subject(named.users, named.emails, ids.new("user"), ids.new("k"))
        job = jobs.ask_within(db, connection, org, JOB, erasure_id, by=by)
        new = Erasure(erasure_id, reports, job.job_id, now, None, 0)
        stored = msgspec.json.encode(subject).decode()
        connection.execute(
            insert(erasures).values(org_id=org, subject=stored, **msgspec.structs.asdict(new))
        )
        target, payload = Target("erasure", erasure_id), {"reports": reports}
        record(connection, org, "person_erasure_requested", by=by, target=target, payload=payload)
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
