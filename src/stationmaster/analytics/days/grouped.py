"""Rows by day and agent, repository, team or user, of all days of a range together.

They hold figures that add up to those of the plain report, and the users of each group. What has
none of them has no row; the others are sorted by their first figure in descending order, then by
key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.formats import json_columns
from stationmaster.lake.rollups.rows import GROUP_ROWS

_SOURCES: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "tokens": {"tokens": {name: (name,) for name in GROUP_ROWS["tokens"].__struct_fields__[2:]}},
    "tools": {"levels": {"tool_calls": ("calls",)}},
    "activity": {
        "people": {
            "messages": ("user_messages", "assistant_messages"),
            "user_messages": ("user_messages",),
        },
        "tokens": {"messages": ("assistant_messages",)},
    },
    "productivity": {
        "file_changes": {"files_created": ("created",), "files_edited": ("edited",)},
        "people": {"git_commits": ("git_commits",)},
        "pull_requests": {"git_prs_created": ("git_prs_created",)},
    },
}
"""Of each report the tables that are added up, and what columns of them each figure is the sum of.
Users and sessions are counted."""


def tables(report: str) -> list[str]:
    """The tables of slices that a report is made of."""
    return [*_SOURCES[report], *(["sessions"] if report == "activity" else [])]


def bodies(span: SliceSpan, report: str, column: str) -> dict[date, bytes]:
    """The rows of each day, comma-joined; a group with an empty key is not to be shown."""
    row = GROUP_ROWS[report]
    names = row.__struct_fields__[2:]
    keys = span.keys(column)
    sums = _added(_figures(span, report, keys.indices), names)
    some = pc.not_equal(sums[names[0]], 0)
    for name in names[1:]:
        some = pc.or_(some, pc.not_equal(sums[name], 0))
    is_named = pc.not_equal(keys.dictionary, "").take(sums["key"].combine_chunks())
    sums = ranked(sums.filter(pc.and_(some, is_named)), keys.dictionary, names[0])
    dates = [day.isoformat() for day in span.days]
    texts = keys.dictionary.to_pylist()
    return dict(zip(span.days, encoded(row, dates, sums, texts), strict=True))


def _added(tables: Sequence[pa.Table], figures: Sequence[str]) -> pa.Table:
    """Tables with `day`, `key` and some of the figures each, added up by day and key."""
    rows = pa.concat_tables(tables, promote_options="default")
    sums = rows.group_by(["day", "key"], use_threads=False).aggregate(
        [(name, "sum") for name in figures]
    )
    columns = {name: pc.fill_null(sums[f"{name}_sum"], 0) for name in figures}
    return pa.table({"day": sums["day"], "key": sums["key"], **columns})


def ranked(rows: pa.Table, keys: pa.Array, figure: str) -> pa.Table:
    """By day, then with a figure in descending order, then by key; `key` is a place in `keys`."""
    order = pc.cast(pc.array_sort_indices(keys), pa.int64())
    places = pc.inverse_permutation(order).take(rows["key"].combine_chunks())
    return (
        rows.append_column("place", places)
        .sort_by([("day", "ascending"), (figure, "descending"), ("place", "ascending")])
        .drop_columns("place")
    )


def encoded(
    row: type[Struct], dates: Sequence[str], rows: pa.Table, keys: Sequence[str] | None
) -> Iterator[bytes]:
    """For each date the rows of its place in the column `day`, comma-joined.

    The columns after `day` and `key` are the members of a row after its date and, where there are
    keys, its group.
    """
    counts = {at["values"]: at["counts"] for at in pc.value_counts(rows["day"]).to_pylist()}
    days, codes, *figures = rows.columns
    columns = [json_columns.coded(days, dates)]
    if keys is not None:
        columns.append(json_columns.coded(codes, keys))
    columns += map(json_columns.values, figures)
    members = zip(row.__struct_encode_fields__, columns, strict=True)
    texts = json_columns.objects(dict(members))
    return json_columns.bodies(texts, [counts.get(place, 0) for place in range(len(dates))])


def _figures(span: SliceSpan, report: str, key: pa.Array) -> list[pa.Table]:
    tables = []
    for name, figures in _SOURCES[report].items():
        columns = list(dict.fromkeys(column for used in figures.values() for column in used))
        rows = _placed(span, span.rows(name, columns), key)
        for figure, used in figures.items():
            sums = rows[used[0]]
            for other in used[1:]:
                sums = pc.add(sums, rows[other])
            rows = rows.append_column(f"={figure}", sums)
        rows = rows.select(["day", "key", *(f"={figure}" for figure in figures)])
        rows = rows.rename_columns(["day", "key", *figures])
        tables.append(_added([rows], list(figures)))
    if report == "activity":
        tables += [_users(span, key), _sessions(span, key)]
    return tables


def _placed(span: SliceSpan, rows: pa.Table, key: pa.Array) -> pa.Table:
    """The rows with the day and the key of their slice."""
    numbers = rows["slice"].combine_chunks()
    rows = rows.append_column("day", span.day.take(numbers))
    return rows.append_column("key", key.take(numbers))


def _users(span: SliceSpan, key: pa.Array) -> pa.Table:
    """Active users by day and key."""
    is_counted = span.column("is_counted")
    rows = pa.table({"day": span.day, "key": key, "user": span.keys("user_id").indices})
    rows = rows.filter(is_counted if span.chosen is None else pc.and_(is_counted, span.chosen))
    users = rows.group_by(["day", "key", "user"], use_threads=False).aggregate([])
    counts = users.group_by(["day", "key"], use_threads=False).aggregate([("user", "count")])
    return counts.rename_columns(["day", "key", "daily_active_users"])


def _sessions(span: SliceSpan, key: pa.Array) -> pa.Table:
    """Sessions by the day and key in which they began."""
    rows = span.rows("sessions", ["is_begun"])
    rows = _placed(span, rows.filter(rows["is_begun"]), key)
    counts = rows.group_by(["day", "key"], use_threads=False).aggregate([("slice", "count")])
    return counts.rename_columns(["day", "key", "sessions"])
