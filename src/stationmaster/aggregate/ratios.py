"""Exact arithmetic for the few figures that are no integers.

Ratios are taken from integers and rounded half up to four decimals at the very end, so that they
depend neither on the order of events nor on the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_SCALE = 10_000


def ratio(numerator: int, denominator: int) -> float:
    """One number over another, 0 where there is nothing to divide by."""
    return rounded(Fraction(numerator, denominator)) if denominator else 0.0


def rounded(value: Fraction) -> float:
    """A non-negative fraction to four decimals, halves up."""
    scaled = (2 * value.numerator * _SCALE + value.denominator) // (2 * value.denominator)
    return scaled / _SCALE


def mean(values: Sequence[Fraction]) -> float:
    """The mean, 0 of nothing."""
    if not values:
        return 0.0
    # Few denominators are different, and adding equal ones first keeps the numbers small.
    numerators: dict[int, int] = {}
    for value in values:
        numerators[value.denominator] = numerators.get(value.denominator, 0) + value.numerator
    total = sum((Fraction(n, d) for d, n in numerators.items()), Fraction())
    return rounded(total / len(values))


def percentile(ordered: Sequence[Fraction], percent: int) -> float:
    """The percentile of ascending values, interpolated between neighbours; 0 of nothing."""
    if not ordered:
        return 0.0
    whole, part = divmod(percent * (len(ordered) - 1), 100)
    value = ordered[whole]
    if part:
        value += (ordered[whole + 1] - value) * Fraction(part, 100)
    return rounded(value)
