"""What a day consists of once it is rolled up."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple, get_args

Report = Literal[
    "tokens",
    "tokens_by_model",
    "tools",
    "tools_by_tool_name",
    "activity",
    "activity_by_client",
    "productivity",
]
REPORTS: tuple[Report, ...] = get_args(Report)
"""Every day has one document of each: an object, or for the grouped ones comma-joined objects."""

WEEK_DAYS = 7
MONTH_DAYS = 30
"""Trailing windows, the day itself included."""


FACTS_FORM = 4
"""Grows when a day's facts are stored in another form; days in an older one are counted again."""
FACTS_OLDEST = 3
"""The oldest form that reports read, for days that cannot be counted again: it has no hooks."""


class Windows(NamedTuple):
    """Counted users in the 7 and in the 30 days that end with a day."""

    weekly: int
    monthly: int


class Activity(NamedTuple):
    """A user with any activity on a day."""

    is_counted: bool
    """As an active user."""
    billable_tokens: int
    products: str | None = None
    """The agents, sorted and joined with commas; None on a day of an earlier version."""
    team: str | None = None
    """Of the person, or else what telemetry reports."""


class Documents(NamedTuple):
    """The JSON bodies of one day: one per report, and one per user with any activity."""

    reports: dict[Report, bytes]
    users: dict[str, bytes]


class StoredDocument(NamedTuple):
    """The JSON body of a document of a day, its digest, and its revision."""

    day: date
    body: bytes
    digest: bytes
    revision: int
