"""A price as a rate card spells it, in US dollars per million tokens, read into a `Price`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec

from stationmaster.errors import BadRequest
from stationmaster.pricing.credits.price import MODES, Amounts, ContextTier, Price, Schedule

USD_MAX = 100_000
"""Dollars per million tokens."""
_DECIMALS = 6
_TIERS_MAX = 16


class UsdAmounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """US dollars per million tokens; None is an unknown price."""

    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None


class UsdTier(UsdAmounts, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The amounts of a context tier."""

    tokens: int
    """The tier holds for calls whose whole input is larger."""


class UsdSchedule(UsdAmounts, frozen=True, forbid_unknown_fields=True):
    """The amounts of a mode, and `above` those of its context tiers, ascending."""

    above: tuple[UsdTier, ...] = ()


class Usd(UsdSchedule, frozen=True, forbid_unknown_fields=True):
    """A price: the standard mode's schedule, and those of the other modes that have one."""

    fast: UsdSchedule | None = None
    flex: UsdSchedule | None = None
    priority: UsdSchedule | None = None
    batch: UsdSchedule | None = None
    context_max: int | None = None
    """Longer calls cost more, and how much is unknown: a tier without amounts."""
    as_of: date | None = None


def fault(why: str) -> BadRequest:
    """The error for a rate card that cannot be used."""
    return BadRequest(f"The rate card cannot be read: {why}.", code="bad_rates")


def read(usd: Usd, path: str) -> Price:
    """The price at `path` of a card. Raises BadRequest that names the wrong member."""
    standard = _schedule(usd, path)
    if usd.context_max is not None:
        if not 0 < usd.context_max < 2**53:
            raise fault(f"{path}.context_max is not a number of tokens")
        if standard.tiers:
            raise fault(f"{path} has both context_max and above")
        standard = Schedule(standard.amounts, (ContextTier(usd.context_max, Amounts()),))
    return Price(
        standard,
        fast=_optional(usd.fast, f"{path}.fast"),
        flex=_optional(usd.flex, f"{path}.flex"),
        priority=_optional(usd.priority, f"{path}.priority"),
        batch=_optional(usd.batch, f"{path}.batch"),
        as_of=usd.as_of,
    )


def write(price: Price) -> Usd:
    """What `read` reads, without `as_of`."""
    modes = {mode: price.schedule(mode) for mode in MODES if mode != "standard"}
    members: dict[str, object] = {
        **_dollars(price.standard),
        **{
            str(mode): _dollars(schedule)
            for mode, schedule in modes.items()
            if schedule is not None
        },
    }
    return msgspec.convert(members, Usd)


def _dollars(schedule: Schedule) -> dict[str, object]:
    above = [{**_decimals(tier.amounts), "tokens": tier.above} for tier in schedule.tiers]
    return {**_decimals(schedule.amounts), "above": above}


def _decimals(amounts: Amounts) -> dict[str, object]:
    return {
        name: Decimal(f"{Decimal(amount).scaleb(-_DECIMALS).normalize():f}")
        for name, amount in amounts._asdict().items()
        if amount is not None
    }


def _optional(schedule: UsdSchedule | None, path: str) -> Schedule | None:
    return None if schedule is None else _schedule(schedule, path)


def _schedule(usd: UsdSchedule, path: str) -> Schedule:
    limits = [tier.tokens for tier in usd.above]
    if limits != sorted(set(limits)) or not all(0 < limit < 2**53 for limit in limits):
        raise fault(f"{path}.above is not in order of its numbers of tokens")
    if len(limits) > _TIERS_MAX:
        raise fault(f"{path}.above has more than {_TIERS_MAX} tiers")
    tiers = (
        ContextTier(tier.tokens, _amounts(tier, f"{path}.above[{n}]"))
        for n, tier in enumerate(usd.above)
    )
    return Schedule(_amounts(usd, path), tuple(tiers))


def _amounts(usd: UsdAmounts, path: str) -> Amounts:
    def amount(name: str) -> int | None:
        value: Decimal | None = getattr(usd, name)
        return None if value is None else scaled(value, _DECIMALS, USD_MAX, f"{path}.{name}")

    return Amounts._make(amount(name) for name in Amounts._fields)


def scaled(value: Decimal, digits: int, most: int, path: str) -> int:
    """A number with at most so many decimals, as an integer of its last one."""
    if not value.is_finite() or not 0 <= value <= most:
        raise fault(f"{path} is not a number from 0 to {most}")
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -digits:
        raise fault(f"{path} has more than {digits} decimals")
    return int(value.scaleb(digits))
