"""On which closed days data was sent: by agent, and by person where people are shown by name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from stationmaster.access import privacy
from stationmaster.access.model import is_program
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

_AGENTS = """
SELECT product, day, events FROM day_quality
WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY product, day
"""
_ACTIVE = """
SELECT DISTINCT user_id FROM active_users WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY user_id
"""
_PERSON = """
SELECT day, billable_tokens FROM active_users
WHERE org_id = ? AND day BETWEEN ? AND ? AND user_id = ? ORDER BY day
"""


class AgentDay(NamedTuple):
    """Model calls, tool calls and messages of an agent on a day, as they arrived."""

    day: str
    events: int


class PersonDay(NamedTuple):
    """A day on which a person or a program was active, and their credits."""

    day: str
    credits: int


class AgentDays(NamedTuple):
    """The days on which an agent's data arrived, in order."""

    agent: str
    days: list[AgentDay]


class PersonDays(NamedTuple):
    """The days on which a person or a program was active, in order."""

    id: str
    days: list[PersonDay]


def agents(db: Database, org: OrgId, days: DayRange) -> list[AgentDays]:
    """The days of a range, which must be current, by agent; days without data are left out.

    Where no person is shown alone there are none: figures of days may be one person's.
    """
    if privacy.of(db, org).is_grouped:
        return []
    rows = db.rows(_AGENTS, org, *days.texts)
    return [
        AgentDays(agent, [AgentDay(day, int(events)) for _, day, events in mine])
        for agent, mine in groupby(rows, key=lambda row: str(row[0]))
    ]


def active(db: Database, org: OrgId, days: DayRange) -> list[str]:
    """The ids of those who were active in a range and may be shown alone, in order: without names
    only programs, and none where no person is shown alone."""
    policy = privacy.of(db, org)
    if policy.is_grouped:
        return []
    users = [str(user) for (user,) in db.rows(_ACTIVE, org, *days.texts)]
    return [user for user in users if policy.is_named or is_program(user)]


def people(db: Database, org: OrgId, days: DayRange, users: Sequence[str]) -> list[PersonDays]:
    """The days of some of those whom `active` lists."""
    return [
        PersonDays(
            user,
            [PersonDay(day, int(used)) for day, used in db.rows(_PERSON, org, *days.texts, user)],
        )
        for user in users
    ]
