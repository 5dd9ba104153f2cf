"""From the facts of days to figures by period and group, added up as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.aggregate.facts import SCHEMAS
from stationmaster.aggregate.slices import UNKNOWN
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.insights.calendar import Calendar
from stationmaster.analytics.insights.rows import ERROR_CLASSES
from stationmaster.analytics.model import COLUMNS, FACT_COLUMNS, Question
from stationmaster.report_names import Insight

LONGEST = "longest_ms"
KEYS = ("day", "key")
_NUMBER = pa.int32()


class _Source(NamedTuple):
    """A table of facts, the figures that are added up, and columns that they are added up by."""

    table: str
    figures: tuple[str, ...]
    by: tuple[str, ...] = ()


_SOURCES: Mapping[Insight, tuple[_Source, ...]] = {
    "edits": (
        _Source("edits", ("accepted", "rejected", "undecided", "lines_added", "lines_removed")),
    ),
    "tool-runs": (_Source("tools", ("calls", "failed", "refused", LONGEST), ("bucket",)),),
    "errors": (_Source("errors", ("errors",), ("error_class",)),),
    "cache": (
        _Source(
            "calls",
            ("input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens"),
        ),
    ),
    "spend": (
        _Source("calls", ("calls", "billable_tokens", "amount", "unpriced_calls")),
        _Source("git", ("git_commits", "git_prs_created")),
    ),
    "hook-runs": (_Source("hooks", ("runs", "succeeded", "failed")),),
}
_FIGURES: Mapping[Insight, tuple[str, ...]] = {
    **{
        report: tuple(figure for source in sources for figure in source.figures)
        for report, sources in _SOURCES.items()
    },
    "errors": ERROR_CLASSES,
    "spend": (
        *(figure for source in _SOURCES["spend"] for figure in source.figures),
        "sessions",
    ),
}
_OF_SESSIONS = ("session", "is_begun")


def columns(question: Question) -> dict[str, tuple[str, ...]]:
    """The tables of facts that a question needs, each with the columns other than `slice`."""
    by_table = {}
    for source in _SOURCES[cast(Insight, question.report)]:
        present = {*SCHEMAS[source.table].names}
        named = _named_columns(question)
        if named <= present:
            more = {"hour"} & present
            if _has_sessions(question, source):
                more |= {*_OF_SESSIONS}
            by_table[source.table] = tuple(sorted({*source.figures, *source.by, *named, *more}))
    return by_table


def sums(
    question: Question, span: SliceSpan, facts: Sequence[Mapping[str, pa.Table]], calendar: Calendar
) -> pa.Table:
    """The figures of a report by `period`, the place of a first day in the calendar, and `key`, the
    text of a group; "" is what is not to be shown, and everything without a grouping. Runs of tools
    are by `bucket`, too.

    `facts` are the stored ones of each day of the span.
    """
    report = cast(Insight, question.report)
    tables = []
    needed = columns(question)
    for source in _SOURCES[report]:
        if source.table not in needed:
            # It does not know what the question is about.
            continue
        rows = _rows(
            question, span, [by_table[source.table] for by_table in facts], needed[source.table]
        )
        keys = _keys(question, span, rows, calendar)
        rows = rows.append_column("key", keys.indices)
        rows = rows.append_column("day", calendar.of_rows(span, rows))
        tables.append(_named(_of_source(rows, source), keys.dictionary))
        if _has_sessions(question, source):
            tables.append(_named(_sessions(span, rows, calendar), keys.dictionary))
    return added(report, tables)


def added(report: Insight, tables: Sequence[pa.Table]) -> pa.Table:
    """Tables of figures, each added up by period and key, as one; a figure that is missing is 0."""
    if len(tables) == 1 and {*_FIGURES[report]} <= {*tables[0].column_names}:
        return tables[0]
    keys = {"day": _NUMBER, "key": pa.string()}
    if report == "tool-runs":
        keys["bucket"] = pa.int8()
    empty = pa.schema(keys).empty_table()
    rows = pa.concat_tables([empty, *tables], promote_options="default")
    for name in _FIGURES[report]:
        if name not in rows.column_names:
            rows = rows.append_column(name, pa.nulls(rows.num_rows, pa.int64()))
    grouped = _grouped(rows, [*keys], _FIGURES[report])
    columns = {name: grouped[name] for name in keys}
    columns |= {name: pc.fill_null(grouped[name], 0) for name in _FIGURES[report]}
    return pa.table(columns)


def everything(sums: pa.Table) -> pa.Table:
    """The same figures as if all periods and groups were one."""
    zeros = pa.repeat(pa.scalar(0, _NUMBER), sums.num_rows)
    return sums.set_column(0, "day", zeros).set_column(1, "key", pa.repeat("", sums.num_rows))


def has_any(report: Insight, sums: pa.Table) -> pa.ChunkedArray:
    """Of each row whether any figure is not 0."""
    return reduce(pc.or_, [pc.not_equal(sums[name], 0) for name in _FIGURES[report]])


def _grouped(rows: pa.Table, keys: Sequence[str], figures: Sequence[str]) -> pa.Table:
    sums = [(name, "max" if name == LONGEST else "sum") for name in figures]
    grouped = rows.group_by([*keys], use_threads=False).aggregate(sums)
    names = {f"{name}_{how}": name for name, how in sums}
    return grouped.select([*keys, *names]).rename_columns([*keys, *figures])


def _named_columns(question: Question) -> set[str]:
    """The columns of facts that a question chooses or groups by."""
    column = FACT_COLUMNS.get(question.group_by or "")
    return {*(FACT_COLUMNS[name] for name, _ in question.only_facts), *([column] if column else [])}


def _has_sessions(question: Question, source: _Source) -> bool:
    return question.report == "spend" and source.table == "calls"


def _rows(
    question: Question, span: SliceSpan, tables: Sequence[pa.Table], columns: Sequence[str]
) -> pa.Table:
    """The rows of a table that a question is about."""
    rows = span.numbered(tables, columns)
    for name, values in question.only_facts:
        names = _without_unknown(rows[FACT_COLUMNS[name]])
        rows = rows.filter(pc.is_in(names, value_set=pa.array(values, pa.string())))
    return rows


def _keys(
    question: Question, span: SliceSpan, rows: pa.Table, calendar: Calendar
) -> pa.DictionaryArray:
    """The group of each row."""
    if question.group_by is None:
        codes = pa.repeat(pa.scalar(0, pa.int32()), rows.num_rows)
        return pa.DictionaryArray.from_arrays(codes, pa.array([""]))
    column = FACT_COLUMNS.get(question.group_by)
    if column == "hour":
        hours = calendar.hours_of_rows(span, rows).cast(pa.string())
        return pc.utf8_lpad(hours, 2, "0").dictionary_encode()
    if column:
        return _without_unknown(rows[column]).combine_chunks().dictionary_encode()
    keys = span.keys(COLUMNS[question.group_by])
    return keys.take(rows["slice"].combine_chunks())


def _without_unknown(names: pa.ChunkedArray) -> pa.ChunkedArray:
    """UNKNOWN where there is no name; the key "" is what is not to be shown."""
    names = pc.fill_null(names, UNKNOWN)
    return pc.if_else(pc.equal(names, ""), UNKNOWN, names)


def _of_source(rows: pa.Table, source: _Source) -> pa.Table:
    """Rows added up by period, key and more; of errors a column for each class instead."""
    if rows["day"].null_count:
        rows = rows.filter(pc.is_valid(rows["day"]))
    if source.table != "errors":
        return _grouped(rows, [*KEYS, *source.by], source.figures)
    for name in ERROR_CLASSES:
        is_it = pc.equal(rows["error_class"], name)
        rows = rows.append_column(name, pc.if_else(is_it, rows["errors"], 0))
    return _grouped(rows, KEYS, ERROR_CLASSES)


def _named(sums: pa.Table, keys: pa.Array) -> pa.Table:
    """Sums with the texts of their keys instead of codes."""
    return sums.set_column(1, "key", keys.take(sums["key"].combine_chunks()))


def _sessions(span: SliceSpan, calls: pa.Table, calendar: Calendar) -> pa.Table:
    """How many sessions began, by the period of their first call on the day, and key."""
    begun = calls.append_column("id", _session_ids(span, calls)).filter(calls["is_begun"])
    if not calendar.is_utc:
        first = begun.group_by(["id"], use_threads=False).aggregate([("hour", "min")])
        place = pc.index_in(begun["id"].combine_chunks(), first["id"].combine_chunks())
        hours = first["hour_min"].combine_chunks().take(place)
        periods = calendar.of_hours(span, begun["slice"].combine_chunks(), hours)
        begun = begun.drop_columns("day").append_column("day", periods)
        begun = begun.filter(pc.is_valid(periods))
    pairs = begun.group_by([*KEYS, "id"], use_threads=False).aggregate([])
    counts = pairs.group_by([*KEYS], use_threads=False).aggregate([("id", "count")])
    return counts.select([*KEYS, "id_count"]).rename_columns([*KEYS, "sessions"])


def _session_ids(span: SliceSpan, calls: pa.Table) -> pa.Array:
    """A number for each session and day; the stored ones hold for their day."""
    days = pc.cast(span.day.take(calls["slice"].combine_chunks()), pa.int64())
    numbers = pc.cast(calls["session"].combine_chunks(), pa.int64())
    return pc.add(pc.multiply(days, 2**32), numbers)
