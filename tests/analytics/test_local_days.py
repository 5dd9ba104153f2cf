"""Local days made of the hours of UTC days, against the calendar of each zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from stationmaster import days
from stationmaster.analytics import local_days
from stationmaster.analytics.model import DayRange

TOKYO, KOLKATA = ZoneInfo("Asia/Tokyo"), ZoneInfo("Asia/Kolkata")
SAN_FRANCISCO, SYDNEY = ZoneInfo("America/Los_Angeles"), ZoneInfo("Australia/Sydney")


def _hours(zone: ZoneInfo, local: date) -> list[datetime]:
    """The UTC hours of a local day."""
    asked = local_days.utc_days(zone, DayRange(local, local))
    return [
        datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
        for day in days.span(asked.first, asked.last)
        for hour in sorted(local_days.hours(zone, day).get(local, ()))
    ]


@pytest.mark.parametrize("zone", [TOKYO, SAN_FRANCISCO, SYDNEY, ZoneInfo("UTC")], ids=str)
def test_every_hour_of_a_year_is_on_the_day_that_the_calendar_says(zone: ZoneInfo) -> None:
    for offset in range(366 * 24):
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=offset)
        local = at.astimezone(zone)
        assert local_days.local_day(zone, at.date(), at.hour) == local.date()


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (TOKYO, date(2026, 11, 10), 24),
        (SAN_FRANCISCO, date(2026, 3, 8), 23),
        (SAN_FRANCISCO, date(2026, 11, 1), 25),
        (SYDNEY, date(2026, 10, 4), 23),
        (SYDNEY, date(2026, 4, 5), 25),
        (KOLKATA, date(2026, 11, 10), 24),
    ],
    ids=str,
)
def test_a_day_has_the_hours_between_two_midnights(zone: ZoneInfo, day: date, hours: int) -> None:
    found = _hours(zone, day)
    assert len(found) == hours
    assert found == [found[0] + timedelta(hours=n) for n in range(hours)]
    early = datetime(day.year, day.month, day.day, tzinfo=zone) - found[0]
    assert early == (timedelta(minutes=30) if zone is KOLKATA else timedelta())


def test_a_day_is_over_when_the_utc_days_of_all_its_hours_are() -> None:
    today = date(2026, 11, 21)
    assert local_days.last_closed(ZoneInfo("UTC"), today) == date(2026, 11, 20)
    # Until 9 o'clock in Tokyo it is still yesterday in UTC.
    assert local_days.last_closed(TOKYO, today) == date(2026, 11, 20)
    assert local_days.last_closed(SAN_FRANCISCO, today) == date(2026, 11, 19)
    assert local_days.last_closed(KOLKATA, today) == date(2026, 11, 20)
