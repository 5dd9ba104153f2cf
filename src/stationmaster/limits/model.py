"""The nouns of credit limits. Every amount is a number of Standard Credits."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from msgspec import Struct

from stationmaster import days
from stationmaster.access.model import PrincipalKind

LIMIT_MIN = 1_000_000
"""Specification gaps 4: the published bound of the organization's default."""
LIMIT_MAX = 9_007_199_254_740_991
"""The largest integer that every JSON client keeps exactly."""
ENTRIES_MAX = 100


class UserLimit(Struct, frozen=True):
    """A member by e-mail address, and a limit; None where there is none, or shall be none."""

    email: str
    limit: int | None


class Refusal(Struct, frozen=True):
    """Why one entry of a request was not applied."""

    email: str
    error: str


class Outcome(Struct, frozen=True):
    """What became of the entries of a request, each list in the request's order.

    `updated` tells the limit that applies now, be it the member's own or the organization's.
    """

    updated: list[UserLimit]
    errors: list[Refusal]


class Limits(Struct, frozen=True):
    """The organization's default, and the own limits of present members, by address."""

    global_limit: int | None
    user_limits: dict[str, int]


class Period(NamedTuple):
    """A month of credits in UTC days, both included."""

    start: date
    end: date

    @property
    def reset(self) -> int:
        """When the next period begins, in UTC milliseconds."""
        return days.start_ms(self.end + timedelta(days=1))


class Standing(Struct, frozen=True):
    """One principal's use of a period against the limit that applies to it.

    `limit` is its own; `email` is None for a service account, `name` for a person; `used` is None
    of people who are not shown by name.
    """

    principal_id: str
    kind: PrincipalKind
    email: str | None
    name: str | None
    limit: int | None
    effective_limit: int | None
    used: int | None

    @property
    def remaining(self) -> int | None:
        """What is left, never below 0; None where nothing limits it."""
        if self.effective_limit is None or self.used is None:
            return None
        return max(self.effective_limit - self.used, 0)

    @property
    def share(self) -> float | None:
        """Used part of the limit, above 1 beyond it; None where nothing limits it."""
        if self.effective_limit is None or self.used is None:
            return None
        return round(self.used / self.effective_limit, 4)


class Usage(Struct, frozen=True):
    """Some standings, and what the whole organization used: former members and people who are
    seen in telemetry only count in `total_used`, too."""

    global_limit: int | None
    total_used: int
    standings: list[Standing]


def period_of(day: date, reset_day: int) -> Period:
    """The period that a day falls in; periods begin on the same day (1 to 28) of every month."""
    start = day.replace(day=reset_day)
    if start > day:
        start = (start.replace(day=1) - timedelta(days=1)).replace(day=reset_day)
    following = (start + timedelta(days=31)).replace(day=reset_day)
    return Period(start, following - timedelta(days=1))
