"""The month so far and what it will come to."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from stationmaster.web.overview import asked, course

TODAY = date(2026, 11, 23)
"""A Monday; eight days of the month are open."""


def test_a_steady_use_is_expected_to_go_on() -> None:
    values = {TODAY - timedelta(days=back): 10.0 for back in range(1, 60)}

    found = course(values, TODAY)

    assert (found.so_far, found.forecast, found.before) == (220, 300, 220)


def test_an_open_day_is_expected_as_its_weekday_was() -> None:
    days = [TODAY - timedelta(days=back) for back in range(1, 29)]
    values = {day: 10.0 for day in days if day.weekday() < 5}

    found = course(values, TODAY)

    # Monday 23 to Friday 27, and Monday 30.
    assert found.forecast == found.so_far + 60


@pytest.mark.parametrize("today", [date(2026, 3, 1), date(2026, 3, 31), date(2026, 1, 15)])
def test_the_days_asked_for_hold_the_month_before_and_no_open_day(today: date) -> None:
    period = asked(today)

    assert period.first <= (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    assert period.last == today - timedelta(days=1)


def test_the_first_day_of_a_month_has_a_forecast_and_nothing_so_far() -> None:
    first = date(2026, 11, 1)
    values = {first - timedelta(days=back): 1.0 for back in range(1, 29)}

    found = course(values, first)

    assert (found.so_far, found.forecast, found.before) == (0, 30, None)


def test_nothing_is_forecast_from_nothing() -> None:
    assert course({}, TODAY).forecast is None
