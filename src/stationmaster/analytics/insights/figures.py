"""From sums by period and group to the members of rows after the group, as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.analytics.formats import exact
from stationmaster.analytics.insights.folding import KEYS, LONGEST
from stationmaster.analytics.insights.rows import ERROR_CLASSES
from stationmaster.analytics.model import Insight

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
        "duration_max_ms": pc.if_else(pc.equal(sums["timed_calls"], 0), None, sums[LONGEST]),
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
    # Work without a model call: an agent that reports no tokens, whose cost nobody knows.
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
    whole = rows.group_by(["group", *KEYS], use_threads=False).aggregate(
        [*((name, "sum") for name in names), (LONGEST, "max")]
    )
    whole = whole.select(["group", *KEYS, *(f"{name}_sum" for name in names), f"{LONGEST}_max"])
    whole = whole.rename_columns(["group", *KEYS, *names, LONGEST]).sort_by("group")
    group, calls = (rows[name].combine_chunks() for name in ("group", "timed_calls"))
    total, longest = (whole[name].combine_chunks() for name in ("timed_calls", LONGEST))
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
