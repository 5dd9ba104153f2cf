"""The price of a token whose own price nobody knows: the dearest one of models like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from stationmaster.pricing.credits.card import Card
from stationmaster.pricing.credits.lists import on
from stationmaster.pricing.credits.price import Price

_MAKERS = tuple(map(re.compile, (r"claude", r"gpt|o\d|codex|chatgpt", r"gemini")))


class Dearest(NamedTuple):
    """Picodollars of a token."""

    input: int
    output: int


def of(card: Card, model: str, day: date) -> Dearest:
    """The dearest prices of the maker whose names the model's looks like, else of all makers of
    models that coding agents use."""
    like = [maker for maker in _MAKERS if maker.match(model.lower())] or [*_MAKERS]
    prices = list(_prices(card, like, day))
    inputs = [n for price in prices for a in _amounts(price) for n in (a[0], *a[2:])]
    outputs = [a[1] for price in prices for a in _amounts(price)]
    return Dearest(max(inputs, default=0), max(outputs, default=0))


def _prices(card: Card, makers: list[re.Pattern[str]], day: date) -> Iterator[Price]:
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
