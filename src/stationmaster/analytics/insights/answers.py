"""Answering a question about facts: days folded to periods, their totals, and the period before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import cast
from zoneinfo import ZoneInfo

import msgspec

from stationmaster import days
from stationmaster.aggregate import packing
from stationmaster.aggregate.slices import unpack
from stationmaster.analytics import local_days, slices
from stationmaster.analytics.insights import folding
from stationmaster.analytics.insights.folding import Figures
from stationmaster.analytics.model import DayRange, Found, Insight, Period, Question
from stationmaster.db.engine import Database
from stationmaster.rollups import serving
from stationmaster.rollups.store import digest

_DAYS_AT_ONCE = 8
_encode = msgspec.json.encode


def find(db: Database, question: Question) -> Found:
    """The rows of a question about facts, whose slices must be current already.

    `meta` has the totals of the range, and the stored days of which there are no facts yet; with
    a comparison also the totals of as many days before.
    """
    report = cast(Insight, question.report)
    periods: dict[tuple[str, str], Figures] = {}
    total: Figures = Counter()
    for day, groups in _folded(db, question, question.range):
        first = _period(day, question.period).isoformat()
        for key, figures in groups.items():
            folding.merge(total, figures)
            if key or not question.group_by:
                folding.merge(periods.setdefault((first, key), Counter()), figures)
    if report == "spend" and question.group_by:
        # A session counts in several groups, and not every figure is known of every one.
        total = _total(db, question, question.range)
    meta: dict[str, object] = {
        "period": question.period,
        "time_zone": question.zone,
        "totals": _totals(report, total),
        "missing_days": _missing(db, question, question.range),
    }
    if question.is_compared:
        before = _before(question.range)
        meta["previous"] = {
            "start_date": before.texts[0],
            "end_date": before.texts[1],
            "totals": _totals(report, _total(db, question, before)),
            "missing_days": _missing(db, question, before),
        }
    bodies = [_encode(each) for each in _rows(question, periods)]
    digests = [*map(digest, bodies), digest(_encode(meta))]
    revision = serving.revision(db, question.org, *question.range.texts)
    return Found(question, digests, revision, bodies, [], None, meta)


def _rows(question: Question, periods: dict[tuple[str, str], Figures]) -> Iterator[msgspec.Struct]:
    """By period; groups with their first figure in descending order, then by name. A group with
    nothing in a period has no row."""
    report = cast(Insight, question.report)
    found = [
        (first, key, folding.row(report, first, key if question.group_by else None, figures))
        for (first, key), figures in periods.items()
        if not question.group_by or any(figures.values())
    ]
    place = 2 if question.group_by else 1
    found.sort(key=lambda each: (each[0], -msgspec.structs.astuple(each[2])[place], each[1]))
    return (row for _, _, row in found)


def _total(db: Database, question: Question, asked: DayRange) -> Figures:
    """The figures of all days of a range, whatever they are grouped by."""
    total: Figures = Counter()
    plain = msgspec.structs.replace(question, group_by=None)
    for _, groups in _folded(db, plain, asked):
        for figures in groups.values():
            folding.merge(total, figures)
    return total


def _totals(report: Insight, figures: Figures) -> dict[str, object]:
    row = msgspec.structs.asdict(folding.row(report, "", None, figures))
    del row["date"]
    return row


def _folded(
    db: Database, question: Question, asked: DayRange
) -> Iterator[tuple[date, dict[str, Figures]]]:
    """The figures of each stored day by group, a day of another zone than UTC in parts."""
    utc = _utc(question, asked)
    span = [*days.span(utc.first, utc.last)]
    for start in range(0, len(span), _DAYS_AT_ONCE):
        part = span[start : start + _DAYS_AT_ONCE]
        for day, sliced, facts in serving.facts(db, question.org, part[0], part[-1]):
            chosen = slices.shown(unpack(sliced), question)
            if chosen is None:
                continue
            tables = packing.unpack(facts)
            for local, hours in _hours(question, day).items():
                if asked.first <= local <= asked.last:
                    groups = folding.of_day(question, chosen, tables, hours)
                    yield local, groups if question.group_by else {"": groups.get("", Counter())}


def _utc(question: Question, asked: DayRange) -> DayRange:
    return local_days.stored(msgspec.structs.replace(question, range=asked))


def _hours(question: Question, day: date) -> Mapping[date, frozenset[int] | None]:
    """The days to which the hours of a UTC day belong; None for all hours."""
    if question.zone == local_days.UTC_NAME:
        return {day: None}
    return local_days.hours(ZoneInfo(question.zone), day)


def _missing(db: Database, question: Question, asked: DayRange) -> list[str]:
    utc = _utc(question, asked)
    return [
        str(day) for day in sorted(serving.factless_days(db, question.org, utc.first, utc.last))
    ]


def _before(asked: DayRange) -> DayRange:
    """As many days, up to the one before."""
    first = max(asked.first.toordinal() - asked.days, 1)
    return DayRange(date.fromordinal(first), date.fromordinal(max(asked.first.toordinal() - 1, 1)))


def _period(day: date, period: Period) -> date:
    """The first day of the week or month of a day."""
    if period == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if period == "week" else day
