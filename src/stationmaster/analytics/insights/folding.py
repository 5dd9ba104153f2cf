"""From a day's facts to figures by group, and from the figures of a period to its rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from stationmaster.aggregate import packing, ratios
from stationmaster.aggregate.groups import COLUMNS
from stationmaster.aggregate.slices import UNKNOWN, Slices, records
from stationmaster.analytics.insights import rows
from stationmaster.analytics.model import FACT_COLUMNS, Insight, Question
from stationmaster.credits import dollars

LONGEST = "longest_ms"
Figures = Counter[str | int]
"""By name; buckets of durations by number."""


class _Source(NamedTuple):
    """A table of facts: the figures that are added up, and the column they are added up by."""

    table: str
    figures: tuple[str, ...]
    by: str | None = None


SOURCES: Mapping[Insight, tuple[_Source, ...]] = {
    "edits": (
        _Source("edits", ("accepted", "rejected", "undecided", "lines_added", "lines_removed")),
    ),
    "tool-runs": (_Source("tools", ("calls", "failed", "refused", LONGEST), "bucket"),),
    "errors": (_Source("errors", ("errors",), "error_class"),),
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
}


def of_day(
    question: Question,
    chosen: Slices,
    facts: Mapping[str, bytes],
    hours: frozenset[int] | None = None,
) -> dict[str, Figures]:
    """The figures of a day by group, or of some of its hours; of the one group "" without a
    grouping."""
    found: dict[str, Figures] = defaultdict(Counter)
    for source in SOURCES[question.report]:  # type: ignore[index]  # no other report comes here
        table = _keyed(question, source, chosen, facts)
        if table is None:
            continue
        for key, by, *values in _sums(_within(table, hours), source):
            _add(found[key or ""], source, by, values)
        if question.report == "spend" and source.table == "calls":
            for key, sessions in _begun(table, hours):
                found[key or ""]["sessions"] += sessions
    return found


def merge(into: Figures, more: Figures) -> None:
    """Add the figures of another day."""
    longest = max(into[LONGEST], more[LONGEST])
    into.update(more)
    into[LONGEST] = longest


def _keyed(
    question: Question, source: _Source, chosen: Slices, facts: Mapping[str, bytes]
) -> pa.Table | None:
    """The rows of a table that a question is about, their group in the column `key`; None where
    the table does not know what the question is about."""
    wanted = [*source.figures, *([source.by] if source.by else []), "slice"]
    filters = {FACT_COLUMNS[name]: values for name, values in question.only_facts}
    column = FACT_COLUMNS.get(question.group_by or "")
    more = {*filters, *([column] if column else [])}
    if source.table == "calls" and question.report == "spend":
        more |= {"session", "is_begun"}
    stream = facts[source.table]
    known = set(pa.ipc.open_stream(stream).schema.names)
    if not more - {"session", "is_begun"} <= known:
        return None
    more |= {"hour"} & known
    table = packing.read(stream, [*dict.fromkeys([*wanted, *sorted(more)])])
    if chosen.chosen is not None:
        table = table.filter(chosen.chosen.take(table["slice"].combine_chunks()))
    for name, values in filters.items():
        table = table.filter(pc.is_in(_named(table[name]), value_set=pa.array(values, pa.string())))
    if question.group_by is None:
        keys = pa.nulls(table.num_rows, pa.string())
    elif column:
        keys = _named(table[column])
    else:
        dimension = COLUMNS[question.group_by]  # type: ignore[index]  # what else it may be
        names = chosen.whole("slices")[dimension].combine_chunks()
        keys = names.take(table["slice"].combine_chunks())
    return table.append_column("key", keys)


def _within(table: pa.Table, hours: frozenset[int] | None) -> pa.Table:
    """The rows of some UTC hours; of all for None."""
    if hours is None:
        return table
    return table.filter(pc.is_in(table["hour"], value_set=pa.array(sorted(hours), pa.int8())))


def _named(names: pa.ChunkedArray) -> pa.ChunkedArray:
    """UNKNOWN where there is no name; the key "" is what is not to be shown."""
    names = pc.fill_null(names, UNKNOWN)
    return pc.if_else(pc.equal(names, ""), UNKNOWN, names)


def _sums(table: pa.Table, source: _Source) -> Iterator[tuple[Any, ...]]:
    """(key, value of `by` or None, figures …)."""
    by = [source.by] if source.by else []
    wanted = [(name, "max" if name == LONGEST else "sum") for name in source.figures]
    sums = table.group_by(["key", *by], use_threads=False).aggregate(wanted)
    ordered = [sums["key"], sums[by[0]] if by else pa.nulls(sums.num_rows)]
    ordered += [sums[f"{name}_{how}"] for name, how in wanted]
    return zip(*(column.to_pylist() for column in ordered), strict=True)


def _add(mine: Figures, source: _Source, by: str | int | None, values: list[int]) -> None:
    figures = {name: int(value) for name, value in zip(source.figures, values, strict=True)}
    if source.by == "error_class":
        mine[str(by)] += figures["errors"]
        return
    longest = figures.pop(LONGEST, 0)
    mine.update(figures)
    mine[LONGEST] = max(mine[LONGEST], longest)
    if source.by == "bucket" and by is not None:
        mine[by] += figures["calls"]


def _begun(calls: pa.Table, hours: frozenset[int] | None) -> Iterator[tuple[str | None, int]]:
    """How many sessions began on the day, by key; in some hours: by their first call."""
    begun = calls.filter(calls["is_begun"])
    if hours is not None:
        first = begun.group_by(["session"], use_threads=False).aggregate([("hour", "min")])
        first = first.rename_columns(["session", "hour"])
        chosen = _within(first, hours)["session"].combine_chunks()
        begun = begun.filter(pc.is_in(begun["session"], value_set=chosen))
    pairs = begun.group_by(["key", "session"], use_threads=False).aggregate([])
    return records(pairs.group_by(["key"], use_threads=False).aggregate([("session", "count")]))


def edits(mine: Figures) -> tuple[object, ...]:
    decided = mine["accepted"] + mine["rejected"]
    rate = _share(mine["accepted"], decided)
    counts = (mine["accepted"], mine["rejected"], mine["undecided"])
    return (*counts, rate, mine["lines_added"], mine["lines_removed"])


def tool_runs(mine: Figures) -> tuple[object, ...]:
    buckets = sorted((by, calls) for by, calls in mine.items() if isinstance(by, int))
    total = sum(calls for _, calls in buckets)
    percentiles = [_percentile(buckets, total, mine[LONGEST], part) for part in (50, 90, 95)]
    calls, failed = mine["calls"], mine["failed"]
    longest = mine[LONGEST] if total else None
    return calls, failed, _share(failed, calls), mine["refused"], total, *percentiles, longest


def errors(mine: Figures) -> tuple[object, ...]:
    names = rows.ErrorsRow.__struct_fields__[2:]
    counts = [mine[name] for name in names]
    return sum(counts) - mine["aborted"], *counts


def cache(mine: Figures) -> tuple[object, ...]:
    counts = (mine["input_tokens"], mine["cache_read_tokens"], mine["cache_write_tokens"])
    kept_longer = mine["cache_write_1h_tokens"]
    return *counts, kept_longer, _share(mine["cache_read_tokens"], sum(counts))


def spend(mine: Figures) -> tuple[object, ...]:
    done = (mine["sessions"], mine["git_commits"], mine["git_prs_created"])
    credits, calls, unpriced = mine["billable_tokens"], mine["calls"], mine["unpriced_calls"]
    amount = mine["amount"] if calls > unpriced or not calls else None
    cost = None if amount is None else dollars.text(amount)
    return (
        *(credits, cost, unpriced, calls, *done),
        *(_share(credits, each) for each in done),
        *(_each(amount, each) for each in done),
    )


def _each(amount: int | None, count: int) -> str | None:
    """Dollars of one of so many, rounded half up to six decimals."""
    if amount is None or not count:
        return None
    step = dollars.PER_DOLLAR // 10**6
    return dollars.text((2 * amount + count * step) // (2 * count * step) * step)


FIGURES: Mapping[Insight, Callable[[Figures], tuple[object, ...]]] = {
    "edits": edits,
    "tool-runs": tool_runs,
    "errors": errors,
    "cache": cache,
    "spend": spend,
}
"""The members of a row after its date and group."""


def row(report: Insight, period: str, key: str | None, mine: Figures) -> Struct:
    """The row of a period, and of a group where `key` is not None."""
    if key is None:
        return rows.PLAIN[report](period, *FIGURES[report](mine))
    return rows.GROUPED[report](period, key, *FIGURES[report](mine))


def _share(part: int, whole: int) -> float | None:
    return ratios.ratio(part, whole) if whole else None


def _percentile(
    buckets: list[tuple[int, int]], total: int, longest: int, percent: int
) -> int | None:
    """The middle of the bucket in which the call of that rank is, in milliseconds."""
    if not total:
        return None
    rank = -(-total * percent // 100)
    for bucket, calls in buckets:
        rank -= calls
        if rank <= 0:
            return min(round(2 ** ((bucket - 0.5) / 4)), longest) if bucket else 0
    return longest
