"""Price lists: prices of models by region and day, and how a list is stored as JSON.

A list names models exactly; `model_names.spellings` leads from what agents report to these names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

import msgspec

from stationmaster.pricing.credits.price import Price
from stationmaster.pricing.credits.usd import Usd, read, write

OLD_DAYS = 45
"""After so many days without a newer list prices are pointed out as old."""
REGIONAL = "regional"
"""The region whose price holds in each region that a list does not name."""
_HOME = ("", "global", "default", "not_available")
"""Regions that have the maker's own price."""

Steps = tuple[tuple[date, Price], ...]
"""By the UTC day from which they hold, ascending."""


class Key(NamedTuple):
    """A model as a list names it: its `model_names.key`, and a region, "" for the maker's own."""

    model: str
    region: str = ""


class PriceList(NamedTuple):
    """A list of one origin: its prices by model and region."""

    origin: str
    """Whose list it is: `built-in`, `genai-prices`, `litellm`."""
    as_of: date
    """The day on which it was compared with what providers publish, or imported."""
    prices: Mapping[Key, Steps]


def on(steps: Steps, day: date) -> tuple[date, Price] | None:
    """The step that holds on a UTC day; None before the first one."""
    number = bisect_right(steps, day, key=lambda step: step[0])
    return steps[number - 1] if number else None


def regions(region: str | None) -> tuple[str, ...]:
    """The regions of `Key` under which a list may have the price of a call in a region, most exact
    first."""
    place = (region or "").lower()
    return ("",) if place in _HOME else (place, REGIONAL, "")


class _Step(msgspec.Struct, frozen=True, omit_defaults=True, rename={"since": "from"}):
    usd: Usd
    since: date = date.min


class _Row(msgspec.Struct, frozen=True, omit_defaults=True):
    model: str
    steps: tuple[_Step, ...]
    region: str = ""


class _Document(msgspec.Struct, frozen=True):
    origin: str
    as_of: date
    prices: tuple[_Row, ...]


_encode = msgspec.json.Encoder(decimal_format="number").encode


def encode(prices: PriceList) -> bytes:
    """A list as JSON in dollars per million tokens, one model and region a line, in the order of
    their names."""
    head = _encode({"origin": prices.origin, "as_of": prices.as_of})
    rows = (
        _encode(
            _Row(key.model, tuple(_Step(write(price), day) for day, price in steps), key.region)
        )
        for key, steps in sorted(prices.prices.items())
    )
    return head[:-1] + b',"prices":[\n' + b",\n".join(rows) + b"\n]}\n"


def decode(text: bytes) -> PriceList:
    """A list from what `encode` made."""
    document = msgspec.json.decode(text, type=_Document)
    rows = {
        Key(row.model, row.region): tuple(
            (step.since, read(step.usd, row.model)._replace(as_of=document.as_of))
            for step in row.steps
        )
        for row in document.prices
    }
    return PriceList(document.origin, document.as_of, rows)
