"""Words of the five reports: their names, their groupings, one parsed question."""

from __future__ import annotations

from datetime import date
from typing import Literal, get_args

from msgspec import Struct

from stationmaster.ids import OrgId

Report = Literal["tokens", "tools", "activity", "productivity", "users"]
REPORTS: tuple[Report, ...] = get_args(Report)

GROUPING: dict[Report, str] = {"tokens": "model", "tools": "tool_name", "activity": "client"}
"""The one `group_by` value of each report that has any; the others ignore the parameter."""

USERS_PER_PAGE = 20
USERS_PER_PAGE_MAX = 100
CURSOR_LENGTH_MAX = 128


class DayRange(Struct, frozen=True):
    """Closed UTC days, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def texts(self) -> tuple[str, str]:
        """Both ends as ISO text."""
        return self.first.isoformat(), self.last.isoformat()


class Question(Struct, frozen=True):
    """What one request asks of one organization. `limit` and `cursor` mean `/users` only."""

    org: OrgId
    report: Report
    range: DayRange
    group_by: str | None = None
    limit: int = USERS_PER_PAGE
    cursor: str = ""
    """Users after this identifier; the empty text comes before every user."""

    @property
    def name(self) -> str:
        """The report and its grouping as one word: `tokens`, `tokens_by_model`."""
        return f"{self.report}_by_{self.group_by}" if self.group_by else self.report
