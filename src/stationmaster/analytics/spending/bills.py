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

from msgspec.structs import astuple

from stationmaster.aggregate.slices import LOWER_BOUNDS, Slices, records
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.spending import cost_sums
from stationmaster.analytics.spending.cost_sums import MISSING, TOKENS, UNPRICED
from stationmaster.lake.rollups.rows import ModelUsage, Tier
from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.card import Card
from stationmaster.pricing.credits.price import Amounts

REASONS = ("output_lower_bound", "context_tier", "cache_retention")
"""Why dollars are a minimum, in the order of LOWER_BOUNDS: output that an agent reported too low,
sums of calls of a model whose long calls cost more, cache writes of unknown retention."""
_ZEROS = (0,) * len(TOKENS)


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
    if day.has("costs"):
        span, shown = SliceSpan([(at, day)]), SliceSpan([(at, veiled)])
        for row in cost_sums.of_true_models(span, shown, column).to_pylist():
            names = {name: row[name] for name in ("key", "email", "model", "label", "tier")}
            yield Share(**names, bill=of_row(row))
        return
    size = day.whole("slices").num_rows
    keys = [""] * size if column is None else veiled.column(column)
    emails = dict(zip(keys, veiled.column("email"), strict=True))
    labels = veiled["tokens"]["model"].to_pylist()
    for (number, model, tier, _, *figures), label in zip(
        records(day["tokens"]), labels, strict=True
    ):
        usage = ModelUsage(model, tier, *figures)
        share = of_sums(keys[number], emails[keys[number]], usage, card, at)
        yield share._replace(label=label)


def of_sums(key: str, email: str | None, usage: ModelUsage, card: Card, day: date) -> Share:
    """The share of sums of tokens whose calls are not known."""
    price = card.rate(usage.model_id, usage.model_tier, day).usd
    tokens = astuple(usage)[2:]
    amount = dollars.cost(price, tokens[1:])
    bill = Bill(tokens, amount=amount or 0, is_priced=amount is not None, is_per_call=False)
    if amount is None:
        bill.unpriced, bill.missing = tokens, set(dollars.missing(price, tokens[1:]))
    elif price is not None and price.standard.tiers:
        bill.reasons = {"context_tier"}
    return Share(key, email, usage.model_id, usage.model_id, usage.model_tier, bill)


def of_row(row: Mapping[str, Any]) -> Bill:
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
