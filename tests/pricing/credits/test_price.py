"""What single calls cost, by hand from public list prices."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.pricing.credits.price import (
    MODES,
    Amounts,
    Call,
    ContextTier,
    Price,
    Schedule,
    brackets,
    call_cost,
)

# Claude Haiku 5.5: everything costs five times as much in calls with over 100,000 tokens of input.
HAIKU = Price(
    Schedule(
        Amounts(100_000, 500_000, 10_000, 125_000, 200_000),
        (ContextTier(100_000, Amounts(500_000, 2_500_000, 50_000, 625_000, 1_000_000)),),
    )
)
# Claude Opus 5.5: fast is twice the price.
OPUS = Price(
    Schedule(Amounts(4_000_000, 20_000_000, 200_000, 5_000_000, 8_000_000)),
    fast=Schedule(Amounts(8_000_000, 40_000_000, 400_000, 10_000_000, 16_000_000)),
)


@pytest.mark.parametrize(
    ("price", "call", "dollars"),
    [
        (HAIKU, Call(input=150_000, output=1_000), 0.0775),
        (HAIKU, Call(input=100_000, output=1_000), 0.0105),
        (HAIKU, Call(input=1, cache_read=50_000, cache_write=50_000), 0.0337505),
        (OPUS, Call(cache_write=100_000, cache_write_1h=100_000), 0.80),
        (OPUS, Call(cache_write=100_000, cache_write_1h=40_000), 0.62),
        (OPUS, Call(cache_write=100_000), 0.50),
        (OPUS, Call(input=1_000, output=1_000, mode="fast"), 0.048),
        (OPUS, Call(input=1_000, output=1_000), 0.024),
    ],
)
def test_a_call_costs_by_its_own_length_speed_and_cache_retention(
    price: Price, call: Call, dollars: float
) -> None:
    assert call_cost(price, call) == round(dollars * 10**12)


def test_a_call_that_needs_an_unknown_price_has_no_cost() -> None:
    known = Price(Schedule(Amounts(input=1, output=2)))

    assert call_cost(known, Call(input=1, output=1)) == 3
    assert call_cost(known, Call(input=1, cache_read=1)) is None
    assert call_cost(known, Call(cache_write=1, cache_write_1h=1)) is None
    assert call_cost(known, Call(input=1, mode="flex")) is None
    assert call_cost(None, Call(input=1)) is None
    assert call_cost(None, Call()) == 0


@given(st.integers(0, 300_000), st.sampled_from(MODES))
def test_brackets_are_the_same_rule_as_rows(whole_input: int, mode: str) -> None:
    for price in (HAIKU, OPUS):
        rows = [
            bracket
            for bracket in brackets(price)
            if bracket.mode == mode
            and bracket.above < whole_input
            and (bracket.up_to is None or whole_input <= bracket.up_to)
        ]
        schedule = price.schedule(mode)  # type: ignore[arg-type]  # one of the modes

        assert [row.amounts for row in rows] == ([schedule.of(whole_input)] if schedule else [])
