from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, strategies as st

from stationmaster import days
from stationmaster.limits.model import PrincipalUse, period_of


@pytest.mark.parametrize(
    ("day", "reset_day", "start", "end"),
    [
        ("2026-11-21", 1, "2026-11-01", "2026-11-30"),
        ("2026-11-01", 1, "2026-11-01", "2026-11-30"),
        ("2026-02-28", 1, "2026-02-01", "2026-02-28"),
        ("2026-11-14", 15, "2026-10-15", "2026-11-14"),
        ("2026-11-15", 15, "2026-11-15", "2026-12-14"),
        ("2027-01-27", 28, "2026-12-28", "2027-01-27"),
        ("2024-03-01", 28, "2024-02-28", "2024-03-27"),
    ],
)
def test_a_period_lasts_from_one_reset_day_to_the_next(
    day: str, reset_day: int, start: str, end: str
) -> None:
    found = period_of(days.parse(day), reset_day)

    assert found == (days.parse(start), days.parse(end))
    assert found.reset == days.start_ms(found.end) + days.MS_PER_DAY


@given(st.dates(date(2000, 3, 1), date(2100, 1, 1)), st.integers(1, 28))
def test_periods_leave_no_day_out_and_share_none(day: date, reset_day: int) -> None:
    found = period_of(day, reset_day)

    assert found.start <= day <= found.end
    assert found.start.day == reset_day
    assert period_of(found.start, reset_day) == period_of(found.end, reset_day) == found
    assert period_of(found.end + timedelta(days=1), reset_day).start == found.end + timedelta(1)


@pytest.mark.parametrize(
    ("effective", "used", "remaining", "share"),
    [
        (None, 7, None, None),
        (1_000_000, 0, 1_000_000, 0.0),
        (3_000_000, 1_000_000, 2_000_000, 0.3333),
        (1_000_000, 1_500_000, 0, 1.5),
    ],
)
def test_what_remains_is_never_negative_and_a_share_may_pass_one(
    effective: int | None, used: int, remaining: int | None, share: float | None
) -> None:
    found = PrincipalUse("user_a", "human", "ada@example.com", None, None, effective, used)

    assert (found.remaining, found.share) == (remaining, share)


@pytest.mark.parametrize(
    ("today", "through", "counted", "forecast"),
    [
        ("2026-11-01", None, 0, None),
        ("2026-11-03", "2026-11-02", 2, None),
        ("2026-11-04", "2026-11-03", 3, 1000),
        ("2026-11-30", "2026-11-29", 29, 103),
    ],
)
def test_a_forecast_needs_three_days_that_count(
    today: str, through: str | None, counted: int, forecast: int | None
) -> None:
    period = period_of(days.parse(today), 1)
    last = period.through(days.parse(today))

    assert last == (None if through is None else days.parse(through))
    assert period.counted(last) == counted
    assert period.forecast(100, last) == forecast


@pytest.mark.parametrize(
    ("limit", "used", "forecast", "state"),
    [
        (None, 7, 70, None),
        (100, None, None, None),
        (100, 100, 100, "over"),
        (100, 80, 100, "near"),
        (100, 79, 101, "expected"),
        (100, 79, 100, "within"),
        (100, 79, None, "within"),
    ],
)
def test_the_state_says_who_is_near_or_over_a_limit(
    limit: int | None, used: int | None, forecast: int | None, state: str | None
) -> None:
    found = PrincipalUse("user_a", "human", None, None, None, limit, used, forecast)

    assert found.state == state
