"""When a budget will be used up, and how fast that goes beside the period before."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from stationmaster import days
from stationmaster.limits.model import Period

THIS_PERIOD = "the average of this period so far"
LAST_PERIOD = "the average of the period before"


class Forecast(NamedTuple):
    """`exhausted_on` is the day on which all is used at the rate of `basis`: today where all is
    used already, None where that is not within the period; `pace` is the use so far as a part of
    what the period before had used by then, None without one."""

    exhausted_on: date | None
    basis: str | None
    pace: float | None


def forecast_of(
    used: int, amount: int, period: Period, last_used: int | None, now: int
) -> Forecast:
    """When a budget will be used up at the average of the period so far; in its first tenth at that
    of the period before, because a few hours say little."""
    start, whole = days.start_ms(period.start), period.reset - days.start_ms(period.start)
    elapsed = min(max(now - start, 0), whole)
    pace = None
    if last_used and elapsed:
        pace = round(used * whole / (last_used * elapsed), 2)
    basis: str | None
    if elapsed * 10 >= whole:
        rate, basis = (used, elapsed), THIS_PERIOD
    elif last_used:
        rate, basis = (last_used, whole), LAST_PERIOD
    else:
        return Forecast(None, None, pace)
    left = max(amount - used, 0)
    if not rate[0]:
        return Forecast(None, basis, pace)
    at = now + left * rate[1] // rate[0]
    return Forecast(days.of_ms(at) if at < period.reset else None, basis, pace)
