"""The price of a token whose own price is unknown: the highest one of models like it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from stationmaster.pricing.credits.card import Card, on
from stationmaster.pricing.credits.price import Price

MAKERS: Mapping[str, re.Pattern[str]] = {
    "anthropic": re.compile(r"claude"),
    "openai": re.compile(r"gpt|o\d|codex|chatgpt"),
    "gemini": re.compile(r"gemini"),
}
"""How the names of models begin, by the kind of provider that makes them."""


class HighestPrices(NamedTuple):
    """Picodollars of a token."""

    input: int
    output: int


def of(card: Card, model: str, day: date) -> HighestPrices:
    """The highest prices of the maker whose names the model's looks like, else of all makers of
    models that coding agents use."""
    like = [maker for maker in MAKERS.values() if maker.match(model.lower())]
    listed = list(prices(card, like or MAKERS.values(), day))
    inputs = [n for price in listed for a in _amounts(price) for n in (a[0], *a[2:])]
    outputs = [a[1] for price in listed for a in _amounts(price)]
    return HighestPrices(max(inputs, default=0), max(outputs, default=0))


def prices(card: Card, makers: Collection[re.Pattern[str]], day: date) -> Iterator[Price]:
    """The prices of a day of all models whose names fit one of the patterns."""
    for listed in card.lists:
        for key, steps in listed.prices.items():
            if any(maker.match(key.model) for maker in makers):
                step = on(steps, day)
                if step is not None:
                    yield step[1]


def _amounts(price: Price) -> Iterator[tuple[int, ...]]:
    for schedule in (price.standard, price.fast, price.priority):
        if schedule is not None:
            for amounts in (schedule.amounts, *(tier.amounts for tier in schedule.tiers)):
                yield tuple(amount or 0 for amount in amounts)
