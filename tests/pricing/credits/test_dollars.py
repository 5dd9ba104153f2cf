"""Dollars by hand, from public list prices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from stationmaster.pricing.credits import dollars
from stationmaster.pricing.credits.price import Amounts, Price, Schedule
from stationmaster.pricing.credits.rates import card

Counters = tuple[int, int, int, int]


def price(model: str, day: date) -> Price | None:
    return card().rate(model, "standard", day).usd


@pytest.mark.parametrize(
    ("model", "day", "counters", "expected"),
    [
        # 818 x 3 + 51933 x 15 + 3647854 x 0.30 + 137976 x 3.75 = 2393215.2 microdollars
        ("claude-sonnet-4-5", "2026-11-10", (818, 51_933, 3_647_854, 137_976), "2.3932152"),
        # 1000000 x 5 + 1000000 x 25 + 1000000 x 0.50 + 1000000 x 6.25
        ("claude-opus-4-5-20251101", "2026-11-10", (10**6,) * 4, "36.75"),
        # 1203 x 1.25 + 57 x 10
        ("gpt-5.1-codex", "2026-11-10", (1203, 57, 0, 0), "0.00207375"),
        # 7 x 1.32 + 1 x 3.96 + 3 x 0.044
        ("deepseek-v4-pro", "2026-11-10", (7, 1, 3, 0), "0.000013332"),
        # 11855 x 0.30 + 228 x 2.50 + 11502 x 0.03
        ("gemini-2.5-flash", "2026-11-10", (11_855, 228, 11_502, 0), "0.00447156"),
        # The cut of 2026-07-30: 2.50 + 15 before, 2 + 12 from then on.
        ("gpt-5.6-terra", "2026-07-29", (10**6, 10**6, 0, 0), "17.50"),
        ("gpt-5.6-terra", "2026-07-30", (10**6, 10**6, 0, 0), "14.00"),
        ("gpt-5.2", "2026-11-10", (0, 0, 0, 0), "0.00"),
    ],
)
def test_a_models_tokens_cost_their_list_price_to_the_last_digit(
    model: str, day: str, counters: Counters, expected: str
) -> None:
    amount = dollars.cost(price(model, date.fromisoformat(day)), counters)

    assert amount is not None
    assert dollars.text(amount) == expected


def test_tokens_without_a_price_have_no_cost_and_say_which_they_are() -> None:
    known = Price(Schedule(Amounts(1, 2)))

    assert dollars.cost(known, (1, 1, 0, 0)) == 3
    assert dollars.cost(known, (1, 1, 1, 0)) is None
    assert dollars.missing(known, (1, 1, 1, 1)) == ("cache_read", "cache_write")
    assert dollars.cost(None, (1, 0, 0, 0)) is None
    assert dollars.missing(None, (1, 0, 0, 0)) == ("input",)
    assert dollars.cost(None, (0, 0, 0, 0)) == 0


@given(st.integers(-(10**24), 10**24))
def test_a_text_is_the_amount_exactly(amount: int) -> None:
    assert Decimal(dollars.text(amount)) == Decimal(amount).scaleb(-12)


@given(st.lists(st.tuples(*[st.integers(0, 10**9)] * 4)))
def test_costs_of_parts_add_up_to_the_cost_of_the_whole(parts: list[Counters]) -> None:
    known = Price(Schedule(Amounts(3_000_000, 15_000_000, 300_000, 3_625)))
    whole = (
        sum(part[0] for part in parts),
        sum(part[1] for part in parts),
        sum(part[2] for part in parts),
        sum(part[3] for part in parts),
    )

    assert sum(dollars.cost(known, part) or 0 for part in parts) == dollars.cost(known, whole)
