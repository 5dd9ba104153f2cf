"""The rows of costs: what they hold, and how they are made of sums by day, group and model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import UNSET, Struct, UnsetType

from stationmaster.aggregate.slices import LOWER_BOUNDS
from stationmaster.analytics.days.breakdowns import NOT_SHOWN
from stationmaster.analytics.formats import exact, json_columns
from stationmaster.analytics.spending import cost_sums
from stationmaster.analytics.spending.bills import REASONS, Bill, of_row
from stationmaster.analytics.spending.cost_sums import MISSING, TOKENS
from stationmaster.lake.rollups.rows import Tier


class CostTotals(Struct, frozen=True, gc=False):
    """`cost_usd` is the sum of calls with a price, null if there are none; `is_complete`: all have
    one, `unpriced_calls` is the number of others. `is_minimum`: the cost may be higher, and
    `minimum_reasons` why. `agent_cost_usd` is the agents' own estimate of `agent_cost_calls` of the
    calls, and `agent_calls_cost_usd` the cost of the same calls computed here. `is_per_call` is
    false if only sums of tokens could be priced."""

    cost_usd: str | None
    is_complete: bool
    is_minimum: bool
    minimum_reasons: list[str]
    is_per_call: bool
    calls: int
    unpriced_calls: int
    agent_cost_usd: str | None
    agent_cost_calls: int
    agent_calls_cost_usd: str | None
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_1h_tokens: int


class ModelCost(CostTotals, frozen=True, gc=False):
    """One model's share. The tier is `thinking` if any of its calls ran with reasoning."""

    model_id: str
    model_tier: Tier


class CostRow(CostTotals, frozen=True, gc=False):
    """A day, or a group on a day. `user_email` is included in rows of users."""

    date: str
    by_model: list[ModelCost]
    unknown_models: list[str]
    group_key: str | UnsetType = UNSET
    user_email: str | UnsetType | None = UNSET


def of_models(models: pa.Table, days: Sequence[date], group_by: str | None) -> dict[date, bytes]:
    """As JSON the rows of each day with any use, one or one for each group, comma-joined; of
    `cost_sums.of_models`."""
    group = "label" if group_by == "model" else "key"
    if group_by is not None:
        models = models.filter(pc.not_equal(models[group], NOT_SHOWN))
    models, texts = cost_sums.coded(models, ("label", "key"))
    keys = ["day", group]
    order = [(key, "ascending") for key in keys]
    parts = models.sort_by([*order, ("amount", "descending"), ("label", "ascending")])
    sums = cost_sums.added(models, keys).sort_by(order)
    counts = _counts(parts, keys)
    shares = json_columns.objects(
        _amounts(parts)
        | {
            "model_id": json_columns.coded(parts["label"], texts["label"]),
            "model_tier": json_columns.values(parts["tier"]),
        }
    )
    rows = _amounts(sums) | {
        "date": json_columns.coded(sums["day"], [*map(date.isoformat, days)]),
        "by_model": json_columns.lists(shares, counts),
        "unknown_models": _unknown(parts, counts, texts["label"]),
    }
    if group_by is not None:
        rows["group_key"] = json_columns.coded(sums[group], texts[group])
    if group_by == "user":
        rows["user_email"] = json_columns.values(sums["email"])
    used = {at["values"]: at["counts"] for at in pc.value_counts(sums["day"]).to_pylist()}
    places = sorted(used)
    bodies = json_columns.bodies(json_columns.objects(rows), [used[place] for place in places])
    return dict(zip((days[place] for place in places), bodies, strict=True))


def bill(models: pa.Table) -> Bill:
    """Everything of a table of models added up."""
    everything = models.append_column("all", pa.repeat(pa.scalar(0), models.num_rows))
    rows = cost_sums.added(everything, ["all"]).to_pylist()
    return of_row(rows[0]) if rows else Bill()


def _counts(parts: pa.Table, keys: Sequence[str]) -> pa.Array:
    """How many rows there are of each combination of keys, in the order of the keys."""
    counts = parts.group_by([*keys], use_threads=False).aggregate([([], "count_all")])
    counts = counts.sort_by([(key, "ascending") for key in keys])
    return counts["count_all"].combine_chunks()


def _unknown(parts: pa.Table, counts: pa.Array, labels: Sequence[str]) -> pa.StringArray:
    """As JSON, of each run of so many parts the models of which something has no price, by name."""
    runs = json_columns.runs(counts)
    lacking = pa.table({"run": runs, "label": parts["label"]})
    lacking = lacking.filter(pc.invert(_is_complete(parts)))
    lacking = lacking.sort_by([("run", "ascending"), ("label", "ascending")])
    sizes = lacking["run"].combine_chunks().value_counts()
    place = pc.index_in(pa.array(range(len(counts)), runs.type), sizes.field("values"))
    sizes = pc.fill_null(sizes.field("counts").take(place), 0)
    return json_columns.lists(json_columns.coded(lacking["label"], labels), sizes)


def _is_complete(sums: pa.Table) -> pa.ChunkedArray:
    return reduce(pc.and_, [pc.equal(sums[name], 0) for name in MISSING])


def _amounts(sums: pa.Table) -> dict[str, pa.StringArray]:
    """The members of CostTotals as JSON."""
    is_complete = _is_complete(sums)
    is_known = pc.or_(is_complete, pc.greater(sums["is_priced"], 0))
    has_estimate = pc.greater(sums["agent_calls"], 0)
    reasons = reduce(
        pc.add,
        [pc.if_else(pc.greater(sums[name], 0), 2**n, 0) for n, name in enumerate(LOWER_BOUNDS)],
    )
    columns = {
        "cost_usd": exact.dollars_of(pc.if_else(is_known, sums["amount"], None)),
        "is_complete": is_complete,
        "is_minimum": pc.greater(reasons, 0),
        "minimum_reasons": reasons,
        "is_per_call": pa.repeat(True, sums.num_rows),
        "calls": sums["calls"],
        "unpriced_calls": sums["unpriced_calls"],
        "agent_cost_usd": exact.dollars_of(pc.if_else(has_estimate, sums["agent_amount"], None)),
        "agent_cost_calls": sums["agent_calls"],
        "agent_calls_cost_usd": exact.dollars_of(
            pc.if_else(has_estimate, sums["same_amount"], None)
        ),
        **{name: sums[name] for name in (*TOKENS, "cache_write_1h_tokens")},
    }
    texts = {name: json_columns.values(column) for name, column in columns.items()}
    texts["minimum_reasons"] = json_columns.coded(reasons, _REASONS)
    return texts


_REASONS = [
    [reason for n, reason in enumerate(REASONS) if bits & 2**n] for bits in range(2 ** len(REASONS))
]
"""By their bits."""
