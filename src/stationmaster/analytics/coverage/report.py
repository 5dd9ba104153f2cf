"""Who and what sends data, since when, who stopped and who never did; what was dropped and why;
what events lack; where sources disagree.

What happened on days is of closed ones, as everywhere; who sends, of this moment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from typing import Literal, NamedTuple

from stationmaster import clock, days
from stationmaster.access import reads as access
from stationmaster.access.aliases import directory
from stationmaster.access.model import PrincipalKind, Scope
from stationmaster.analytics import person_ids
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import coverage as stored
from stationmaster.lake.senders import OTHERS, UNNAMED
from stationmaster.lake.status import dropped

QUIET_DAYS = 4
"""Whole days without data after which a sender is quiet: a long weekend is not yet one."""
STOPPED_DAYS = 14
"""Whole days after which it has stopped."""
LISTED_MAX = 100
"""Agents, versions and keys that are listed at most, and senders of a person."""
DROPS_MAX = 500
"""Days with drops that are listed at most, by agent and reason."""

State = Literal["active", "quiet", "stopped", "never"]
STATES: tuple[State, ...] = ("active", "quiet", "stopped", "never")

_SPANS = """
SELECT user_id, MIN(first_at), MAX(last_at), SUM(events), MAX(email) FROM senders
WHERE org_id = ? AND events > 0 GROUP BY user_id
"""
_SENDERS = """
SELECT machine, product, source, version, first_at, last_at, events, unknown, refused FROM senders
WHERE org_id = ? AND user_id = ? ORDER BY last_at DESC, machine, product, source LIMIT ?
"""
_MACHINE = f"CASE WHEN machine NOT IN ('{OTHERS}', '{UNNAMED}') THEN machine END"
# An agent's export names its installation, our client its machine: on one laptop these are two
# names. So of each person only the larger number of either kind counts, and of all people no more
# than there are names.
_AGENTS = f"""
SELECT product, SUM(CASE WHEN exporting > reporting THEN exporting ELSE reporting END),
       (SELECT COUNT(DISTINCT {_MACHINE}) FROM senders AS every
        WHERE every.org_id = ? AND every.product = people.product AND every.events > 0),
       MIN(first_at), MAX(last_at), SUM(events)
