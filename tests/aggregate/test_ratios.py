from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from stationmaster.aggregate import ratios

_ratios = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 40)), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [(0, 0, 0.0), (7, 0, 0.0), (1, 3, 0.3333), (2, 3, 0.6667), (1, 32, 0.0313), (5, 1, 5.0)],
)
def test_a_ratio_has_four_decimals_rounded_half_up(
    numerator: int, denominator: int, expected: float
) -> None:
    assert ratios.ratio(numerator, denominator) == expected


def test_nothing_has_the_mean_and_the_percentile_zero() -> None:
    assert ratios.mean([]) == 0.0
    assert ratios.percentile([], 50) == 0.0


def test_a_percentile_lies_between_its_neighbours() -> None:
    ordered = ratios.ascending([(4, 1), (1, 1), (3, 1), (2, 1)])

    assert ratios.percentile(ordered, 50) == 2.5
    assert ratios.percentile(ordered, 90) == 3.7
    assert ratios.percentile(ordered, 0) == 1.0
    assert ratios.percentile(ordered, 100) == 4.0


@given(_ratios)
def test_the_mean_is_exact(values: list[tuple[int, int]]) -> None:
    exact = sum((Fraction(*value) for value in values), Fraction()) / len(values)

    assert ratios.mean(values) == int(exact * 10_000 + Fraction(1, 2)) / 10_000
