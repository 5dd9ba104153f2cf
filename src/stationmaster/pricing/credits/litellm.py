"""LiteLLM's `model_prices_and_context_window` file as a price list. It has no dates of prices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from stationmaster.model_names import key, parse
from stationmaster.pricing.credits.card import REGIONAL, Key, PriceList, Steps
from stationmaster.pricing.credits.offers import Offer, choose, picodollars, scaled, scaled_schedule
from stationmaster.pricing.credits.price import Amounts, ContextTier, Price, Schedule

ORIGIN = "litellm"
_OPENAI = ("openai", "azure")
_MEMBERS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "cache_creation_input_token_cost_above_1hr",
)
"""In the order of `Amounts`."""
_ABOVE = re.compile(r"_above_(\d{1,7})k_tokens(?=_|$)")
_REGION_PATH = re.compile(r"(?:azure|bedrock)/(?P<region>[a-z]{2}[a-z0-9-]*+)/")
_UPLIFT = "regional_processing_uplift_multiplier_"
_FACTOR_MAX = 100


def is_it(document: object) -> bool:
    """Whether a decoded file looks like LiteLLM's."""
    return isinstance(document, dict) and any(
        isinstance(entry, dict) and "litellm_provider" in entry for entry in document.values()
    )


def read(document: Mapping[str, Any], day: date) -> PriceList:
    """The list, with prices that hold from `day` on."""
    return PriceList(ORIGIN, day, choose(_offers(document, day)))


def _offers(document: Mapping[str, Any], day: date) -> Iterator[Offer]:
    regional: list[Offer] = []
    for name, entry in document.items():
        if name == "sample_spec" or not isinstance(entry, dict):
            continue
        price = _price(entry, day)
        if price is None:
            continue
        seller = str(entry.get("litellm_provider"))
        model, region = parse(name)
        path = _REGION_PATH.match(name)
        region = region or (path["region"] if path else None) or ""
        region = "" if region.startswith("global") else region
        yield Offer(seller, Key(key(model), region), ((day, price),))
        for place, factor in _factors(entry):
            steps: Steps = ((day, scaled(price, factor)),)
            regional.append(Offer(seller, Key(key(model), place), steps))
    yield from regional


def _price(entry: Mapping[str, Any], day: date) -> Price | None:
    standard = _tiered(entry) or _schedule(entry, "")
    if standard is None:
        return None
    flex, priority, batch = (_schedule(entry, end) for end in ("_flex", "_priority", "_batches"))
    factor = _factor(_mapping(entry, "provider_specific_entry").get("fast"))
    # OpenAI sells its priority tier under both names.
    as_priority = priority if entry.get("litellm_provider") in _OPENAI else None
    fast = as_priority if factor is None else scaled_schedule(standard, factor)
    return Price(standard, fast=fast, flex=flex, priority=priority, batch=batch, as_of=day)


def _schedule(entry: Mapping[str, Any], end: str) -> Schedule | None:
    """The prices of the members that end so; without an input price there are none. A member that
    is missing in a mode or tier costs what it does without it."""
    if picodollars(entry.get(_MEMBERS[0] + end)) is None:
        return None
    amounts = _amounts(entry, "", end)
    if end:
        amounts = _or(amounts, _like_writes(_amounts(entry, "", ""), amounts))
    limits = {
        int(match[1])
        for member in entry
        for match in _ABOVE.finditer(member)
        if member == f"{_MEMBERS[0]}_above_{match[1]}k_tokens{end}"
    }
    tiers: list[ContextTier] = []
    below = amounts
    for limit in sorted(limits):
        amounts_above = _amounts(entry, f"_above_{limit}k_tokens", end)
        below = _or(amounts_above, _like_writes(below, amounts_above))
        tiers.append(ContextTier(limit * 1000, below))
    return Schedule(amounts, tuple(tiers))


def _amounts(entry: Mapping[str, Any], tier: str, end: str) -> Amounts:
    return Amounts._make(picodollars(entry.get(f"{name}{tier}{end}")) for name in _MEMBERS)


def _like_writes(plain: Amounts, other: Amounts) -> Amounts:
    """`plain` with hour-long writes as much cheaper or dearer as the other writes are."""
    if None in (plain.cache_write_1h, plain.cache_write, other.cache_write):
        return plain
    hour, write, changed = plain.cache_write_1h, plain.cache_write, other.cache_write
    return plain._replace(cache_write_1h=(hour or 0) * (changed or 0) // (write or 1))


def _or(amounts: Amounts, others: Amounts) -> Amounts:
    pairs = zip(amounts, others, strict=True)
    return Amounts._make(other if amount is None else amount for amount, other in pairs)


def _tiered(entry: Mapping[str, Any]) -> Schedule | None:
    """The prices of `tiered_pricing`: a list of ranges of input tokens."""
    tiers = entry.get("tiered_pricing")
    rows = [row for row in tiers if isinstance(row, dict)] if isinstance(tiers, list) else []
    ranges: list[ContextTier] = []
    for row in rows:
        limits = row.get("range")
        start = limits[0] if isinstance(limits, list) and limits else None
        if not isinstance(start, int | Decimal) or not 0 <= start < 2**53:
            return None
        ranges.append(ContextTier(int(start), _amounts(row, "", "")))
    ranges.sort()
    if not ranges or ranges[0].above != 0 or ranges[0].amounts.input is None:
        return None
    return Schedule(ranges[0].amounts, tuple(ranges[1:]))


def _factors(entry: Mapping[str, Any]) -> Iterator[tuple[str, Decimal]]:
    """By how much the model is dearer in regions."""
    places = {"us": _mapping(entry, "provider_specific_entry").get("us")}
    places |= {name[len(_UPLIFT) :]: entry[name] for name in entry if name.startswith(_UPLIFT)}
    places[REGIONAL] = entry.get("regional_endpoint_uplift_multiplier")
    for place, value in places.items():
        factor = _factor(value)
        if factor is not None:
            yield place, factor


def _factor(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    factor = Decimal(value)
    return factor if factor.is_finite() and 0 < factor <= _FACTOR_MAX else None


def _mapping(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = entry.get(name)
    return value if isinstance(value, dict) else {}