FROM (
  SELECT product, user_id, MIN(first_at) AS first_at, MAX(last_at) AS last_at,
         SUM(events) AS events,
         COUNT(DISTINCT CASE WHEN source LIKE 'otlp%' THEN {_MACHINE} END) AS exporting,
         COUNT(DISTINCT CASE WHEN source NOT LIKE 'otlp%' THEN {_MACHINE} END) AS reporting
  FROM senders WHERE org_id = ? AND events > 0 GROUP BY product, user_id
) AS people
GROUP BY product ORDER BY 6 DESC, product LIMIT ?
"""
_USERS = "SELECT DISTINCT product, user_id FROM senders WHERE org_id = ? AND events > 0"
_USERS_OF_UNKNOWN = """
SELECT product, version, COUNT(DISTINCT user_id) FROM senders
WHERE org_id = ? AND unknown > 0 AND user_id NOT LIKE 'svc!_%' ESCAPE '!' GROUP BY product, version
"""
_UNKNOWN = """
SELECT product, version, MIN(version_at), SUM(unknown), SUM(unknown_before) FROM senders
WHERE org_id = ? AND unknown > 0 GROUP BY product, version ORDER BY 4 DESC, product, version LIMIT ?
"""


class Sender(NamedTuple):
    """An agent on a machine, and one source; times are of its events, in Unix milliseconds.

    `unknown` records are of this version, of a name that we do not know; `refused` ones cannot be
    true.
    """

    machine: str
    agent: str
    source: str
    version: str
    since: int
    last_seen: int
    events: int
    unknown: int
    refused: int


class PersonCoverage(NamedTuple):
    """A member, a service account, or a user that only telemetry names, and what they send with.

    Nulls: who never sent has no times. `users` are the ids under which senders are stored, the
    person's own and aliases; `id` is the one that is shown.
    """

    id: str
    kind: Literal["member", "service", "observed"]
    email: str | None
    name: str | None
    state: State
    since: int | None
    last_seen: int | None
    days_silent: int | None
    events: int
    users: Sequence[str]
    senders: Sequence[Sender] = ()


class AgentSeen(NamedTuple):
    """An agent that is expected (the setting `expected_agents`), or that sends.

    `people` are those who send its data, without programs.
    """

    agent: str
    is_expected: bool
    state: State
    people: int
    machines: int
    since: int | None
    last_seen: int | None
    events: int


class UnknownRecords(NamedTuple):
    """Records of a version of an agent that have names we do not know.

    `isNew` if the previous version sent none.
    """

    agent: str
    version: str
    since: int
    records: int
    is_new: bool


class SilentKey(NamedTuple):
    """A valid key that was never used."""

    key_id: str
    name: str
    principal_kind: PrincipalKind
    principal_id: str
    scope: Scope
    created_at: int


class DroppedRecords(NamedTuple):
    """Records of a day of receipt that became no event, or one whose time was not accepted."""

    day: str
    agent: str
    reason: str
    records: int


class Coverage(NamedTuple):
    """Everything but the people. `range` is of the days behind the last three; `people_by_state` is
    None where it would describe too few people.
    """

    range: DayRange
    people_by_state: dict[State, int] | None
    agents: list[AgentSeen]
    unknown: list[UnknownRecords]
    silent_keys: list[SilentKey]
    drops: list[DroppedRecords]
    quality: list[stored.Quality]
    comparisons: list[stored.Comparison]


def closed_days(number: int) -> DayRange:
    """The last closed days."""
    last = clock.today() - timedelta(days=1)
    return DayRange(last - timedelta(days=number - 1), last)


def read(
    db: Database,
    org: OrgId,
    days: DayRange,
    people: Collection[PersonCoverage],
    expected: frozenset[str],
) -> Coverage:
    """The coverage of an organization; `people` are all of it, as `everyone` finds them."""
    first, last = days.first, days.last
    return Coverage(
        days,
        {state: sum(person.state == state for person in people) for state in STATES},
        _agents(db, org, people, expected),
        _unknown(db, org),
        _silent_keys(db, org),
        _drops(db, org, first, clock.today()),
        stored.quality(db, org, first, last),
        stored.comparisons(db, org, first, last),
    )


def everyone(db: Database, org: OrgId) -> list[PersonCoverage]:
    """Members, service accounts and users that telemetry names, by id, without their senders."""
    spans = _spans(db, org)
    people = []
    for member in access.list_members(db, org):
        span = spans.pop(member.user_id, _NOTHING)
        people.append(_person(member.user_id, "member", member.email, None, span))
    for account in access.list_service_accounts(db, org):
        span = spans.pop(account.service_account_id, _NOTHING)
        people.append(_person(account.service_account_id, "service", None, account.name, span))
    people += [_person(user, "observed", span.email, None, span) for user, span in spans.items()]
    return sorted(people, key=lambda person: person.id)


def of_one(db: Database, org: OrgId, user: str) -> PersonCoverage | None:
    """A person or program with its senders: what is sent under any id of the person that a user id
    is or belongs to. None for an unknown id."""
    people = {person.id: person for person in everyone(db, org)}
    whole = people.get(person_ids.of(db, org, user)[0])
    mine = people.get(user, whole)
    if mine is None:
        return None
    whole = whole or mine
    # One who was merged into another keeps the id and the address that they sign in with.
    own = whole._replace(id=mine.id, kind=mine.kind, email=mine.email, name=mine.name)
    return own._replace(senders=_senders(db, org, whole))


def with_senders(
    db: Database, org: OrgId, people: Sequence[PersonCoverage]
) -> list[PersonCoverage]:
    """The same people with what they send with, what was last seen first."""
    return [person._replace(senders=_senders(db, org, person)) for person in people]


def _senders(db: Database, org: OrgId, person: PersonCoverage) -> list[Sender]:
    senders = [
        Sender(*row) for user in person.users for row in db.rows(_SENDERS, org, user, LISTED_MAX)
    ]
    return sorted(senders, key=lambda sender: sender.last_seen, reverse=True)[:LISTED_MAX]


class _Span(NamedTuple):
    """What was seen of a person under all user ids that are theirs."""

    since: int
    last_seen: int
    events: int
    email: str | None
    users: tuple[str, ...]

    def __or__(self, other: _Span) -> _Span:
        return _Span(
            min(self.since, other.since),
            max(self.last_seen, other.last_seen),
            self.events + other.events,
            self.email or other.email,
            (*self.users, *other.users),
        )


_NOTHING = _Span(0, 0, 0, None, ())


def _spans(db: Database, org: OrgId) -> dict[str, _Span]:
    with db.reading() as connection:
        aliases = directory(connection, org).aliases()
    spans: dict[str, _Span] = {}
    for user, since, last_seen, events, email in db.rows(_SPANS, org):
        alias = aliases.get(user)
        person = user if alias is None else alias.person_id
        email = email if alias is None else alias.person_email
        span = _Span(int(since), int(last_seen), int(events), email, (user,))
        spans[person] = spans[person] | span if person in spans else span
    return spans


def _person(
    user: str,
    kind: Literal["member", "service", "observed"],
    email: str | None,
    name: str | None,
    span: _Span,
) -> PersonCoverage:
    if not span.users:
        return PersonCoverage(user, kind, email, name, "never", None, None, None, 0, [user])
    silent = _days_since(span.last_seen)
    return PersonCoverage(
        *(user, kind, email, name, _state(silent)),
        *(span.since, span.last_seen, silent, span.events),
        sorted({user, *span.users}),
    )


def _days_since(at: int) -> int:
    """Whole days; a clock that runs ahead of ours is now."""
    return max(clock.now_ms() - at, 0) // days.MS_PER_DAY


def _state(silent: int) -> State:
    if silent >= STOPPED_DAYS:
        return "stopped"
    return "quiet" if silent >= QUIET_DAYS else "active"


def _agents(
    db: Database, org: OrgId, people: Iterable[PersonCoverage], expected: frozenset[str]
) -> list[AgentSeen]:
    owners = {user: person for person in people for user in person.users}
    users: dict[str, set[str]] = {}
    for agent, user in db.rows(_USERS, org):
        owner = owners.get(user)  # None for a person who was added a moment ago.
        if owner is not None and owner.kind != "service":
            users.setdefault(agent, set()).add(owner.id)
    agents = [
        AgentSeen(
            *(agent, agent in expected, _state(_days_since(last_seen))),
            *(len(users.get(agent, ())), min(int(machines), names), since, last_seen, int(events)),
        )
        for agent, machines, names, since, last_seen, events in db.rows(
            _AGENTS, org, org, LISTED_MAX
        )
    ]
    missing = sorted(expected - {agent_seen.agent for agent_seen in agents})
    return agents + [AgentSeen(agent, True, "never", 0, 0, None, None, 0) for agent in missing]


def _unknown(db: Database, org: OrgId) -> list[UnknownRecords]:
    return [
        UnknownRecords(agent, version, since, int(records), before is not None and before == 0)
        for agent, version, since, records, before in db.rows(_UNKNOWN, org, LISTED_MAX)
    ]


def people_of_unknown(db: Database, org: OrgId) -> dict[tuple[str, str], int]:
    """How many people send records of unknown names, by agent and version."""
    return {(agent, version): users for agent, version, users in db.rows(_USERS_OF_UNKNOWN, org)}


def _silent_keys(db: Database, org: OrgId) -> list[SilentKey]:
    now = clock.now_ms()
    return [
        SilentKey(
            key.key_id, key.name, key.principal_kind, key.principal_id, key.scope, key.created_at
        )
        for key in access.list_keys(db, org)
        if key.last_used_at is None
        and key.revoked_at is None
        and (key.expires_at is None or key.expires_at > now)
    ][:LISTED_MAX]


def _drops(db: Database, org: OrgId, first: date, last: date) -> list[DroppedRecords]:
    drops = [DroppedRecords(*row) for row in dropped(db, org, first, last, DROPS_MAX)]
    skewed = stored.skewed(db, org, first, last)[:DROPS_MAX]
    drops += [DroppedRecords(day, agent, "clock_skew", events) for day, agent, events in skewed]
    return sorted(drops, key=lambda drop: (drop.day, drop.records), reverse=True)[:DROPS_MAX]
