"""What a call may cost before it is made, and what it did cost, by the prices of an organization.

Where a model has no price, the highest one of its kind of provider is taken.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.gateway.accounting.usage import TokenUse
from stationmaster.gateway.asking import ModelCall
from stationmaster.gateway.providers import Kind
from stationmaster.ids import OrgId
from stationmaster.limits import highest_prices
from stationmaster.limits.budgets import Cost
from stationmaster.pricing import current
from stationmaster.pricing.credits import rates
from stationmaster.pricing.credits.card import Card, Rate, Tier
from stationmaster.pricing.credits.price import Amounts, Call, Mode, Price, call_cost, mode_of
from stationmaster.settings import Settings

FRESH_S = 30.0
"""How long prices are used before they are asked for again."""
_WINDOWS: dict[Kind, tuple[int, int]] = {
    "anthropic": (200_000, 1_000_000),
    "openai": (400_000, 1_050_000),
    "gemini": (1_048_576, 2_097_152),
}
"""Tokens that a model can read: usually, and with prices for long contexts or asked for."""
_TIERS: tuple[Tier, Tier] = ("standard", "thinking")


class HighestPrices(NamedTuple):
    """The highest price of a token, in picodollars: of one that is read from a cache or newly, of
    one that may be written to a cache, and of one that may be kept there for an hour."""

    input: int
    cached: int
    cached_long: int
    output: int

    def of(self, asking: ModelCall) -> int:
        """Of a token of a call's input."""
        if asking.is_cached_long:
            return self.cached_long
        return self.cached if asking.is_cached else self.input


class Tariff:
    """The prices of one model on one day."""

    def __init__(
        self,
        price: Price | None,
        weights: tuple[Rate, Rate],
        instead: HighestPrices,
        windows: tuple[int, int],
    ) -> None:
        """`weights` in credits are those without and with thinking; `instead` is for what has no
        price."""
        self._price = price
        self._weights = weights
        self._instead = instead
        self._windows = windows
        self._milli_in = max(
            rate.multiplier_milli * max(1000, rate.cache_read_milli, rate.cache_write_milli)
            for rate in weights
        )
        self._milli_out = max(rate.multiplier_milli * 1000 for rate in weights)
        self._steps: dict[Mode | None, list[tuple[int, HighestPrices]]] = {}

    def window(self, beta: str) -> int:
        """Tokens that the model can read; `beta` are the features that the caller asked for."""
        has_tiers = self._price is not None and bool(self._price.standard.tiers)
        return self._windows[has_tiers or "context-1m" in beta]

    def input(self, asking: ModelCall, tokens: int) -> Cost:
        """The most that so many tokens of input cost."""
        amount = tokens * self._highest_prices(asking, tokens).of(asking)
        return Cost(amount, -(-self._milli_in * tokens // 10**6))

    def output(self, asking: ModelCall, tokens: int, tokens_in: int) -> Cost:
        """The most that so many tokens of output cost after so many of input."""
        amount = tokens * self._highest_prices(asking, tokens_in).output
        return Cost(amount, -(-self._milli_out * tokens // 10**6))

    def actual(self, asking: ModelCall, usage: TokenUse) -> Cost:
        """What a call cost by what was reported, or estimated, of it."""
        input_tokens, output = usage.input or 0, usage.output or 0
        mode = mode_of(usage.speed or asking.speed, usage.service_tier)
        counts = (input_tokens, output, usage.cache_read, usage.cache_write)
        amount = None
        if mode is not None:
            amount = call_cost(self._price, Call(*counts, usage.cache_write_1h, mode))
        if amount is None:
            whole = input_tokens + usage.cache_read + usage.cache_write
            highest = self._highest_prices(asking, whole)
            amount = whole * highest.of(asking) + output * highest.output
        return Cost(amount, rates.credits(self._weights[usage.reasoning > 0], *counts))

    def _highest_prices(self, asking: ModelCall, tokens_in: int) -> HighestPrices:
        mode = mode_of(asking.speed, asking.service_tier)
        steps = self._steps.get(mode)
        if steps is None:
            steps = self._steps[mode] = self._steps_of(mode)
        return next(highest for above, highest in reversed(steps) if tokens_in > above)

    def _steps_of(self, mode: Mode | None) -> list[tuple[int, HighestPrices]]:
        """The highest prices of inputs of more than so many tokens."""
        schedule = None
        if self._price is not None and mode is not None:
            schedule = self._price.schedule(mode)
        if schedule is None:
            return [(-1, self._instead)]
        amounts = [schedule.amounts]
        steps = [(-1, _highest(amounts, self._instead))]
        for tier in schedule.tiers:
            amounts.append(tier.amounts)
            steps.append((tier.above, _highest(amounts, self._instead)))
        return steps


def _highest(amounts: list[Amounts], instead: HighestPrices | None = None) -> HighestPrices:
    """The highest of several prices; also of those `instead`, where one of them is not known."""
    plain = _most(price for amount in amounts for price in (amount.input, amount.cache_read))
    cached = max(plain, _most(amount.cache_write for amount in amounts))
    highest = HighestPrices(
        plain,
        cached,
        max(cached, _most(amount.cache_write_1h for amount in amounts)),
        _most(amount.output for amount in amounts),
    )
    if instead is None or all(
        amount.input is not None and amount.output is not None for amount in amounts
    ):
        return highest
    return HighestPrices(*map(max, highest, instead))


def _most(prices: Iterable[int | None]) -> int:
    return max((price for price in prices if price is not None), default=0)


class Tariffs:
    """The tariffs that one process has asked for lately. Safe to use from any thread."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._cards: dict[OrgId, tuple[float, Card]] = {}
        self._tariffs: dict[tuple[OrgId, Kind, str, str | None], tuple[float, Tariff]] = {}

    def of(self, org: OrgId, kind: Kind, model: str, region: str | None) -> Tariff:
        """Raises Unavailable where prices were never read."""
        now, key = time.monotonic(), (org, kind, model, region)
        entry = self._tariffs.get(key)
        if entry is None or now - entry[0] > FRESH_S:
            if len(self._tariffs) > 10_000:
                self._tariffs.clear()
            try:
                entry = now, self._make(org, kind, model, region)
            except Unavailable:
                if entry is None:
                    raise
            self._tariffs[key] = entry
        return entry[1]

    def _make(self, org: OrgId, kind: Kind, model: str, region: str | None) -> Tariff:
        card, today = self._card(org), clock.today()
        weights = [card.rate(model, tier, today, region) for tier in _TIERS]
        instead = _highest_prices_of(card, kind, today)
        return Tariff(weights[0].usd, (weights[0], weights[1]), instead, _WINDOWS[kind])

    def _card(self, org: OrgId) -> Card:
        now, entry = time.monotonic(), self._cards.get(org)
        if entry is None or now - entry[0] > FRESH_S:
            entry = now, current.card(self._db, self._settings, org)
            self._cards[org] = entry
        return entry[1]


def _highest_prices_of(card: Card, kind: Kind, day: date) -> HighestPrices:
    """For what has no price; each token of input may be the highest, whatever was asked for."""
    highest = _highest(list(_amounts_of(card, kind, day)))
    most = highest.cached_long
    return HighestPrices(most, most, most, highest.output)


def _amounts_of(card: Card, kind: Kind, day: date) -> Iterator[Amounts]:
    for price in highest_prices.prices(card, [highest_prices.MAKERS[kind]], day):
        yield price.standard.amounts
        yield from (tier.amounts for tier in price.standard.tiers)
