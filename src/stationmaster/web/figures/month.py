"""The running calendar month: what its closed days came to, and what the whole will."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

from stationmaster.web.figures.period import Period

LEARNED_DAYS = 28
"""Closed days from which an open day is expected: four of each weekday."""


class Course(NamedTuple):
    """A figure of the month. `forecast` is for all its days, `before` of the same days of the
    month before; None where no day is there to go by."""

    so_far: float
    forecast: float | None
    before: float | None


def asked(today: date) -> Period:
    """The closed days from which a month's course is made: the month before and what follows."""
    start = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    return Period(min(start, today - timedelta(days=LEARNED_DAYS)), today - timedelta(days=1))


def course(values: Mapping[date, float], today: date) -> Course:
    """The course of a figure by closed day. A day without one between others counts as zero."""
    first = today.replace(day=1)
    so_far = sum(value for day, value in values.items() if first <= day < today)
    start = (first - timedelta(days=1)).replace(day=1)
    end = start + (today - first)
    same = [value for day, value in values.items() if start <= day < min(end, first)]
    return Course(so_far, _forecast(values, today, so_far), sum(same) if same else None)


def _forecast(values: Mapping[date, float], today: date, so_far: float) -> float | None:
    """What was used, and for each open day the mean of its weekday."""
    if not values:
        return None
    since = max(min(values), today - timedelta(days=LEARNED_DAYS))
    learned = [since + timedelta(days=n) for n in range((today - since).days)]
    if not learned:
        return None
    overall = sum(values.get(day, 0.0) for day in learned) / len(learned)
    days_of_month = calendar.monthrange(today.year, today.month)[1]
    expected = so_far
    for number in range(today.day, days_of_month + 1):
        weekday = today.replace(day=number).weekday()
        same = [values.get(day, 0.0) for day in learned if day.weekday() == weekday]
        expected += sum(same) / len(same) if same else overall
    return expected
