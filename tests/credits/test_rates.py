from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.credits.rates import Rate, credits, parse, rate
from stationmaster.errors import OperatorError

DAY = date(2026, 11, 10)


@pytest.mark.parametrize(
    ("model", "milli"),
    [
        ("claude-opus-4-5-20251101", 2000),
        ("claude-opus-4-1", 6000),
        ("claude-3-opus-20240229", 6000),
        ("claude-sonnet-4-5", 1200),
        ("claude-haiku-4-5-20251001", 400),
        ("claude-3-5-haiku-20241022", 300),
        ("gpt-5.2-codex", 700),
        ("gpt-5.1-codex-max", 500),
        ("gpt-5-mini", 250),
        ("gpt-5-pro", 12000),
        ("GPT-5-Nano", 120),
        ("gemini-2.5-pro", 800),
        ("gemini-2.5-flash-lite", 120),
        ("qwen3-coder-plus", 250),
    ],
)
def test_a_listed_model_has_its_familys_multiplier(model: str, milli: int) -> None:
    assert rate(model, DAY) == Rate(milli, is_known=True)


@pytest.mark.parametrize("model", ["", "house-model", "__proto__", "unclaude-opus"])
def test_an_unlisted_model_costs_like_the_reference_and_says_so(model: str) -> None:
    assert rate(model, DAY) == Rate(1000, is_known=False)


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
    assert credits(1000, *counters) == expected


def test_credits_multiply_before_they_round() -> None:
    assert credits(120, 10, 3, 25, 0) == 2
    assert credits(12000, 1, 0, 1, 0) == 13


@given(milli=st.integers(0, 12_000), tokens=st.integers(0, 10**9))
def test_credits_of_plain_tokens_are_their_product(milli: int, tokens: int) -> None:
    assert abs(credits(milli, tokens, 0, 0, 0) * 1000 - milli * tokens) <= 500


def test_the_step_in_force_on_a_day_counts() -> None:
    card = parse(
        """[[families]]
        prefixes = ["a-"]
        steps = [{ from = 2025-01-01, multiplier = 1.0 }, { from = 2026-11-10, multiplier = 2.5 }]
        """
    )

    assert card.rate("a-1", date(2026, 11, 9)) == Rate(1000, is_known=True)
    assert card.rate("a-1", date(2026, 11, 10)) == Rate(2500, is_known=True)
    assert card.rate("a-1", date(2020, 1, 1)) == Rate(1000, is_known=True)


@pytest.mark.parametrize(
    "text",
    [
        "families = 3",
        "[[families]",
        '[[families]]\nprefixes = ["a"]\nsteps = []',
        '[[families]]\nprefixes = ["a"]\nsteps = [{ from = 2026-01-01, multiplier = 1 },'
        " { from = 2025-01-01, multiplier = 1 }]",
    ],
)
def test_a_card_that_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse(text)

    assert caught.value.code == "bad_rates"
