"""One parsed question to a report, and what answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct

from stationmaster.access.privacy import Policy
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.model import MONTH_DAYS
from stationmaster.lake.rollups.serving import Size
from stationmaster.report_names import DIMENSIONS, INSIGHTS, Dimension, Insight, Report

if TYPE_CHECKING:
    # A question needs no Arrow.
    from stationmaster.analytics.formats.bodies import Bodies

COLUMNS: dict[str, str] = {
    "agent": "agent",
    "repository": "repository",
    "team": "team",
    "user": "user_id",
}
"""The column of slices of each dimension."""
FACT_COLUMNS: dict[str, str] = {
    "language": "language",
    "tool": "tool",
    "mcp_server": "mcp_server",
    "error": "error_class",
    "model": "model",
    "branch": "branch",
    "hour": "hour",
    "hook": "hook",
}
"""The column of facts of each `group_by` value that is no dimension."""
Period = Literal["day", "week", "month"]
PERIODS: tuple[Period, ...] = get_args(Period)

FILTER_VALUES_MAX = 100
FILTER_LENGTH_MAX = 254

USERS_PER_PAGE = 20
USERS_PER_PAGE_MAX = 100
CURSOR_LENGTH_MAX = 128


class DayRange(Struct, frozen=True):
    """Closed UTC days, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """The number of days, both ends included."""
        return (self.last - self.first).days + 1

    @property
    def window_first(self) -> date:
        """The first day whose users the trailing windows of the range count."""
        return date.fromordinal(max(self.first.toordinal() - MONTH_DAYS + 1, 1))

    @property
    def texts(self) -> tuple[str, str]:
        """Both ends as ISO text."""
        return self.first.isoformat(), self.last.isoformat()


class Question(Struct, frozen=True):
    """One request to one organization. `limit` and `cursor` mean `/users` only."""

    org: OrgId
    report: Report | Insight
    range: DayRange
    group_by: str | None = None
    limit: int = USERS_PER_PAGE
    cursor: str = ""
    """Users after this identifier; the empty text is before every user."""
    only: tuple[tuple[Dimension, tuple[str, ...]], ...] = ()
    """The values that count of each dimension; of one that is not named all do."""

    only_facts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The same of INSIGHT_FILTERS."""
    period: Period = "day"
    """What a row of a report on facts is of: a day, a week from Monday, a month."""
    is_compared: bool = False
    """Does a report on facts also have the totals of as many days before?"""

    zone: str = "UTC"
    """The time zone of the days of a report on facts."""

    policy: Policy | None = None
    """How people are shown; None until it is read: see `analytics.privacy`."""

    @property
    def is_sliced(self) -> bool:
        """Is it about slices of days, which finished documents do not answer?"""
        if self.parts or self.is_insight:
            return True
        if self.policy is None or self.policy.is_named:
            return False
        return self.policy.is_grouped or self.shows_people

    @property
    def is_insight(self) -> bool:
        """Is it about facts of days?"""
        return self.report in INSIGHTS

    @property
    def parts(self) -> set[Dimension]:
        """The dimensions by which it takes the organization apart."""
        filters = {name for name, _ in self.only}
        return {name for name in DIMENSIONS if name == self.group_by or name in filters}

    @property
    def shows_people(self) -> bool:
        """Has it rows or members for single people?"""
        return self.report == "users" or self.name == "tokens"

    @property
    def name(self) -> str:
        """The report and its grouping as one word: `tokens`, `tokens_by_model`."""
        return f"{self.report}_by_{self.group_by}" if self.group_by else self.report


class AnswerDocuments(Struct, frozen=True):
    """The documents that answer a question, in the order of its rows."""

    question: Question
    digests: Sequence[bytes]
    revision: int
    """The highest revision of any day of the range; 0 when none is stored."""
    bodies: Sequence[bytes] | Bodies | None
    """All of them; None when there are too many to be held in memory."""
    sizes: list[Size]
    """What is left to read where `bodies` is None."""
    next_cursor: str | None = None
    meta: Mapping[str, object] = {}
    """What the answer states of all its rows, apart from its range."""
