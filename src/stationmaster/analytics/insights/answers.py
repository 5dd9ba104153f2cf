"""Answering a question about facts: days folded to periods, their totals, and the period before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple, cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.analytics.days import grouped, local_days, slices, stored
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.formats.bodies import Bodies
from stationmaster.analytics.insights import folding
from stationmaster.analytics.insights.calendar import Calendar
from stationmaster.analytics.insights.figures import FIGURES, by_group
from stationmaster.analytics.insights.rows import row_type
from stationmaster.analytics.model import AnswerDocuments, DayRange, Insight, Question
from stationmaster.db.engine import Database
from stationmaster.lake.rollups import serving
from stationmaster.lake.rollups.store import digest

_encode = msgspec.json.encode


class _Answer(NamedTuple):
    """The rows of each period, comma-joined, with their digests, the totals, and the days whose
    facts lack a table that is needed."""

    bodies: Bodies
    digests: list[bytes]
    totals: dict[str, object]
    lacking: list[date]


def find(db: Database, question: Question) -> AnswerDocuments:
    """The rows of a question about facts, whose slices must be current already.

    `meta` has the totals of the range, and the stored days of which there are no facts yet; with
    a comparison also the totals of as many days before.
    """
    bodies, digests, totals, lacking = _answer(db, question)
    meta: dict[str, object] = {
        "period": question.period,
        "time_zone": question.zone,
        "totals": totals,
        "missing_days": _missing(db, question, lacking),
    }
    if question.is_compared:
        before = _before(question.range)
        earlier = msgspec.structs.replace(question, range=before, group_by=None)
        previous = _answer(db, earlier)
        meta["previous"] = {
            "start_date": before.texts[0],
            "end_date": before.texts[1],
            "totals": previous.totals,
            "missing_days": _missing(db, earlier, previous.lacking),
        }
    revision = serving.revision(db, question.org, *question.range.texts)
    return AnswerDocuments(
        question, [*digests, digest(_encode(meta))], revision, bodies, [], None, meta
    )


def _answer(db: Database, question: Question) -> _Answer:
    utc = local_days.stored(question)
    return stored.answer(
        db,
        question,
        (question.org, utc.first, utc.last),
        partial(_folded, db, question),
        lambda answer: answer.bodies.nbytes,
        with_facts=True,
    )


def _folded(db: Database, question: Question) -> _Answer:
    calendar = Calendar(question)
    plain = msgspec.structs.replace(question, group_by=None)
    groups: list[pa.Table] = []
    totals: list[pa.Table] = []
    lacking: list[date] = []
    for span, facts in _stored(db, question, lacking):
        groups.append(folding.sums(question, span, facts, calendar))
        if question.group_by is None:
            groups.append(_empty(calendar.touched(span)))
        elif question.report == "spend":
            # A session counts in several groups, and not every figure is known of every one.
            totals.append(folding.sums(plain, span, facts, calendar))
    bodies = [*_bodies(question, calendar, groups)]
    total = _total(question, totals or groups)
    return _Answer(Bodies(bodies), [*map(digest, bodies)], total, lacking)


def _stored(
    db: Database, question: Question, lacking: list[date]
) -> Iterator[tuple[SliceSpan, Sequence[Mapping[str, pa.Table]]]]:
    """What is shown of the slices of stored days, and the facts of each. Days whose facts lack a
    needed table are appended to `lacking` instead."""
    utc = local_days.stored(question)
    plain = msgspec.structs.replace(question, group_by=None)
    # Its totals may be made of more tables than its groups.
    columns = folding.columns(plain) | folding.columns(question)
    facts = {name: ("slice", *some) for name, some in columns.items()}
    for stored_days in slices.read(db, question, utc.first, utc.last, (), facts):
        whole = [stored_day for stored_day in stored_days if {*stored_day.facts} == {*facts}]
        lacking += {row.day for row in stored_days} - {row.day for row in whole}
        span = slices.shown(db, whole, question)
        of_day = {stored_day.day: stored_day.facts for stored_day in whole}
        if span.days:
            yield span, [of_day[day] for day in span.days]


def _empty(periods: Sequence[int]) -> pa.Table:
    """Periods with no figure yet."""
    keys = pa.array([""] * len(periods), pa.string())
    return pa.table({"day": pa.array(periods, pa.int32()), "key": keys})


def _bodies(question: Question, calendar: Calendar, tables: Sequence[pa.Table]) -> Iterator[bytes]:
    """By period; groups with their first figure in descending order, then by name. A group with
    nothing in a period has no row."""
    report = cast(Insight, question.report)
    sums = by_group(report, folding.added(report, tables))
    if question.group_by:
        sums = sums.filter(pc.and_(pc.not_equal(sums["key"], ""), folding.has_any(report, sums)))
    columns = FIGURES[report](sums)
    keys = sums["key"].combine_chunks().dictionary_encode()
    rows = pa.table({"day": sums["day"], "key": keys.indices, **columns})
    rows = grouped.ranked(rows, keys.dictionary, next(iter(columns)))
    texts = keys.dictionary.to_pylist() if question.group_by else None
    bodies = grouped.encoded(row_type(question.name), calendar.firsts, rows, texts)
    yield from filter(None, bodies)


def _total(question: Question, tables: Sequence[pa.Table]) -> dict[str, object]:
    """The figures of all periods and groups."""
    report = cast(Insight, question.report)
    rows = [folding.everything(table) for table in tables]
    sums = by_group(report, folding.added(report, [*rows, _empty([0])]))
    return {name: column[0].as_py() for name, column in FIGURES[report](sums).items()}


def _missing(db: Database, question: Question, lacking: Sequence[date]) -> list[str]:
    utc = local_days.stored(question)
    factless = serving.factless_days(db, question.org, utc.first, utc.last)
    return [str(day) for day in sorted(factless.union(lacking))]


def _before(days: DayRange) -> DayRange:
    """As many days, up to the one before."""
    first = max(days.first.toordinal() - days.days, 1)
    return DayRange(date.fromordinal(first), date.fromordinal(max(days.first.toordinal() - 1, 1)))
