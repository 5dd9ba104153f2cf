"""When a budget will be used up, and its pace beside the period before."""

from __future__ import annotations

from datetime import date

import pytest

from stationmaster import days
from stationmaster.limits.model import LAST_PERIOD, THIS_PERIOD, Period, forecast_of

NOVEMBER = Period(date(2026, 11, 1), date(2026, 11, 30))


def at(day: int, hour: int = 0) -> int:
    """A time of November 2026 in UTC milliseconds."""
    return days.start_ms(date(2026, 11, day)) + hour * 3_600_000


def test_use_goes_on_at_the_average_of_the_period_so_far() -> None:
    # 100 in 10 days, 150 left: 15 more days.
    forecast = forecast_of(100, 250, NOVEMBER, None, at(11))

    assert (forecast.exhausted_on, forecast.basis) == (date(2026, 11, 26), THIS_PERIOD)


@pytest.mark.parametrize(("amount", "last"), [(299, date(2026, 11, 30)), (300, None), (900, None)])
def test_the_last_day_of_the_period_is_the_last_that_is_named(
    amount: int, last: date | None
) -> None:
    forecast = forecast_of(100, amount, NOVEMBER, None, at(11))

    assert (forecast.exhausted_on, forecast.basis) == (last, THIS_PERIOD)


def test_in_the_first_tenth_the_period_before_says_more() -> None:
    # 300 a month are 10 a day; 90 are left on the third day at noon.
    early = forecast_of(10, 100, NOVEMBER, 300, at(3, 12))
    unknown = forecast_of(10, 100, NOVEMBER, None, at(3, 12))
    later = forecast_of(10, 100, NOVEMBER, 300, at(4))

    assert (early.exhausted_on, early.basis) == (date(2026, 11, 12), LAST_PERIOD)
    assert (unknown.exhausted_on, unknown.basis) == (None, None)
    assert later.basis == THIS_PERIOD


def test_what_is_used_up_is_so_today_and_what_nobody_uses_lasts() -> None:
    assert forecast_of(300, 250, NOVEMBER, None, at(11)).exhausted_on == date(2026, 11, 11)
    unused = forecast_of(0, 250, NOVEMBER, 0, at(11))
    assert (unused.exhausted_on, unused.basis, unused.pace) == (None, THIS_PERIOD, None)


def test_the_pace_is_beside_the_same_part_of_the_period_before() -> None:
    assert forecast_of(150, 900, NOVEMBER, 300, at(11)).pace == 1.5
    assert forecast_of(50, 900, NOVEMBER, 300, at(11)).pace == 0.5
    assert forecast_of(50, 900, NOVEMBER, None, at(11)).pace is None
    assert forecast_of(0, 900, NOVEMBER, 300, at(1)).pace is None
