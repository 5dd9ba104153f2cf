"""Exact arithmetic for the few figures that are no integers.

Ratios are taken from integers and rounded half up to four decimals at the very end, so that they
depend neither on the order of events nor on the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

_SCALE = 10_000
Ratio = tuple[int, int]
"""Numerator and denominator, the latter positive."""


def ratio(numerator: int, denominator: int) -> float:
    """One non-negative number over another, 0 where there is nothing to divide by."""
    if not denominator:
        return 0.0
    return (2 * numerator * _SCALE + denominator) // (2 * denominator) / _SCALE


def ascending(values: Iterable[Ratio]) -> list[Ratio]:
    """From the smallest to the largest."""
    return sorted(values, key=lambda value: value[0] / value[1])


def mean(values: Sequence[Ratio]) -> float:
    """The mean, 0 of nothing."""
    if not values:
        return 0.0
    # Few denominators are different, and adding equal ones first keeps the numbers small.
    numerators: dict[int, int] = {}
    for numerator, denominator in values:
        numerators[denominator] = numerators.get(denominator, 0) + numerator
    total = sum((Fraction(n, d) for d, n in numerators.items()), Fraction())
    return _rounded(total / len(values))


def percentile(ordered: Sequence[Ratio], percent: int) -> float:
    """The percentile of ascending values, interpolated between neighbours; 0 of nothing."""
    if not ordered:
        return 0.0
    whole, part = divmod(percent * (len(ordered) - 1), 100)
    value = Fraction(*ordered[whole])
    if part:
        value += (Fraction(*ordered[whole + 1]) - value) * Fraction(part, 100)
    return _rounded(value)


def _rounded(value: Fraction) -> float:
    return ratio(value.numerator, value.denominator)
