"""Which line of the rate card a model belongs to."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from msgspec import Struct

from stationmaster.credits import dollars
from stationmaster.credits.card import UNKNOWN, Card, Family, Rate, Tier
from stationmaster.credits.price import Price


class ListPrice(Struct, frozen=True):
    """US dollars per million tokens as decimal numbers; null is unknown. A call with more than
    `context_max` tokens of input costs more. `as_of` is when the price was seen on its list."""

    input: str | None
    output: str | None
    cache_read: str | None
    cache_write: str | None
    context_max: int | None
    as_of: str | None


class RateLine(Struct, frozen=True):
    """The rate of a model and tier, or of a family. `source` is the card and `line` where the
    family begins in it; `since` the first day of the step. Nulls: a model that no card names has
    no source, the multiplier of the reference model, and no price."""

    model: str
    tier: Tier | None
    source: str | None
    line: int | None
    since: str | None
    multiplier: str
    cache_read: str
    cache_write: str
    usd: ListPrice | None


class RateLines(Struct, frozen=True):
    day: str
    rates: list[RateLine]


def of_model(card: Card, model: str, day: date) -> RateLines:
    """Both tiers of a model, or one line where they are the same."""
    standard, thinking = card.family(model, "standard"), card.family(model, "thinking")
    if standard is thinking:
        return RateLines(day.isoformat(), [_line(model, None, standard, day)])
    both = [_line(model, "standard", standard, day), _line(model, "thinking", thinking, day)]
    return RateLines(day.isoformat(), both)


def everything(card: Card, day: date) -> RateLines:
    """Every family in the order in which they are tried, named by its prefixes and words."""
    return RateLines(
        day.isoformat(),
        [_line(family.name, family.tier, family, day) for family in card.families],
    )


def _line(model: str, tier: Tier | None, family: Family | None, day: date) -> RateLine:
    if family is None:
        return RateLine(model, tier, None, None, None, *_weights(UNKNOWN), None)
    since, rate = family.step(day)
    price = None if rate.usd is None else _list_price(rate.usd)
    place = (family.source, family.line, since.isoformat())
    return RateLine(model, tier, *place, *_weights(rate), price)


def _list_price(usd: Price) -> ListPrice:
    amounts, tiers = usd.standard
    return ListPrice(
        input=_dollars(amounts.input),
        output=_dollars(amounts.output),
        cache_read=_dollars(amounts.cache_read),
        cache_write=_dollars(amounts.cache_write),
        context_max=tiers[0].above if tiers else None,
        as_of=None if usd.as_of is None else usd.as_of.isoformat(),
    )


def _dollars(micro: int | None) -> str | None:
    return None if micro is None else dollars.text(micro * 10**6)


def _weights(rate: Rate) -> tuple[str, str, str]:
    return (
        _thousandths(rate.multiplier_milli),
        _thousandths(rate.cache_read_milli),
        _thousandths(rate.cache_write_milli),
    )


def _thousandths(value: int) -> str:
    return str(Decimal(value).scaleb(-3))
