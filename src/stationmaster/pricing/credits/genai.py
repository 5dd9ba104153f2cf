"""The data of genai-prices as a price list: a JSON array of providers, or one provider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

import msgspec

from stationmaster.errors import BadRequest
from stationmaster.model_names import key, parse
from stationmaster.pricing.credits.card import REGIONAL, Key, PriceList, Steps
from stationmaster.pricing.credits.offers import Offer, choose, picodollars
from stationmaster.pricing.credits.price import Amounts, ContextTier, Price, Schedule

ORIGIN = "genai-prices"
_MTOK = 10**6
_MEMBERS = (
    "input_mtok",
    "output_mtok",
    "cache_read_mtok",
    "cache_write_mtok",
    "cache_write_1h_mtok",
)
"""In the order of `Amounts`."""
_MODES = {
    "fast": ({"speed": "fast"}, {"service_tier": "fast"}),
    "flex": ({"service_tier": "flex"},),
    "priority": ({"service_tier": "priority"},),
    "batch": ({"processing": "batch"},),
}
_NAMES_MAX = 64
_DEPTH_MAX = 8


class _Model(msgspec.Struct, frozen=True):
    id: str
    prices: dict[str, Any] | list[dict[str, Any]]
    match: dict[str, Any] | None = None
    price_variants: list[dict[str, Any]] | None = None


class _Provider(msgspec.Struct, frozen=True):
    id: str
    models: list[_Model]


class _Dated(msgspec.Struct, frozen=True):
    start: date
    prices: Mapping[str, Any]
    is_hourly: bool = False
    """It holds at certain hours only."""


class _Variant(NamedTuple):
    start: date
    when: object
    prices: Mapping[str, Any]


def is_it(document: object) -> bool:
    """Whether a decoded file looks like the data of genai-prices."""
    providers = document if isinstance(document, list) else [document]
    return any(
        isinstance(provider, dict) and "models" in provider and "id" in provider
        for provider in providers
    )


def read(document: object, day: date) -> PriceList:
    """The list; `day` is the day of its import. Raises BadRequest for what it cannot be."""
    try:
        many = document if isinstance(document, list) else [document]
        providers = msgspec.convert(many, list[_Provider])
    except msgspec.ValidationError as error:
        raise BadRequest(
            f"The price list cannot be read: {error}.", code="bad_price_list"
        ) from None
    return PriceList(ORIGIN, day, choose(_offers(providers, day)))


def _offers(providers: list[_Provider], day: date) -> Iterator[Offer]:
    patterns: list[Offer] = []
    for provider in providers:
        for model in provider.models:
            steps = _steps(model, day)
            if not steps:
                continue
            exact, literals = {model.id}, set[str]()
            _collect(model.match, exact, literals, 0)
            for name in sorted(exact):
                yield Offer(provider.id, _key(name), steps)
            patterns += (Offer(provider.id, _key(name), steps) for name in sorted(literals - exact))
    yield from patterns


def _key(name: str) -> Key:
    model, region = parse(name)
    if region is None and name.startswith("anthropic."):
        region = REGIONAL
    return Key(key(model), "" if region in (None, "global") else str(region))


def _collect(match: object, exact: set[str], literals: set[str], depth: int) -> None:
    """The names in the rules by which a model is recognised."""
    if not isinstance(match, dict) or depth > _DEPTH_MAX:
        return
    for kind, value in match.items():
        if isinstance(value, list) and kind in ("or", "and"):
            for item in value[:_NAMES_MAX]:
                _collect(item, exact, literals, depth + 1)
        elif isinstance(value, str) and kind == "equals":
            exact.add(value)
        elif isinstance(value, str) and kind in ("starts_with", "contains", "ends_with"):
            literals.add(value.rstrip("@-"))


def _steps(model: _Model, day: date) -> Steps:
    """The prices by the days from which they hold. Where a price depends on the hour, the highest
    of its hours is taken."""
    rows = model.prices if isinstance(model.prices, list) else [{"prices": model.prices}]
    dated = [_dated(row.get("constraint"), row.get("prices")) for row in rows]
    daily = sorted(
        (dated_price for dated_price in dated if not dated_price.is_hourly),
        key=lambda dated_price: dated_price.start,
    )
    hourly = [dated_price for dated_price in dated if dated_price.is_hourly]
    if not daily:
        return ()
    highest = max([daily[-1], *hourly], key=_first_price)
    daily[-1] = _Dated(daily[-1].start, highest.prices)
    variants = [_variant(variant) for variant in model.price_variants or []]
    starts = {dated_price.start for dated_price in daily} | {start for start, _, _ in variants}
    steps: list[tuple[date, Price]] = []
    for start in sorted(starts):
        price = _price(daily, variants, start, day)
        if price is not None and (not steps or steps[-1][1] != price):
            steps.append((start, price))
    return tuple(steps)


def _dated(constraint: object, prices: object) -> _Dated:
    if not isinstance(prices, dict):
        raise BadRequest("A price of the list is not an object.", code="bad_price_list")
    if not isinstance(constraint, dict):
        return _Dated(date.min, prices)
    start = constraint.get("start_date")
    if start is None:
        return _Dated(date.min, prices, is_hourly=True)
    return _Dated(_day(start), prices)


def _day(text: object) -> date:
    try:
        return text if isinstance(text, date) else date.fromisoformat(str(text))
    except ValueError:
        why = f"{str(text)[:40]!r} is not a day"
        raise BadRequest(f"The price list cannot be read: {why}.", code="bad_price_list") from None


def _first_price(dated: _Dated) -> int:
    return _amount(dated.prices.get(_MEMBERS[0]), 0) or 0


def _price(daily: list[_Dated], variants: list[_Variant], start: date, day: date) -> Price | None:
    prices = _of(daily, start)
    standard = _schedule(prices)
    if standard is None:
        return None

    def mode(name: str) -> Schedule | None:
        """The first variant that holds. Before any did, the first one of the same plain price: when
        a list began to have variants does not show when they began to be sold. A member that a
        variant leaves out costs what it does without it."""
        named = [variant for variant in variants if variant.when in _MODES[name]]
        past = [dated_price for dated_price in named if dated_price.start <= start]
        later = [dated_price for dated_price in named if _of(daily, dated_price.start) == prices]
        own = next(iter(past or later), None)
        return None if own is None else _schedule({**prices, **own.prices})

    modes = {name: mode(name) for name in _MODES}
    return Price(standard, **modes, as_of=day)


def _of(daily: list[_Dated], day: date) -> Mapping[str, Any]:
    """The plain prices of a day; before the first of them, the first."""
    return [
        dated_price for dated_price in daily if dated_price.start <= day or dated_price is daily[0]
    ][-1].prices


def _variant(variant: Mapping[str, Any]) -> _Variant:
    dated = _dated(variant.get("constraint"), variant.get("prices"))
    return _Variant(dated.start, variant.get("when"), dated.prices)


def _schedule(prices: Mapping[str, Any]) -> Schedule | None:
    values = [prices.get(name) for name in _MEMBERS]
    if _amount(values[0], 0) is None:
        return None
    limits = sorted({limit for value in values for limit in _limits(value)})
    return Schedule(
        Amounts._make(_amount(value, 0) for value in values),
        tuple(
            ContextTier(limit, Amounts._make(_amount(value, limit) for value in values))
            for limit in limits
        ),
    )


def _limits(value: object) -> list[int]:
    return [start for start, _ in _tiers(value)]


def _amount(value: object, limit: int) -> int | None:
    """The price above so many tokens; of 0 the price without a tier."""
    amount = value.get("base") if isinstance(value, dict) else value
    for start, price in _tiers(value):
        if start <= limit:
            amount = price
    return picodollars(amount, _MTOK)


def _tiers(value: object) -> list[tuple[int, object]]:
    rows = value.get("tiers") if isinstance(value, dict) else None
    tiers = [
        (row["start"], row.get("price"))
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and type(row.get("start")) is int and 0 < row["start"] < 2**53
    ]
    return sorted(tiers, key=lambda tier: tier[0])
