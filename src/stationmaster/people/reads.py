"""The people of an organization, by user id. Service accounts are none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

import msgspec
from msgspec import Struct

from stationmaster.access import aliases, privacy, reads
from stationmaster.access.model import MemberStatus
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId


class Alias(Struct, frozen=True):
    """Another user id of a person. `evidence` is `installation`, `account` or `session` where
    telemetry shows both together, `said` where a person has merged them.
    """

    user_id: str
    evidence: str


class Person(Struct, frozen=True):
    """A member, or a person who is only seen in telemetry (`status` None).

    `first_day` and `last_day` (ISO) and `products` are of the days that are rolled up.
    """

    user_id: str
    email: str | None
    status: MemberStatus | None
    team: str | None
    aliases: list[Alias]
    products: list[str]
    first_day: str | None
    last_day: str | None


_BATCH = 200
_MEMBERS = """
SELECT user_id FROM members WHERE org_id = ? AND user_id > ? AND removed_at IS NULL
ORDER BY user_id LIMIT ?
"""
_ACTIVE = """
SELECT DISTINCT user_id FROM active_users WHERE org_id = ? AND user_id > ? ORDER BY user_id LIMIT ?
"""
_MEMBER = """
SELECT email, team,
CASE WHEN removed_at IS NOT NULL THEN 'removed' WHEN joined_at IS NULL THEN 'invited'
ELSE 'active' END
FROM members WHERE org_id = ? AND user_id = ?
"""
_ACTIVE_AS = "SELECT 1 FROM active_users WHERE org_id = ? AND user_id = ? LIMIT 1"
_SPAN = "SELECT min(day), max(day), max(team) FROM active_users WHERE org_id = ? AND user_id = ?"
_PRODUCTS = "SELECT DISTINCT products FROM active_users WHERE org_id = ? AND user_id = ?"
_LATEST = """
SELECT body FROM user_documents WHERE org_id = ? AND user_id = ? ORDER BY day DESC LIMIT 1
"""


_ACTIVITY = """
SELECT user_id, max(team), max(day) FROM active_users
WHERE org_id = ? AND day BETWEEN ? AND ? GROUP BY user_id
"""
_AGENTS = """
SELECT DISTINCT user_id, products FROM active_users WHERE org_id = ? AND day BETWEEN ? AND ?
"""
_TEAMS = "SELECT user_id, team FROM members WHERE org_id = ? AND team IS NOT NULL"


class PersonActivity(NamedTuple):
    """A person's team, what they worked with in some days, and the last of these days (ISO)."""

    team: str | None
    agents: frozenset[str] = frozenset()
    last_day: str | None = None


class _Document(msgspec.Struct):
    """What is read of a day of a user."""

    user_email: str | None


def page(db: Database, org: OrgId, *, after: str, count: int) -> list[Person]:
    """At most `count` people with an id greater than `after`."""
    known_aliases = _aliases(db, org)
    is_named = privacy.of(db, org).is_named
    persons: list[Person] = []
    for user in _ids(db, org, after):
        if user not in known_aliases:
            persons.append(_person(db, org, user, known_aliases, is_named))
        if len(persons) == count:
            break
    return persons


def person(db: Database, org: OrgId, user: str) -> Person:
    """The person that an id is, or belongs to. Raises NotFound for an unknown one."""
    known_aliases = _aliases(db, org)
    user = known_aliases[user].person_id if user in known_aliases else user
    is_alias = any(alias.person_id == user for alias in known_aliases.values())
    is_seen = is_alias or bool(db.rows(_MEMBER, org, user) or db.rows(_ACTIVE_AS, org, user))
    if not is_seen or user in reads.service_account_ids(db, org):
        raise NotFound("There is no such person.")
    return _person(db, org, user, known_aliases, privacy.of(db, org).is_named)


def activity(db: Database, org: OrgId, first: date, last: date) -> dict[str, PersonActivity]:
    """What is stored of closed days about everyone who has a team or was active, by user id.

    It names people: only for who may see them by name.
    """
    span = (org, first.isoformat(), last.isoformat())
    teams: dict[str, str] = dict(db.rows(_TEAMS, org))
    agents: dict[str, set[str]] = {}
    for user, products in db.rows(_AGENTS, *span):
        agents.setdefault(user, set()).update(filter(None, (products or "").split(",")))
    by_user = {user: PersonActivity(team) for user, team in teams.items()}
    for user, team, day in db.rows(_ACTIVITY, *span):
        by_user[user] = PersonActivity(teams.get(user, team), frozenset(agents.get(user, ())), day)
    return by_user


def _aliases(db: Database, org: OrgId) -> dict[str, aliases.Alias]:
    with db.reading() as connection:
        return aliases.directory(connection, org).aliases()


def _ids(db: Database, org: OrgId, after: str) -> Iterator[str]:
    """Who is a member or was active, in order, each once."""
    programs = reads.service_account_ids(db, org)
    while True:
        members = [user for (user,) in db.rows(_MEMBERS, org, after, _BATCH)]
        active = [user for (user,) in db.rows(_ACTIVE, org, after, _BATCH)]
        batch = sorted({*members, *active})[:_BATCH]
        yield from (user for user in batch if user not in programs)
        if len(batch) < _BATCH:
            return
        after = batch[-1]


def _person(
    db: Database, org: OrgId, user: str, known_aliases: dict[str, aliases.Alias], is_named: bool
) -> Person:
    """A person; when and with which agents they were active only where people are shown by name."""
    [(email, team, status)] = db.rows(_MEMBER, org, user) or [(None, None, None)]
    if email is None:
        for (body,) in db.rows(_LATEST, org, user):
            email = msgspec.json.decode(bytes(body), type=_Document).user_email
    first, last, products = None, None, set()
    if is_named:
        [(first, last, seen_team)] = db.rows(_SPAN, org, user)
        team = team or seen_team
        listed = db.rows(_PRODUCTS, org, user)
        products = {product for (names,) in listed for product in (names or "").split(",")}
    return Person(
        user_id=user,
        email=email,
        status=status,
        team=team,
        aliases=[
            Alias(other, alias.kind)
            for other, alias in sorted(known_aliases.items())
            if alias.person_id == user
        ],
        products=sorted(products - {""}),
        first_day=first,
        last_day=last,
    )
