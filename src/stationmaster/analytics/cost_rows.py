"""The rows of costs: what they hold, and how they are made of sums by day, group and model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import UNSET, Struct, UnsetType

from stationmaster.aggregate.slices import LOWER_BOUNDS
from stationmaster.analytics import cost_sums, exact
from stationmaster.analytics.bills import REASONS, TOKENS, Bill
from stationmaster.analytics.cost_sums import MISSING, UNPRICED
from stationmaster.credits.price import Amounts
from stationmaster.rollups.rows import Tier


class CostTotals(Struct, frozen=True, gc=False):
    """`cost_usd` is of what has a price, null where nothing does; `is_complete` says that all has,
    `unpriced_calls` how many calls have none. `is_minimum` says that it may be more, and
    `minimum_reasons` why. `agent_cost_usd` is what agents estimate `agent_cost_calls` of the calls
    at, and `agent_calls_cost_usd` what the same calls cost here. `is_per_call` is false where only
    sums of tokens were left to price."""

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
    """One model's share. The tier is `thinking` where any of its calls ran with reasoning."""

    model_id: str
    model_tier: Tier


class CostRow(CostTotals, frozen=True, gc=False):
    """A day, or a group on a day. `user_email` is there in rows of users."""

    date: str
    by_model: list[ModelCost]
    unknown_models: list[str]
    group_key: str | UnsetType = UNSET
    user_email: str | UnsetType | None = UNSET


def of_models(models: pa.Table, days: Sequence[date], group_by: str | None) -> Iterator[CostRow]:
    """A row for each day with any use, or for each day and group, of `cost_sums.of_models`."""
    keys = ["day", "label" if group_by == "model" else "key"]
    parts = cost_sums.added(models, [*dict.fromkeys((*keys, "label"))])
    order = [(key, "ascending") for key in keys]
    parts = parts.sort_by([*order, ("amount", "descending"), ("label", "ascending")])
    names, tiers = parts["label"].to_pylist(), parts["tier"].to_pylist()
    shares = [*map(ModelCost, *_amounts(parts), names, tiers)]
    sums = cost_sums.added(models, keys).sort_by(order)
    columns = (sums[key].to_pylist() for key in (*keys, "email"))
    groups = zip(*columns, _counts(parts, keys), *_amounts(sums), strict=True)
    first = 0
    for place, key, email, count, *amounts in groups:
        by_model = shares[first : first + count]
        unknown = sorted(each.model_id for each in by_model if not each.is_complete)
        members = [*amounts, days[place].isoformat(), by_model, unknown]
        named = [] if group_by is None else [key, email] if group_by == "user" else [key]
        yield CostRow(*members, *named)
        first += count


def bill(models: pa.Table) -> Bill:
    """Everything of a table of models added up."""
    everything = models.append_column("all", pa.repeat(pa.scalar(0), models.num_rows))
    rows = cost_sums.added(everything, ["all"]).to_pylist()
    return bill_of(rows[0]) if rows else Bill()


def bill_of(row: dict[str, Any]) -> Bill:
    """One row of sums."""
    return Bill(
        tuple(row[name] for name in TOKENS),
        row["cache_write_1h_tokens"],
        row["calls"],
        int(row["amount"]),
        bool(row["is_priced"]),
        row["unpriced_calls"],
        tuple(row[name] for name in UNPRICED),
        {name for name, flag in zip(Amounts._fields, MISSING, strict=True) if row[flag]},
        {why for flag, why in zip(LOWER_BOUNDS, REASONS, strict=True) if row[flag]},
        row["agent_calls"],
        int(row["agent_amount"]),
        int(row["same_amount"]),
    )


def _counts(parts: pa.Table, keys: Sequence[str]) -> list[int]:
    """How many rows there are of each combination of keys, in the order of the keys."""
    counts = parts.group_by([*keys], use_threads=False).aggregate([([], "count_all")])
    counts = counts.sort_by([(key, "ascending") for key in keys])
    found: list[int] = counts["count_all"].to_pylist()
    return found


def _amounts(sums: pa.Table) -> list[Sequence[Any]]:
    """The members of CostTotals, a list for each."""
    is_complete = pc.equal(sums[MISSING[0]], 0)
    for name in MISSING[1:]:
        is_complete = pc.and_(is_complete, pc.equal(sums[name], 0))
    is_told = pc.or_(is_complete, pc.greater(sums["is_priced"], 0))
    cost = exact.dollars_of(pc.if_else(is_told, sums["amount"], None))
    flags = zip(*(pc.greater(sums[name], 0).to_pylist() for name in LOWER_BOUNDS), strict=True)
    reasons = [[why for why, flag in zip(REASONS, row, strict=True) if flag] for row in flags]
    has_estimate = pc.greater(sums["agent_calls"], 0)
    agent, same = (
        exact.dollars_of(pc.if_else(has_estimate, sums[name], None)).to_pylist()
        for name in ("agent_amount", "same_amount")
    )
    calls, unpriced, agent_calls = (
        sums[name].to_pylist() for name in ("calls", "unpriced_calls", "agent_calls")
    )
    tokens = (sums[name].to_pylist() for name in (*TOKENS, "cache_write_1h_tokens"))
    is_per_call = [True] * sums.num_rows
    return [
        *(cost.to_pylist(), is_complete.to_pylist(), [*map(bool, reasons)], reasons, is_per_call),
        *(calls, unpriced, agent, agent_calls, same, *tokens),
    ]
