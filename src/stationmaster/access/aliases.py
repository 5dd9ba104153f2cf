"""Which user ids are one person: by a person's decision, or because telemetry shows both together.

A decision counts before what is shown. Telemetry links an id of an installation or an
account, never one of an address, and only where all that it shows is one person.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import user_aliases, user_evidence
from stationmaster.db.upserts import insert_new, upsert
from stationmaster.ids import OrgId

Kind = Literal["installation", "account", "session"]
"""One event with both an address and an installation or an account id; or one session."""


class Evidence(NamedTuple):
    """Telemetry that shows a user id together with a person."""

    user_id: str
    person_id: str
    person_email: str | None
    kind: Kind


class AliasStatement(NamedTuple):
    """A person's decision on a user id; without a person it is its own."""

    person_id: str | None
    person_email: str | None


class Alias(NamedTuple):
    """Whose a user id is."""

    person_id: str
    person_email: str | None
    kind: Kind | Literal["said"]


class Directory(NamedTuple):
    """The decisions and evidence on an organization's user ids."""

    decisions: Mapping[str, AliasStatement]
    shown: frozenset[Evidence]

    def person_of(self, user: str) -> str:
        """Whose an id is by the decisions on it, and on the person that they name."""
        visited = {user}
        while (
            (decision := self.decisions.get(user))
            and decision.person_id
            and decision.person_id not in visited
        ):
            user = decision.person_id
            visited.add(user)
        return user

    def aliases(self, among: Container[str] | None = None) -> dict[str, Alias]:
        """The person of every id that is another's; a person is no alias.

        What telemetry shows is read for the ids in `among` only, if set.
        """
        statements = (
            evidence
            for evidence in self.shown
            if evidence.user_id not in self.decisions
            and (among is None or evidence.user_id in among)
        )
        shown: dict[str, dict[str, Evidence]] = {}
        for evidence in sorted(
            statements, key=lambda evidence: (evidence.user_id, evidence.person_id)
        ):
            shown.setdefault(evidence.user_id, {})[self.person_of(evidence.person_id)] = evidence
        emails: dict[str, str | None] = {**_emails(self.shown)}
        emails |= {
            decision.person_id: decision.person_email
            for decision in self.decisions.values()
            if decision.person_id is not None
        }
        by_user = {}
        for user in self.decisions:
            person = self.person_of(user)
            if person != user:
                by_user[user] = Alias(person, emails.get(person), "said")
        for user, people in shown.items():
            if len(people) == 1:
                [(person, by)] = people.items()
                by_user[user] = Alias(person, emails.get(person), by.kind)
        return by_user

    def ids_of(self, user: str) -> list[str]:
        """All ids of the person that an id is or belongs to, the person's own first."""
        by_user = self.aliases()
        person = by_user[user].person_id if user in by_user else user
        return [person, *sorted(other for other in by_user if by_user[other].person_id == person)]

    def with_evidence(self, evidence: frozenset[Evidence]) -> Directory:
        """The same with more evidence."""
        if evidence <= self.shown:
            return self
        pairs = {(item.user_id, item.person_id) for item in self.shown}
        new = {item for item in evidence if (item.user_id, item.person_id) not in pairs}
        return Directory(self.decisions, self.shown | new) if new else self


def _emails(evidence: Iterable[Evidence]) -> dict[str, str]:
    """An address of every person who is shown with one: the first one of several."""
    emails: dict[str, str] = {}
    for item in evidence:
        if item.person_email is not None:
            before = emails.get(item.person_id, item.person_email)
            emails[item.person_id] = min(before, item.person_email)
    return emails


def directory(connection: Connection, org: OrgId) -> Directory:
    """What is known now."""
    return Directory(_decisions(connection, org), _shown(connection, org))


def ids_of(db: Database, org: OrgId, user: str) -> list[str]:
    """All ids of the person that an id is or belongs to, the person's own first.

    Reads only evidence that concerns this person.
    """
    evidence = user_evidence.c
    with db.reading() as connection:
        decided = Directory(_decisions(connection, org), frozenset())
        own = _shown(connection, org, evidence.user_id == user)
        people = {decided.person_of(other) for other in (user, *(row.person_id for row in own))}
        near = people | {other for other in decided.decisions if decided.person_of(other) in people}
        sharing = select(evidence.user_id).where(
            evidence.org_id == org, evidence.person_id.in_(sorted(near))
        )
        shown = _shown(connection, org, evidence.user_id.in_(sharing))
    return Directory(decided.decisions, shown).ids_of(user)


def _decisions(connection: Connection, org: OrgId) -> dict[str, AliasStatement]:
    columns = user_aliases.c
    rows = connection.execute(
        select(columns.user_id, columns.person_id, columns.person_email).where(
            columns.org_id == org
        )
    )
    return {user: AliasStatement(*rest) for user, *rest in rows}


def _shown(
    connection: Connection, org: OrgId, *conditions: ColumnElement[bool]
) -> frozenset[Evidence]:
    rows = connection.execute(
        select(*(user_evidence.c[name] for name in Evidence._fields)).where(
            user_evidence.c.org_id == org, *conditions
        )
    )
    return frozenset(Evidence(*row) for row in rows)


def decide(connection: Connection, org: OrgId, user: str, decision: AliasStatement) -> None:
    """Store a person's decision on a user id, in place of an earlier one."""
    values = {"org_id": org, "user_id": user, "created_at": clock.now_ms(), **decision._asdict()}
    upsert(connection, user_aliases, [values])


def add_evidence(connection: Connection, org: OrgId, evidence: Iterable[Evidence]) -> None:
    """Note what telemetry has shown; nothing that it shows later takes it back."""
    rows = [(org, *item) for item in sorted(evidence, key=lambda item: item[:2])]
    insert_new(connection, user_evidence, ("org_id", *Evidence._fields), rows)
