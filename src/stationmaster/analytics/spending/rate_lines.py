"""Which line of the rate card a model belongs to."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.card import UNKNOWN, Card, Family, Quote, Rate, Tier
from stationmaster.pricing.credits.price import MODES, Amounts, Schedule


class ListAmounts(Struct, frozen=True):
    """US dollars per million tokens as decimal numbers; null is unknown. `cache_write` is for
    writes that are kept for the shortest time, `cache_write_1h` for those kept for an hour."""

    input: str | None
    output: str | None
    cache_read: str | None
    cache_write: str | None
    cache_write_1h: str | None


class ListTier(ListAmounts, frozen=True):
    """The price of calls with more than `tokens` of input, cached input included; for the whole
    call."""

    tokens: int


class ListSchedule(ListAmounts, frozen=True):
    above: list[ListTier]


class ListPrice(ListSchedule, frozen=True):
    """A model's price. The modes are null where they have no published price. `as_of` is when
    the price was last compared with its source, `region` the region of the price; null is the
    price of the original provider. `context_max` is the first limit of `above`."""

    fast: ListSchedule | None
    flex: ListSchedule | None
    priority: ListSchedule | None
    batch: ListSchedule | None
    region: str | None
    context_max: int | None
    as_of: str | None


class RateLine(Struct, frozen=True):
    """The rate of a model and tier, or of a family. `source` is the card or list with the
    price, or the weights if there is no price; `line` is where the family begins in a card,
    `since` the first day. An unknown model has no source, the multiplier of the reference
    model, and no price; a rate without a first day has no `since`."""

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


def of_model(card: Card, model: str, day: date, region: str | None = None) -> RateLines:
    """Both tiers of a model, or one line where they are the same."""
    standard, thinking = (
        _line(card, model, tier, day, region) for tier in ("standard", "thinking")
    )
    if replace(thinking, tier=None) == replace(standard, tier=None):
        return RateLines(day.isoformat(), [replace(standard, tier=None)])
    return RateLines(day.isoformat(), [standard, thinking])


def everything(card: Card, day: date) -> RateLines:
    """Every family in the order in which they are tried, named by its prefixes and words, and every
    model of the lists."""
    families = [_of_family(family, day) for family in card.families]
    names = sorted({key for list_ in card.lists for key in list_.prices})
    listed = [_line(card, key.model, "standard", day, key.region) for key in names]
    return RateLines(day.isoformat(), families + [replace(line, tier=None) for line in listed])


def _of_family(family: Family, day: date) -> RateLine:
    since, rate = family.step(day)
    quote = None
    if rate.usd is not None:
        quote = Quote(rate.usd, family.source, family.name, "", since, family.line)
    place = (family.source, family.line, _since(since))
    return RateLine(family.name, family.tier, *place, *_weights(rate), _list_price(quote))


def _line(card: Card, model: str, tier: Tier, day: date, region: str | None) -> RateLine:
    family = card.family(model, tier)
    quote = card.find(model, tier, day, region)
    source, line, since = None, None, None
    rate = UNKNOWN
    if family is not None:
        since, rate = family.step(day)
        source, line = family.source, family.line
    if quote is not None:
        source, line, since = quote.source, quote.line, quote.since
    place = (source, line, None if since is None else _since(since))
    return RateLine(model, tier, *place, *_weights(rate), _list_price(quote))


def _since(day: date) -> str | None:
    return None if day == date.min else day.isoformat()


def _list_price(quote: Quote | None) -> ListPrice | None:
    if quote is None:
        return None
    price = quote.price
    limits = [tier.above for tier in price.standard.tiers]
    modes = [mode for mode in MODES if mode != "standard"]
    members: dict[str, object] = {
        **_members(price.standard),
        **{str(mode): _optional(price.schedule(mode)) for mode in modes},
        "region": quote.region or None,
        "context_max": limits[0] if limits else None,
        "as_of": None if price.as_of is None else price.as_of.isoformat(),
    }
    return msgspec.convert(members, ListPrice)


def _optional(schedule: Schedule | None) -> dict[str, object] | None:
    return None if schedule is None else _members(schedule)


def _members(schedule: Schedule) -> dict[str, object]:
    above = [{**_dollars(tier.amounts), "tokens": tier.above} for tier in schedule.tiers]
    return {**_dollars(schedule.amounts), "above": above}


def _dollars(amounts: Amounts) -> dict[str, object]:
    return {name: dollars_of(amount) for name, amount in amounts._asdict().items()}


def dollars_of(amount: int | None) -> str | None:
    """Picodollars per token as dollars per million tokens."""
    return None if amount is None else dollars.text(amount * 10**6)


def _weights(rate: Rate) -> tuple[str, str, str]:
    return (
        _thousandths(rate.multiplier_milli),
        _thousandths(rate.cache_read_milli),
        _thousandths(rate.cache_write_milli),
    )


def _thousandths(value: int) -> str:
    return str(Decimal(value).scaleb(-3))
