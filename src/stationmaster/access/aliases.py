"""Which user ids are one person: by somebody's word, or because telemetry shows both together.

A word counts before what is shown. Telemetry links an id that stands for an installation or an
account, never one of an address, and only where all that it shows is one person.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, select
from sqlalchemy.dialects import postgresql, sqlite

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import user_aliases, user_evidence
from stationmaster.db.upserts import insert_new
from stationmaster.ids import OrgId

Kind = Literal["installation", "account", "session"]
"""One event with both an address and an installation or an account id; or one session."""


class Evidence(NamedTuple):
    """Telemetry that shows a user id together with a person."""

    user_id: str
    person_id: str
    person_email: str | None
    kind: Kind


class Said(NamedTuple):
    """Somebody's word on a user id; without a person it is its own."""

    person_id: str | None
    person_email: str | None


class Alias(NamedTuple):
    """Whose a user id is."""

    person_id: str
    person_email: str | None
    kind: Kind | Literal["said"]


class Directory(NamedTuple):
    """All that is known of an organization's user ids."""

    said: Mapping[str, Said]
    shown: frozenset[Evidence]

    def person_of(self, user: str) -> str:
        """Whose an id is by the words on it, and on whom they name."""
        met = {user}
        while (said := self.said.get(user)) and said.person_id and said.person_id not in met:
            user = said.person_id
            met.add(user)
        return user

    def aliases(self, among: Container[str] | None = None) -> dict[str, Alias]:
        """The person of every id that is another's; a person is nobody's alias.

        What telemetry shows is asked of the ids in `among` only, where given.
        """
        asked = (
            each
            for each in self.shown
            if each.user_id not in self.said and (among is None or each.user_id in among)
        )
        shown: dict[str, dict[str, Evidence]] = {}
        for each in sorted(asked, key=lambda each: (each.user_id, each.person_id)):
            shown.setdefault(each.user_id, {})[self.person_of(each.person_id)] = each
        emails: dict[str, str | None] = {**_emails(self.shown)}
        emails |= {
            said.person_id: said.person_email
            for said in self.said.values()
            if said.person_id is not None
        }
        found = {}
        for user in self.said:
            person = self.person_of(user)
            if person != user:
                found[user] = Alias(person, emails.get(person), "said")
        for user, people in shown.items():
            if len(people) == 1:
                [(person, by)] = people.items()
                found[user] = Alias(person, emails.get(person), by.kind)
        return found

    def ids_of(self, user: str) -> list[str]:
        """All ids of the person that an id is or belongs to, the person's own first."""
        found = self.aliases()
        person = found[user].person_id if user in found else user
        return [person, *sorted(other for other in found if found[other].person_id == person)]

    def knowing(self, evidence: frozenset[Evidence]) -> Directory:
        """The same with more evidence."""
        if evidence <= self.shown:
            return self
        known = {(each.user_id, each.person_id) for each in self.shown}
        new = {each for each in evidence if (each.user_id, each.person_id) not in known}
        return Directory(self.said, self.shown | new) if new else self


def _emails(evidence: Iterable[Evidence]) -> dict[str, str]:
    """An address of every person who is shown with one: the first one of several."""
    emails: dict[str, str] = {}
    for each in evidence:
        if each.person_email is not None:
            before = emails.get(each.person_id, each.person_email)
            emails[each.person_id] = min(before, each.person_email)
    return emails


def directory(connection: Connection, org: OrgId) -> Directory:
    """What is known now."""
    return Directory(_said(connection, org), _shown(connection, org))


def ids_of(db: Database, org: OrgId, user: str) -> list[str]:
    """All ids of the person that an id is or belongs to, the person's own first.

    Reads only evidence that concerns this person.
    """
    evidence = user_evidence.c
    with db.reading() as connection:
        said = Directory(_said(connection, org), frozenset())
        own = _shown(connection, org, evidence.user_id == user)
        people = {said.person_of(each) for each in (user, *(row.person_id for row in own))}
        near = people | {each for each in said.said if said.person_of(each) in people}
        beside = select(evidence.user_id).where(
            evidence.org_id == org, evidence.person_id.in_(sorted(near))
        )
        shown = _shown(connection, org, evidence.user_id.in_(beside))
    return Directory(said.said, shown).ids_of(user)


def _said(connection: Connection, org: OrgId) -> dict[str, Said]:
    columns = user_aliases.c
    rows = connection.execute(
        select(columns.user_id, columns.person_id, columns.person_email).where(
            columns.org_id == org
        )
    )
    return {user: Said(*rest) for user, *rest in rows}


def _shown(
    connection: Connection, org: OrgId, *conditions: ColumnElement[bool]
) -> frozenset[Evidence]:
    rows = connection.execute(
        select(*(user_evidence.c[name] for name in Evidence._fields)).where(
            user_evidence.c.org_id == org, *conditions
        )
    )
    return frozenset(Evidence(*row) for row in rows)


def say(connection: Connection, org: OrgId, user: str, said: Said) -> None:
    """Note somebody's word on a user id, in place of an earlier one."""
    values = {"org_id": org, "user_id": user, "created_at": clock.now_ms(), **said._asdict()}
    new = _insert(connection, user_aliases).values(values)
    connection.execute(new.on_conflict_do_update(index_elements=["org_id", "user_id"], set_=values))


def learn(connection: Connection, org: OrgId, evidence: Iterable[Evidence]) -> None:
    """Note what telemetry has shown; nothing that it shows later takes it back."""
    rows = [(org, *each) for each in sorted(evidence, key=lambda each: each[:2])]
    insert_new(connection, user_evidence, ("org_id", *Evidence._fields), rows)


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    is_sqlite = connection.dialect.name == "sqlite"
    return sqlite.insert(table) if is_sqlite else postgresql.insert(table)
