"""On which closed days data was sent: by agent, and by person where people are shown by name."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from stationmaster.access import privacy
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

_AGENTS = """
SELECT product, day, events FROM day_quality
WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY product, day
"""
_PEOPLE = """
SELECT user_id, day, billable_tokens FROM active_users
WHERE org_id = ? AND day BETWEEN ? AND ? ORDER BY user_id, day
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
    agent: str
    days: list[AgentDay]


class PersonDays(NamedTuple):
    id: str
    days: list[PersonDay]


class SentDays(NamedTuple):
    """By agent, and by the id of a person or program; days without data are left out."""

    agents: list[AgentDays]
    people: list[PersonDays]


def read(db: Database, org: OrgId, asked: DayRange) -> SentDays:
    """The days of a range, which must be current. Without names only programs are among the
    people; where nobody is shown alone there are no figures of days, which may be one person's.
    """
    policy = privacy.of(db, org)
    if policy.is_grouped:
        return SentDays([], [])
    span = (org, *asked.texts)
    agents = [
        AgentDays(agent, [AgentDay(day, int(events)) for _, day, events in rows])
        for agent, rows in groupby(db.rows(_AGENTS, *span), key=lambda row: str(row[0]))
    ]
    people = [
        PersonDays(user, [PersonDay(day, int(used)) for _, day, used in rows])
        for user, rows in groupby(db.rows(_PEOPLE, *span), key=lambda row: str(row[0]))
        if policy.is_named or user.startswith("svc_")
    ]
    return SentDays(agents, people)
