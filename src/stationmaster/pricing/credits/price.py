"""What the tokens of one model cost on one day, and the rule by which a call is priced.

`call_cost` is the rule. Queries of rollups apply it in SQL to all calls of a day
(`aggregate/sql/usage.sql`), and a test compares both. Where only sums of tokens are left,
`dollars.cost` prices them by the lowest tier.

Amounts are whole picodollars (10⁻¹² US dollars) per token, which is microdollars per million
tokens, so that a price of six decimals per million tokens is exact and so is every sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal, NamedTuple, get_args

Mode = Literal["standard", "fast", "flex", "priority", "batch"]
"""How a call was served: `fast` is the speed that a client asked for, the others are service tiers.
A call without either is `standard`."""
MODES: tuple[Mode, ...] = get_args(Mode)
_ORDINARY_TIERS = frozenset({"standard", "default", "auto", "on_demand"})


def mode_of(speed: str | None, service_tier: str | None) -> Mode | None:
    """How a call was served, by what an agent reports of it; None for words without a meaning here.

    A speed is used before a service tier, because prices of speeds are not split by tier.
    """
    if not speed and not service_tier:
        return "standard"
    tier = (service_tier or "standard").lower()
    word = speed.lower() if speed else "standard" if tier in _ORDINARY_TIERS else tier
    return next((mode for mode in MODES if mode == word), None)


class Amounts(NamedTuple):
    """Picodollars per token; None is unknown, which is not the same as 0."""

    input: int | None = None
    """Tokens of the input that were neither read from nor written to a cache."""
    output: int | None = None
    """Tokens of the output, reasoning included."""
    cache_read: int | None = None
    cache_write: int | None = None
    """Writes that are kept for the shortest time: 5 minutes at Anthropic, 30 at OpenAI."""
    cache_write_1h: int | None = None
    """Writes that are kept for an hour."""


class ContextTier(NamedTuple):
    """The amounts of calls whose whole input is larger than `above` tokens."""

    above: int
    amounts: Amounts


class Schedule(NamedTuple):
    """The amounts of one mode, by the length of a call's input."""

    amounts: Amounts
    """Of calls that no tier applies to."""
    tiers: tuple[ContextTier, ...] = ()
    """In ascending order of `above`."""

    def of(self, whole_input: int) -> Amounts:
        """The amounts of a call with so many tokens of input, cached ones included."""
        amounts = self.amounts
        for tier in self.tiers:
            if whole_input > tier.above:
                amounts = tier.amounts
        return amounts


class Price(NamedTuple):
    """The price of a model at a provider on a day. A mode that is None has no published price."""

    standard: Schedule
    fast: Schedule | None = None
    flex: Schedule | None = None
    priority: Schedule | None = None
    batch: Schedule | None = None
    as_of: date | None = None
    """The day on which the price was last compared with its source."""

    def schedule(self, mode: Mode) -> Schedule | None:
        """The schedule of a mode; None where it has no published price."""
        schedule: Schedule | None = getattr(self, mode)
        return schedule


class Call(NamedTuple):
    """The figures of one model call. The counters are disjoint except for the last one."""

    input: int = 0
    """Without cache reads and cache writes."""
    output: int = 0
    """With reasoning."""
    cache_read: int = 0
    cache_write: int = 0
    """All cache writes, however long they are kept."""
    cache_write_1h: int = 0
    """Those of `cache_write` that are kept for an hour; never more than `cache_write`."""
    mode: Mode = "standard"

    @property
    def whole_input(self) -> int:
        """Tokens of input with cache reads and cache writes."""
        return self.input + self.cache_read + self.cache_write


class Bracket(NamedTuple):
    """One row of a price as a table: it applies to calls of `mode` with `above < whole input` and
    `whole input <= up_to`. -1 as `above` is no lower bound, None as `up_to` no upper one."""

    mode: Mode
    above: int
    up_to: int | None
    amounts: Amounts


def brackets(price: Price) -> Iterator[Bracket]:
    """A price as rows. Exactly one row applies to each call of a mode that has a price, and none to
    calls of other modes."""
    for mode in MODES:
        schedule = price.schedule(mode)
        if schedule is None:
            continue
        limits = [-1, *(tier.above for tier in schedule.tiers)]
        amounts = [schedule.amounts, *(tier.amounts for tier in schedule.tiers)]
        ends = [*limits[1:], None]
        for above, up_to, rates in zip(limits, ends, amounts, strict=True):
            yield Bracket(mode, above, up_to, rates)


def call_cost(price: Price | None, call: Call) -> int | None:
    """The picodollars of one call, None where a price that it needs is unknown.

    1. The mode chooses the schedule. A mode without a schedule has no known price: no other mode's
       price is taken instead.
    2. The whole input of the call (input, cache reads and cache writes) chooses the context tier.
       It holds for the whole call, output included, not only for the part above the limit.
    3. The cost is the sum of tokens times amount of the five counters, where writes for an hour
       are taken out of the other writes:
       input * input + output * output + cache_read * cache_read
       + (cache_write - cache_write_1h) * cache_write + cache_write_1h * cache_write_1h
    4. A counter of 0 tokens needs no price. A call without tokens costs 0, even without a price.
    """
    tokens = (
        call.input,
        call.output,
        call.cache_read,
        call.cache_write - call.cache_write_1h,
        call.cache_write_1h,
    )
    schedule = None if price is None else price.schedule(call.mode)
    amounts = Amounts() if schedule is None else schedule.of(call.whole_input)
    return total(amounts, tokens)


def total(amounts: Amounts, tokens: Sequence[int]) -> int | None:
    """The sum of tokens times their amounts, None where tokens have an unknown amount. The tokens
    are in the order of Amounts; counters at its end may be left out."""
    cost = 0
    for count, amount in zip(tokens, amounts, strict=False):
        if count and amount is None:
            return None
        cost += count * (amount or 0)
    return cost
