from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.pricing.credits.card import Rate
from stationmaster.pricing.credits.rates import credits


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ((0, 0, 0, 0), 0),
        ((100, 20, 1000, 7), 227),
        ((0, 0, 4, 0), 0),
        ((0, 0, 5, 0), 1),
    ],
)
def test_credits_weigh_cache_reads_one_tenth_and_round_half_up(
    counters: tuple[int, int, int, int], expected: int
) -> None:
    assert credits(Rate(1000), *counters) == expected


def test_credits_multiply_before_they_round() -> None:
    assert credits(Rate(120), 10, 3, 25, 0) == 2
    assert credits(Rate(12000), 1, 0, 1, 0) == 13


def test_a_cards_own_weights_of_the_cache_count() -> None:
    assert credits(Rate(1000, cache_read_milli=25), 0, 0, 1000, 8) == 33
    assert credits(Rate(2000, cache_write_milli=1250), 0, 0, 10, 8) == 22


@given(milli=st.integers(0, 12_000), tokens=st.integers(0, 10**9))
def test_credits_of_plain_tokens_are_their_product(milli: int, tokens: int) -> None:
    assert abs(credits(Rate(milli), tokens, 0, 0, 0) * 1000 - milli * tokens) <= 500
