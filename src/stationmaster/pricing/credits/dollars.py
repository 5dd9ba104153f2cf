"""US dollars as integers of 10⁻¹² dollars, so that sums are exact in any order."""

from __future__ import annotations

from stationmaster.pricing.credits.price import Amounts, Price, total

COUNTERS = ("input", "output", "cache_read", "cache_write")
PER_DOLLAR = 10**12
"""Amounts are counted in so many parts of a dollar."""
_CENT_DIGITS = 2


def missing(price: Price | None, counters: tuple[int, int, int, int]) -> tuple[str, ...]:
    """The COUNTERS that hold tokens of unknown price."""
    amounts = (None,) * len(COUNTERS) if price is None else price.standard.amounts[: len(COUNTERS)]
    return tuple(
        name
        for name, tokens, amount in zip(COUNTERS, counters, amounts, strict=True)
        if tokens and amount is None
    )


def cost(price: Price | None, counters: tuple[int, int, int, int]) -> int | None:
    """What sums of tokens of each of the COUNTERS cost, by the lowest tier of the standard mode, as
    it is not known of which calls they are; None where a price is missing."""
    return total(Amounts() if price is None else price.standard.amounts, counters)


def text(amount: int) -> str:
    """Dollars as a decimal number: exact, with two decimals or as many as it takes."""
    sign = "-" if amount < 0 else ""
    dollars, rest = divmod(abs(amount), PER_DOLLAR)
    decimals = f"{rest:012d}".rstrip("0").ljust(_CENT_DIGITS, "0")
    return f"{sign}{dollars}.{decimals}"
