"""Answering a question about facts: days folded to periods, their totals, and the period before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial, reduce
from typing import NamedTuple, cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.analytics.days import grouped, local_days, slices, stored
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.formats import exact
from stationmaster.analytics.formats.bodies import Bodies
from stationmaster.analytics.insights import folding
from stationmaster.analytics.insights.calendar import Calendar
from stationmaster.analytics.insights.rows import ERROR_CLASSES, row_type
from stationmaster.analytics.model import AnswerDocuments, DayRange, Question
from stationmaster.db.engine import Database
from stationmaster.lake.rollups import serving
from stationmaster.lake.rollups.store import digest
from stationmaster.report_names import Insight

Columns = dict[str, pa.ChunkedArray]
PERCENTS = (50, 90, 95)
_BUCKETS = pa.array([0, *(round(2 ** ((bucket - 0.5) / 4)) for bucket in range(1, 128))])
"""The middle of each bucket of durations in milliseconds."""


def edits(sums: pa.Table) -> Columns:
    """Decisions on edits, the accepted share of those that were decided, and lines."""
    decided = pc.add(sums["accepted"], sums["rejected"])
    counts = {name: sums[name] for name in ("accepted", "rejected", "undecided")}
    rate = exact.shares(sums["accepted"], decided)
    lines = {name: sums[name] for name in ("lines_added", "lines_removed")}
    return {**counts, "acceptance_rate": rate, **lines}


def tool_runs(sums: pa.Table) -> Columns:
    """Calls, the share of those that failed, and durations in milliseconds."""
    calls, failed = sums["calls"], sums["failed"]
    return {
        "calls": calls,
        "failed": failed,
        "failure_rate": exact.shares(failed, calls),
        **{name: sums[name] for name in ("refused", "timed_calls")},
        **{f"duration_p{percent}_ms": sums[f"p{percent}"] for percent in PERCENTS},
        "duration_max_ms": pc.if_else(
            pc.equal(sums["timed_calls"], 0), None, sums[folding.LONGEST]
        ),
    }


def errors(sums: pa.Table) -> Columns:
    """Errors by class, and their sum without those that were aborted."""
    counts = {name: sums[name] for name in ERROR_CLASSES}
    kept = [column for name, column in counts.items() if name != "aborted"]
    return {"errors": reduce(pc.add, kept), **counts}


def cache(sums: pa.Table) -> Columns:
    """Input tokens by kind, and the share of them that was read from the cache."""
    read = sums["cache_read_tokens"]
    sent = pc.add(pc.add(sums["input_tokens"], read), sums["cache_write_tokens"])
    names = (
        *("input_tokens", "cache_read_tokens", "cache_write_tokens"),
        "cache_write_1h_tokens",
    )
    return {**{name: sums[name] for name in names}, "read_share": exact.shares(read, sent)}


def spend(sums: pa.Table) -> Columns:
    """Credits, US dollars as text and what was done, in all and for one of each kind of work.

    Dollars are null where no call has a price, credits for one where agents report no tokens.
    """
    credits, calls, unpriced = sums["billable_tokens"], sums["calls"], sums["unpriced_calls"]
    done = {name: sums[name] for name in ("sessions", "git_commits", "git_prs_created")}
    # Work without a model call: an agent that reports no tokens, whose cost is unknown.
    is_idle = pc.equal(pc.add(calls, reduce(pc.add, done.values())), 0)
    is_reported = pc.or_(pc.greater(calls, 0), is_idle)
    is_known = pc.or_(pc.greater(calls, unpriced), is_idle)
    amount = pc.if_else(is_known, sums["amount"], None)
    reported = pc.if_else(is_reported, credits, None)
    words = dict(zip(done, ("session", "commit", "pull_request"), strict=True))
    return {
        "billable_tokens": credits,
        "cost_usd": exact.dollars_of(amount),
        "unpriced_calls": unpriced,
        "calls": calls,
        **done,
        **{f"credits_per_{words[name]}": exact.shares(reported, done[name]) for name in done},
        **{f"cost_per_{words[name]}": exact.dollars_each(amount, done[name]) for name in done},
    }


def hook_runs(sums: pa.Table) -> Columns:
    """Runs of hooks by how they ended, and the share that succeeded of those that ended."""
    succeeded, failed = sums["succeeded"], sums["failed"]
    return {
        "runs": sums["runs"],
        "succeeded": succeeded,
        "failed": failed,
        "success_rate": exact.shares(succeeded, pc.add(succeeded, failed)),
    }


FIGURES: Mapping[Insight, Callable[[pa.Table], Columns]] = {
    "edits": edits,
    "tool-runs": tool_runs,
    "errors": errors,
    "cache": cache,
    "spend": spend,
    "hook-runs": hook_runs,
}
"""The members of a row after its date and group."""


def by_group(report: Insight, sums: pa.Table) -> pa.Table:
    """Sums by period and key alone; those of runs of tools with the percentiles of durations."""
    return _timed(sums) if report == "tool-runs" else sums


def _timed(sums: pa.Table) -> pa.Table:
    """Sums by bucket as sums without, with `timed_calls` and a duration for each of PERCENTS: the
    middle of the bucket in which the call of that rank is."""
    calls = pc.if_else(pc.is_valid(sums["bucket"]), sums["calls"], 0)
    rows = sums.append_column("timed_calls", calls).append_column("group", _groups(sums))
    rows = rows.sort_by([("group", "ascending"), ("bucket", "ascending")])
    names = ("calls", "failed", "refused", "timed_calls")
    whole = rows.group_by(["group", *folding.KEYS], use_threads=False).aggregate(
        [*((name, "sum") for name in names), (folding.LONGEST, "max")]
    )
    whole = whole.select(
        ["group", *folding.KEYS, *(f"{name}_sum" for name in names), f"{folding.LONGEST}_max"]
    )
    whole = whole.rename_columns(["group", *folding.KEYS, *names, folding.LONGEST]).sort_by("group")
    group, calls = (rows[name].combine_chunks() for name in ("group", "timed_calls"))
    total, longest = (whole[name].combine_chunks() for name in ("timed_calls", folding.LONGEST))
    before = pc.subtract(pc.cumulative_sum(total), total)
    # Calls of the group through each row, and before it.
    through = pc.subtract(pc.cumulative_sum(calls), before.take(group))
    buckets = pc.fill_null(rows["bucket"].combine_chunks(), 0)
    middle = pc.min_element_wise(_BUCKETS.take(buckets), longest.take(group))
    for percent in PERCENTS:
        rank = pc.divide(pc.add(pc.multiply(total, percent), 99), 100).take(group)
        is_it = pc.and_(pc.greater_equal(through, rank), pc.less(pc.subtract(through, calls), rank))
        place = pc.index_in(whole["group"].combine_chunks(), group.filter(is_it))
        whole = whole.append_column(f"p{percent}", middle.filter(is_it).take(place))
    return whole.drop_columns("group")


def _groups(sums: pa.Table) -> pa.Array:
    """A number for each period and key, from 0."""
    keys = sums["key"].combine_chunks().dictionary_encode()
    count = pa.scalar(len(keys.dictionary), pa.int64())
    periods = pc.cast(sums["day"].combine_chunks(), pa.int64())
    both = pc.add(pc.multiply(periods, count), keys.indices)
    return both.dictionary_encode().indices


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
