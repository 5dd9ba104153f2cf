"""Days of a time zone, made of the hours of UTC days.

Facts are stored by UTC hour, so a local day is the hours whose middle is in it. Where local
midnight is not on the hour (India, Nepal, parts of Australia) days begin up to half an hour early.
Days on which clocks change have 23 or 25 hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from stationmaster.access import privacy, time_zone
from stationmaster.access.model import PrivacyMode
from stationmaster.analytics.model import DayRange, Question
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

UTC_NAME = time_zone.UTC
_DAY = timedelta(days=1)
_HOURS = range(24)


def zone_of(db: Database, org: OrgId, mode: PrivacyMode | None = None) -> str:
    """The time zone of an organization's days, as its owners set it.

    UTC where no person is shown alone: next to the UTC days of the five reports, days of another
    zone would show the hours between, in which few people work.
    """
    is_grouped = (mode or privacy.of(db, org).mode) in privacy.GROUPED
    return UTC_NAME if is_grouped else time_zone.of(db, org)


def local_day(zone: ZoneInfo, day: date, hour: int) -> date:
    """The day of a zone to which an hour of a UTC day belongs."""
    return _middle(zone, day, hour).date()


def local_hour(zone: ZoneInfo, day: date, hour: int) -> int:
    """The hour of a day of a zone to which an hour of a UTC day belongs, by its middle."""
    return _middle(zone, day, hour).hour


def _middle(zone: ZoneInfo, day: date, hour: int) -> datetime:
    middle = datetime(day.year, day.month, day.day, hour, 30, tzinfo=UTC)
    return middle.astimezone(zone)


def hours(zone: ZoneInfo, day: date) -> dict[date, frozenset[int]]:
    """The hours of a UTC day by the local day to which they belong: one day, or two."""
    by_day: dict[date, set[int]] = {}
    for hour in _HOURS:
        by_day.setdefault(local_day(zone, day, hour), set()).add(hour)
    return {local: frozenset(mine) for local, mine in by_day.items()}


def utc_days(zone: ZoneInfo, local_range: DayRange) -> DayRange:
    """The UTC days that hold the hours of some local days."""
    days_before, days_after = _around(local_range.first), reversed([*_around(local_range.last)])
    first = next(day for day in days_before if local_range.first in hours(zone, day))
    return DayRange(first, next(day for day in days_after if local_range.last in hours(zone, day)))


def stored(question: Question) -> DayRange:
    """The UTC days of which the figures of a question are."""
    if question.zone == UTC_NAME:
        return question.range
    return utc_days(ZoneInfo(question.zone), question.range)


def closed(zone: str, local_range: DayRange, today: date) -> DayRange | None:
    """The local days of a range of which every hour is over; None without any."""
    if zone == UTC_NAME:
        return local_range
    last = min(local_range.last, last_closed(ZoneInfo(zone), today))
    return DayRange(local_range.first, last) if local_range.first <= last else None


def last_closed(zone: ZoneInfo, today: date) -> date:
    """The last local day of which every hour is in UTC days before `today`, which is open."""
    return local_day(zone, today, 0) - _DAY


def _around(local: date) -> Iterator[date]:
    return (local + offset * _DAY for offset in (-1, 0, 1))
