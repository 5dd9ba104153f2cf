"""What was used and what it cost, added up: of a model, of a row, of a whole answer.

Days that this version has counted have the dollars of every call added up. Of days that an older
one has counted, and whose events are erased, only sums of tokens are left: those are priced as if
every call were a short one, and are marked so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from operator import add
from typing import Any, NamedTuple

import pyarrow as pa

from stationmaster.aggregate.slices import LOWER_BOUNDS, SCHEMAS, Slices, records
from stationmaster.lake.rollups.rows import ModelUsage, Tier
from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.card import Card

REASONS = ("output_lower_bound", "context_tier", "cache_retention")
"""Why dollars are a minimum, in the order of LOWER_BOUNDS: output that an agent reported too low,
sums of calls of a model whose long calls cost more, cache writes of unknown retention."""
_TOKENS = ("billable_tokens", "input_tokens", "output_tokens")
TOKENS = (*_TOKENS, "cache_read_tokens", "cache_write_tokens")
_ZEROS = (0,) * len(TOKENS)
_COSTS = tuple(name for name in SCHEMAS["costs"].names if name not in ("slice", "model"))


@dataclass
class Bill:
    """What was used, and its cost in 10⁻¹² dollars."""

    tokens: tuple[int, ...] = _ZEROS
    """Credits and the four counters: TOKENS."""
    cache_write_1h_tokens: int = 0
    calls: int = 0
    amount: int = 0
    """Of what has a price."""
    is_priced: bool = False
    """Does anything have a price?"""
    unpriced_calls: int = 0
    unpriced: tuple[int, ...] = _ZEROS
    """TOKENS of what has none."""
    missing: set[str] = field(default_factory=set)
    """The counters without a price."""
    reasons: set[str] = field(default_factory=set)
    """Of REASONS, those for which the amount is a minimum."""
    agent_calls: int = 0
    agent_amount: int = 0
    """What agents estimate `agent_calls` of the calls at."""
    same_amount: int = 0
    """What those calls cost here."""
    is_per_call: bool = True

    def add(self, other: Bill) -> None:
        """Add another bill to this one, in place."""
        self.tokens = tuple(map(add, self.tokens, other.tokens))
        self.cache_write_1h_tokens += other.cache_write_1h_tokens
        self.calls += other.calls
        self.amount += other.amount
        self.is_priced |= other.is_priced
        self.unpriced_calls += other.unpriced_calls
        self.unpriced = tuple(map(add, self.unpriced, other.unpriced))
        self.missing |= other.missing
        self.reasons |= other.reasons
        self.agent_calls += other.agent_calls
        self.agent_amount += other.agent_amount
        self.same_amount += other.same_amount
        self.is_per_call &= other.is_per_call

    @property
    def is_complete(self) -> bool:
        """True where every counter that was used has a price."""
        return not self.missing

    @property
    def cost_usd(self) -> str | None:
        """Of what has a price; None where nothing has."""
        return dollars.text(self.amount) if self.is_complete or self.is_priced else None


class Share(NamedTuple):
    """What one group used of one model on a day; `label` is what the model is shown as."""

    key: str
    email: str | None
    model: str
    label: str
    tier: Tier
    bill: Bill


def of_slices(
    day: Slices, veiled: Slices, column: str | None, card: Card, at: date
) -> Iterator[Share]:
    """The shares of the values of a column of `slices`; None: one of everybody, called "".

    The groups, and what models are shown as, are those of `veiled`, which has the same rows.
    """
    keys = _keys(veiled, column)
    emails = dict(zip(keys, veiled.column("email"), strict=True))
    numbers = day["tokens"]["slice"].to_pylist()
    models = list(zip(numbers, day["tokens"]["model"].to_pylist(), strict=True))
    labels = dict(zip(models, veiled["tokens"]["model"].to_pylist(), strict=True))
    if not day.has("costs"):
        for number, model, tier, _, *figures in records(day["tokens"]):
            usage = ModelUsage(model, tier, *figures)
            share = of_sums(keys[number], emails[keys[number]], usage, card, at)
            yield share._replace(label=labels[number, model])
        return
    lacking: dict[tuple[str, str, str], Bill] = {}
    unpriced = _summed(day, ("without_price",), keys, labels, "missing")
    for key, model, label, missing, calls, *tokens in unpriced:
        names = {name for name in missing.split(",") if name}
        part = Bill(unpriced_calls=calls, unpriced=tuple(tokens), missing=names)
        lacking.setdefault((key, model, label), Bill()).add(part)
    shares: dict[tuple[str, str, str], Share] = {}
    sums = _summed(day, ("tokens", "costs"), keys, labels, "model_tier")
    for key, model, label, tier, _, *figures in sums:
        bill = _bill(figures)
        before = shares.get((key, model, label))
        if before is not None:
            tier = max(before.tier, tier)
            bill.add(before.bill)
        shares[key, model, label] = Share(key, emails[key], model, label, tier, bill)
    for name, share in shares.items():
        without = lacking.get(name, Bill())
        share.bill.is_priced = share.bill.tokens[1:] != without.unpriced[1:]
        share.bill.add(without)
        yield share


def of_sums(key: str, email: str | None, usage: ModelUsage, card: Card, day: date) -> Share:
    """The share of sums of tokens whose calls are not known."""
    price = card.rate(usage.model_id, usage.model_tier, day).usd
    tokens = usage.counters()
    amount = dollars.cost(price, tokens[1:])
    bill = Bill(tokens, amount=amount or 0, is_priced=amount is not None, is_per_call=False)
    if amount is None:
        bill.unpriced, bill.missing = tokens, set(dollars.missing(price, tokens[1:]))
    elif price is not None and price.standard.tiers:
        bill.reasons = {"context_tier"}
    return Share(key, email, usage.model_id, usage.model_id, usage.model_tier, bill)


def _bill(figures: list[Any]) -> Bill:
    """The amount of the sums of `tokens` and `costs`, without what has no price."""
    tokens, costs = figures[: len(TOKENS)], dict(zip(_COSTS, figures[len(TOKENS) :], strict=True))
    return Bill(
        tuple(tokens),
        cache_write_1h_tokens=costs["cache_write_1h_tokens"],
        calls=costs["calls"],
        amount=int(costs["amount"]),
        reasons={why for flag, why in zip(LOWER_BOUNDS, REASONS, strict=True) if costs[flag]},
        agent_calls=costs["agent_calls"],
        agent_amount=int(costs["agent_amount"]),
        same_amount=int(costs["same_amount"]),
    )


def _keys(sliced: Slices, column: str | None) -> list[str]:
    """The value of each slice, by its number."""
    if column is None:
        return [""] * sliced.whole("slices").num_rows
    return sliced.column(column)


def _summed(
    day: Slices,
    names: tuple[str, ...],
    keys: list[str],
    labels: Mapping[tuple[int, str], str],
    more: str,
) -> Iterator[tuple[Any, ...]]:
    """Key, model, label, the column `more`, and the figures of tables that have the same rows.

    Summed before rows become objects: a day of a large organization has tens of thousands.
    """
    first = day[names[0]]
    numbers, models = first["slice"].to_pylist(), first["model"].to_pylist()
    rows = list(zip(numbers, models, strict=True))
    columns = {
        "key": pa.array([keys[number] for number in numbers], pa.string()),
        "model": first["model"],
        "label": pa.array([labels[row] for row in rows], pa.string()),
        more: first[more],
    }
    by = tuple(columns)
    for name in names:
        table = day[name]
        columns |= {
            column_name: table[column_name]
            for column_name in table.column_names
            if column_name not in (*by, "slice")
        }
    figures = [name for name in columns if name not in by]
    grouped = pa.table(columns).group_by(by, use_threads=False)
    sums = grouped.aggregate([(name, "sum") for name in figures])
    return records(sums.select([*by, *(f"{name}_sum" for name in figures)]))
