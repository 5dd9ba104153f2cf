"""The filter bar: which days, compared with which, and whose; its whole state is the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Literal, NamedTuple, cast, get_args
from urllib.parse import urlencode

Preset = Literal["today", "7d", "30d", "90d", "month", "last-month", "dates"]
PRESETS: Mapping[Preset, str] = {
    "today": "Today (so far)",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    "90d": "Last 90 days",
    "month": "This month",
    "last-month": "Last month",
    "dates": "From – to",
}
DEFAULT: Preset = "30d"
RUNNING: tuple[Preset, ...] = ("7d", "30d", "90d", "month")
"""Ranges that go on: the running day is shown after their last one."""
DIMENSIONS = ("team", "person", "agent", "model", "repository")
"""What figures can be limited to."""
DAYS_MAX = 366
_VALUE_LENGTH_MAX = 300


class Period(NamedTuple):
    """Days of which figures are shown, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """The number of days, both ends included."""
        return (self.last - self.first).days + 1

    def dates(self) -> list[date]:
        """Every day, in order."""
        return [self.first + timedelta(days=n) for n in range(self.days)]


class Filters(NamedTuple):
    """The content of the filter bar. `fault` is what was wrong with the address, in a sentence."""

    preset: Preset
    period: Period
    is_compared: bool
    only: Mapping[str, str]
    """The chosen value of each dimension that is limited."""
    today: date
    fault: str | None = None

    @property
    def before(self) -> Period:
        """The period to compare with: as many days, directly before; for a month, the same days
        of the month before."""
        first, last = self.period
        if self.preset == "month":
            start = (first - timedelta(days=1)).replace(day=1)
            return Period(start, min(start + (last - first), first - timedelta(days=1)))
        if self.preset == "last-month":
            end = first - timedelta(days=1)
            return Period(end.replace(day=1), end)
        return Period(first - (last - first) - timedelta(days=1), first - timedelta(days=1))

    def query(self, **changes: str | None) -> str:
        """The address's query for this state with other values; "" for the plain one."""
        values: dict[str, str | None] = {}
        if self.preset == "dates":
            values |= {"from": f"{self.period.first}", "to": f"{self.period.last}"}
        elif self.preset != DEFAULT:
            values["range"] = self.preset
        if self.is_compared:
            values["compare"] = "1"
        values |= self.only
        values |= changes
        return urlencode({name: value for name, value in values.items() if value})


def parse(
    parameters: Mapping[str, str], today: date, dimensions: Sequence[str] = DIMENSIONS
) -> Filters:
    """The filters of an address's query, limited to some dimensions.

    What cannot be understood is left at its default, and `fault` states that.
    """
    preset, fault = parameters.get("range", ""), None
    first, last = parameters.get("from", ""), parameters.get("to", "")
    period = None
    if preset in ("", "dates") and (first or last):
        period, fault = _dates(first, last, today)
        preset = "dates" if period is not None else DEFAULT
    if preset not in get_args(Preset):
        if preset:
            fault = f"Unknown range “{preset[:20]}”; the page shows {PRESETS[DEFAULT].lower()}."
        preset = DEFAULT
    chosen_preset = cast(Preset, preset)
    only = {
        name: parameters[name][:_VALUE_LENGTH_MAX].strip()
        for name in dimensions
        if parameters.get(name, "").strip()
    }
    chosen = period or _preset(chosen_preset, today)
    return Filters(chosen_preset, chosen, parameters.get("compare") == "1", only, today, fault)


def _preset(preset: Preset, today: date) -> Period:
    yesterday = today - timedelta(days=1)
    if preset == "today":
        return Period(today, today)
    if preset == "dates":
        return _preset(DEFAULT, today)
    if preset == "month":
        # On the first of a month no day of it is over.
        return Period(today.replace(day=1), max(yesterday, today.replace(day=1)))
    if preset == "last-month":
        end = today.replace(day=1) - timedelta(days=1)
        return Period(end.replace(day=1), end)
    return Period(today - timedelta(days=int(preset[:-1])), yesterday)


def _dates(first: str, last: str, today: date) -> tuple[Period | None, str | None]:
    try:
        start, end = date.fromisoformat(first or last), date.fromisoformat(last or first)
    except ValueError:
        return None, "Dates are written like 2026-11-22."
    if start > end:
        return None, "The first day is after the last one."
    if start > today:
        return None, "The first day has not begun yet."
    if (end - start).days >= DAYS_MAX:
        return None, f"At most {DAYS_MAX} days are shown at a time."
    return Period(start, min(end, today)), None
