"""Days and ranges of days as people type them: dates, and words such as `yesterday`, `7d` and
`last-month`. All days are UTC days.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, NamedTuple

import typer

from stationmaster import clock, days
from stationmaster.errors import BadRequest

SPANS = "today, yesterday, 7d, 30d, last-week, this-month, last-month"
_DAYS = re.compile(r"([1-9][0-9]{0,3})d")
_HOURS = re.compile(r"([1-9][0-9]{0,4})h")
_HOUR_MS = 3_600_000
_DEFAULT_DAYS = 7

From = Annotated[
    str | None,
    typer.Option("--from", help=f"First day (UTC): a date, or {SPANS}.", show_default=False),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        help="Last day (UTC), in the same formats; yesterday by default.",
        show_default=False,
    ),
]
Since = Annotated[
    str | None,
    typer.Option("--since", help=f"Leave out older sessions: a date or time, 12h, or {SPANS}."),
]


class DayRange(NamedTuple):
    """Both days are in it."""

    first: date
    last: date


def closed(first: str | None, to: str | None) -> DayRange:
    """The closed days from `--from` to `--to`; the last seven by default.

    A word that is a range of its own (`--from last-month`) ends where that range ends. Raises
    BadRequest, which names the option, for what is no day and for days that are not over.
    """
    yesterday = clock.today() - timedelta(days=1)
    since = DayRange(yesterday - timedelta(days=_DEFAULT_DAYS - 1), yesterday)
    if first is not None:
        since = _closed("--from", first)
    is_range = first is None or since.first < since.last
    until = (
        _closed("--to", to)
        if to is not None
        else since
        if is_range
        else DayRange(yesterday, yesterday)
    )
    chosen = DayRange(
        since.first if first is not None or to is None else _before(until), until.last
    )
    if chosen.first > chosen.last:
        raise BadRequest(
            f"--from {chosen.first} is after --to {chosen.last}: name the first day first",
            code="bad_range",
        )
    return chosen


def day(option: str, text: str | None) -> date | None:
    """One day that an option names, which may be in the future; None without one."""
    return None if text is None else _span(option, text).first


def closed_day(option: str, text: str | None, *, is_last: bool = False) -> date | None:
    """The first day, or the last one, of what an option names; all of it is over."""
    if text is None:
        return None
    span = _closed(option, text)
    return span.last if is_last else span.first


def since_ms(text: str | None) -> int:
    """UTC milliseconds of the beginning of what `--since` names; 0 without it."""
    if text is None:
        return 0
    if hours := _HOURS.fullmatch(text):
        return max(0, clock.now_ms() - int(hours[1]) * _HOUR_MS)
    if several := _DAYS.fullmatch(text):
        return max(0, clock.now_ms() - int(several[1]) * days.MS_PER_DAY)
    return max(0, instant_ms("--since", text))


def instant_ms(option: str, text: str) -> int:
    """UTC milliseconds of a date, a time or the first moment of a span. Raises BadRequest."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return days.start_ms(_span(option, text, " or a time such as 2026-11-01T12:00:00Z").first)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def nothing_recorded(last: str) -> str:
    """The text of an empty report that ends with a day (ISO): that it is empty, and if it ends with
    yesterday, why today is not in it, and when it will be."""
    today = clock.today()
    if last != f"{today - timedelta(days=1)}":
        return "Nothing was recorded on these days."
    left_ms = days.start_ms(today) + days.MS_PER_DAY - clock.now_ms()
    hours, minutes = divmod(max(1, left_ms // 60_000), 60)
    wait = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    return (
        f"Nothing was recorded on these days. Reports have closed UTC days, here through {last}: "
        f"today ({today}) is included from "
        f"{today + timedelta(days=1)} 00:00 UTC on, in {wait}."
    )


def _before(until: DayRange) -> date:
    """The first day of a range of which only the end is named."""
    return until.last - timedelta(days=_DEFAULT_DAYS - 1) if until.first == until.last else until[0]


def _closed(option: str, text: str) -> DayRange:
    span, today = _span(option, text), clock.today()
    if span.first >= today:
        raise BadRequest(
            f"{option} {text}: {span.first} is not over yet, and reports have closed UTC days "
            f"only; it "
            f"is included from {span.first + timedelta(days=1)} 00:00 UTC on",
            code="day_not_over",
        )
    # A month or a range of days that is not over is read as far as it is closed.
    return span if span.last < today else span._replace(last=today - timedelta(days=1))


def _span(option: str, text: str, also: str = "") -> DayRange:
    """The days that a word or a date names. Raises BadRequest."""
    today = clock.today()
    word = text.strip().lower()
    if several := _DAYS.fullmatch(word):
        return _last_days(option, int(several[1]))
    match word:
        case "today":
            return DayRange(today, today)
        case "yesterday":
            return _last_days(option, 1)
        case "this-week":
            return DayRange(today - timedelta(days=today.weekday()), today)
        case "last-week":
            monday = today - timedelta(days=today.weekday() + 7)
            return DayRange(monday, monday + timedelta(days=6))
        case "this-month":
            return DayRange(today.replace(day=1), today)
        case "last-month":
            last = today.replace(day=1) - timedelta(days=1)
            return DayRange(last.replace(day=1), last)
    try:
        named = days.parse(word)
    except ValueError as fault:
        raise BadRequest(
            f"{option} takes a date such as {today}{also}, or {SPANS}, not '{text}'",
            code="bad_day",
        ) from fault
    return DayRange(named, named)


def _last_days(option: str, number: int) -> DayRange:
    """The last closed days."""
    today = clock.today()
    try:
        return DayRange(today - timedelta(days=number), today - timedelta(days=1))
    except OverflowError as fault:
        raise BadRequest(f"{option}: {number}d is too long", code="bad_day") from fault
