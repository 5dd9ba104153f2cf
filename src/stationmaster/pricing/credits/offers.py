"""What published lists hold, brought into one: which of several offers of a model is its price.

A model is sold by its maker and by others. Its price is its maker's. Where no maker is on the list
it is what all sellers agree on; where they differ there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from stationmaster.errors import BadRequest
from stationmaster.model_names import spellings
from stationmaster.pricing.credits import rates
from stationmaster.pricing.credits.card import Key, Steps
from stationmaster.pricing.credits.price import Amounts, ContextTier, Mode, Price, Schedule
from stationmaster.pricing.credits.usd import USD_MAX

_MISTRAL = (
    *("mistral", "codestral", "devstral", "magistral", "ministral", "mixtral", "pixtral"),
    *("voxtral", "open-mi", "labs-"),
)
_MAKERS: dict[str, tuple[str, ...]] = {
    "amazon_nova": ("nova",),
    "anthropic": ("claude",),
    "cognition": ("swe",),
    "cohere": ("command", "c4ai"),
    "cohere_chat": ("command", "c4ai"),
    "cursor": ("",),
    "dashscope": ("qwen", "qwq", "qvq"),
    "deepseek": ("deepseek",),
    "gemini": ("gemini", "gemma", "learnlm"),
    "google": ("gemini", "gemma", "learnlm"),
    "meta": ("muse", "llama"),
    "minimax": ("minimax",),
    "mistral": _MISTRAL,
    "moonshot": ("kimi", "moonshot"),
    "moonshotai": ("kimi", "moonshot"),
    "openai": ("",),
    "x-ai": ("grok",),
    "xai": ("grok",),
    "xiaomi_mimo": ("mimo",),
    "zai": ("glm",),
}
"""Sellers who make models, as lists call them, and how the names of these models begin."""


class Offer(NamedTuple):
    """The prices, by day, at which a seller offers a model."""

    seller: str
    key: Key
    steps: Steps

    @property
    def is_makers(self) -> bool:
        """True where the seller makes the model."""
        return self.key.model.startswith(_MAKERS.get(self.seller, ("\n",)))

    @property
    def is_for_free(self) -> bool:
        """True where standard input and output cost nothing, or nothing known, on every day."""
        return not any(any(price.standard.amounts[:2]) for _, price in self.steps)


def choose(offers: Iterable[Offer]) -> dict[Key, Steps]:
    """One price for each model and region.

    Of a model whose maker's price is known, from this list or from the built-in one, others' prices
    count for regions alone. A free offer does not make a model free.
    """
    makers: dict[Key, Steps] = {}
    others: dict[Key, Steps | None] = {}
    for offer in offers:
        if offer.is_makers:
            makers.setdefault(offer.key, offer.steps)
        elif offer.is_for_free or (not offer.key.region and _has_maker(offer.key, _built_in())):
            continue
        elif others.setdefault(offer.key, offer.steps) != offer.steps:
            others[offer.key] = None
    agreed = {
        key: steps
        for key, steps in others.items()
        if steps is not None and not _has_maker(key, makers)
    }
    return agreed | makers


def _has_maker(key: Key, makers: Mapping[Key, Steps]) -> bool:
    return any(Key(name, key.region) in makers for name in spellings(key.model))


def _built_in() -> Mapping[Key, Steps]:
    return rates.card().lists[0].prices


def picodollars(value: object, per: int = 1) -> int | None:
    """A price in dollars for `per` tokens in whole picodollars for one, halves rounded up; None for
    what is not a price. Raises BadRequest for one that is negative or absurd."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        amount = Decimal(str(value))
    except ArithmeticError:
        return None
    if not amount.is_finite() or not 0 <= amount <= Decimal(USD_MAX) * per:
        raise BadRequest(f"The price {str(value)[:40]} is not possible.", code="bad_price_list")
    return int((amount * 10**12 / per).quantize(Decimal(1), ROUND_HALF_UP))


def scaled(price: Price, factor: Decimal) -> Price:
    """A price with all amounts times a factor."""

    def mode(name: Mode) -> Schedule | None:
        schedule = price.schedule(name)
        return None if schedule is None else scaled_schedule(schedule, factor)

    return price._replace(
        standard=scaled_schedule(price.standard, factor),
        fast=mode("fast"),
        flex=mode("flex"),
        priority=mode("priority"),
        batch=mode("batch"),
    )


def scaled_schedule(schedule: Schedule, factor: Decimal) -> Schedule:
    """A schedule with all amounts times a factor, in whole picodollars, halves rounded up."""
    tiers = (ContextTier(tier.above, _times(tier.amounts, factor)) for tier in schedule.tiers)
    return Schedule(_times(schedule.amounts, factor), tuple(tiers))


def _times(amounts: Amounts, factor: Decimal) -> Amounts:
    return Amounts._make(
        None if amount is None else int((amount * factor).quantize(Decimal(1), ROUND_HALF_UP))
        for amount in amounts
    )
