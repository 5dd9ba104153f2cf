"""Whose the events of a day are: what they show of people, and the table that the queries join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

import pyarrow as pa
from sqlalchemy import Connection

from stationmaster import ids
from stationmaster.access import aliases, store
from stationmaster.access.aliases import Alias, Directory, Evidence
from stationmaster.aggregate.engines.engine import Engine
from stationmaster.aggregate.keys import Keys
from stationmaster.aggregate.queries import sql
from stationmaster.aggregate.slices import records
from stationmaster.lake.rollups.store import mark_days, mark_days_of

_SURE = ("credential", "email")
"""Sources of a user id that are a person's own word: a key bound to one, an address."""
_PSEUDONYMOUS = frozenset({"installation", "account"})
"""Sources of a user id of a machine or an account."""
_SCHEMA = pa.schema([(name, pa.string()) for name in ("user_id", "person_id", "team")])


class IdentityContext(NamedTuple):
    """What identifies the people of events: who is whose alias, and who is in which team."""

    directory: Directory
    teams: dict[str, str]
    """Of present members."""

    def with_evidence(self, identities: Iterable[Identities]) -> IdentityContext:
        """The same with what days show, of which the first counts."""
        directory = self.directory
        for of_day in identities:
            directory = directory.with_evidence(of_day.evidence)
        return IdentityContext(directory, self.teams)

    def aliases(self, identities: Identities) -> dict[str, Alias]:
        """Whose the users of a day are that are not their own."""
        return self.directory.with_evidence(identities.evidence).aliases(identities.pseudonymous)

    def addresses(self, identities: Identities) -> dict[str, str]:
        """Of the people that others of the day turn out to be."""
        named = self.aliases(identities).values()
        return {alias.person_id: alias.person_email for alias in named if alias.person_email}

    def people(self, identities: Iterable[Identities]) -> pa.Table:
        """Users that count for another person: `user_id`, the `person_id` it counts
        for, and the person's `team` or null.
        """
        rows: dict[str, tuple[str, str | None]] = {
            user: (user, team) for user, team in self.teams.items()
        }
        among = frozenset(user for of_day in identities for user in of_day.pseudonymous)
        for user, alias in self.aliases(Identities(among, frozenset())).items():
            rows[user] = alias.person_id, self.teams.get(alias.person_id)
        columns = list(zip(*((user, *rest) for user, rest in sorted(rows.items())), strict=True))
        return pa.table(columns or [(), (), ()], schema=_SCHEMA)


class Identities(NamedTuple):
    """What the events of one day show."""

    pseudonymous: frozenset[str]
    """Users known by an installation or an account alone."""
    evidence: frozenset[Evidence]


NO_IDENTITIES = Identities(frozenset(), frozenset())


def stored_identities(connection: Connection, org: ids.OrgId) -> IdentityContext:
    """What is known now."""
    return IdentityContext(aliases.directory(connection, org), store.teams(connection, org))


def read(engine: Engine, org: ids.OrgId, keys: Keys) -> dict[date, Identities]:
    """What the opened events of each day show, before anything is counted."""
    rows = keys.by_day(engine.fetch(sql("identities")))
    shared: dict[date, pa.Table] = {}
    sources = {source for row in rows.values() for source in row["user_source"].to_pylist()}
    if sources & _PSEUDONYMOUS:
        shared = keys.by_day(engine.fetch(sql("shared_sessions")))
    return {day: _of_day(org, of_day, shared.get(day)) for day, of_day in rows.items()}


def _of_day(org: ids.OrgId, rows: pa.Table, shared: pa.Table | None) -> Identities:
    pseudonymous: set[str] = set()
    evidence: dict[tuple[str, str], Evidence] = {}
    for product, user, source, installation, account, email in records(rows):
        if source in _PSEUDONYMOUS:
            pseudonymous.add(user)
        elif source in _SURE:
            if installation is not None:
                other = ids.user_of_installation(org, product, installation)
                _show(evidence, Evidence(other, user, email, "installation"))
            if account is not None:
                other = ids.user_of_account(org, product, account)
                _show(evidence, Evidence(other, user, email, "account"))
    if pseudonymous and shared is not None:
        of_sessions: dict[tuple[str, str], Evidence] = {}
        for of_session in _of_sessions(shared):
            _show(of_sessions, of_session)
        evidence = of_sessions | evidence
    return Identities(frozenset(pseudonymous), frozenset(evidence.values()))


def _show(evidence: dict[tuple[str, str], Evidence], new: Evidence) -> None:
    """Add evidence for two ids. Of several addresses the first one counts, in any order in which an
    engine gives the rows."""
    before = evidence.get(new[:2])
    addresses = [
        evidence_of.person_email
        for evidence_of in (before, new)
        if evidence_of and evidence_of.person_email
    ]
    evidence[new[:2]] = new._replace(person_email=min(addresses, default=None))


def _of_sessions(shared: pa.Table) -> list[Evidence]:
    """What sessions show that exactly one person has a part in."""
    people: dict[tuple[str, str], set[tuple[str, str | None]]] = {}
    others: dict[tuple[str, str], set[str]] = {}
    for product, session, user, source, email in records(shared):
        if source in _SURE:
            people.setdefault((product, session), set()).add((user, email))
        else:
            others.setdefault((product, session), set()).add(user)
    return [
        Evidence(user, person, email, "session")
        for session, persons in people.items()
        if len({person for person, _ in persons}) == 1
        for person, email in persons
        for user in others.get(session, ())
    ]


def add_evidence(
    connection: Connection,
    org: ids.OrgId,
    earlier: IdentityContext,
    shown: Mapping[date, Identities],
) -> None:
    """Note what days have shown, in the transaction that publishes them. `known` is what they were
    counted by, what they show included.

    Other days with activity of a person who is now known as another, or no longer is, become
    dirty; those of the days do whose count used what has changed meanwhile.
    """
    now = IdentityContext(aliases.directory(connection, org), store.teams(connection, org))
    merged = now.with_evidence(shown.values()).directory
    new = merged.shown - now.directory.shown
    if new:
        aliases.add_evidence(connection, org, new)
        among = {item.user_id for item in new}
        before, after = now.directory.aliases(among), merged.aliases(among)
        moved = {user for user in among if before.get(user) != after.get(user)}
        moved |= {before[user].person_id for user in moved if user in before}
        mark_days_of(connection, org, moved, excluded=shown)
    now = IdentityContext(merged, now.teams)
    if now == earlier:
        return
    changed = [
        day.isoformat()
        for day, identities in sorted(shown.items())
        if now.teams != earlier.teams or now.aliases(identities) != earlier.aliases(identities)
    ]
    mark_days(connection, org, changed)
