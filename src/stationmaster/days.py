"""UTC days: the unit of every partition, rollup and report. A day is a `date`; its text is ISO."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

MS_PER_DAY = 86_400_000
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def parse(text: object) -> date:
    """A day from exactly `YYYY-MM-DD`; ValueError for any other form and impossible dates."""
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        raise ValueError(f"not a date of the form YYYY-MM-DD: {str(text)[:40]!r}")
    return date.fromisoformat(text)


def of_ms(ts: int) -> date:
    """The UTC day in which a time in milliseconds falls."""
    return date.fromordinal(_EPOCH_ORDINAL + ts // MS_PER_DAY)


def start_ms(day: date) -> int:
    """The first millisecond of a day."""
    return (day.toordinal() - _EPOCH_ORDINAL) * MS_PER_DAY


def span(first: date, last: date) -> Iterator[date]:
    """Every day from first to last, both included; nothing when first is later."""
    for n in range((last - first).days + 1):
        yield first + timedelta(days=n)


def iso_ms(text: str) -> int | None:
    """Milliseconds of an ISO 8601 time as agents write it; None when it is not one.

    A time without an offset is taken as UTC.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return int(at.timestamp() * 1000)


def iso(ms: int, *, timespec: str = "milliseconds") -> str:
    """A time in milliseconds for programs: `2026-11-03T20:26:10.344Z`."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec=timespec)[:-6] + "Z"


def minute(ms: int) -> str:
    """A time in milliseconds for people, in UTC: `2026-11-03 20:26`."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M}"
