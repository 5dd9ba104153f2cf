from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import BadRequest, OperatorError
from stationmaster.pricing import cards
from stationmaster.pricing.credits.card import UNKNOWN, Card, Rate
from stationmaster.pricing.credits.price import Amounts, Price, Schedule
from stationmaster.pricing.credits.rates import BUILT_IN, card
from stationmaster.pricing.credits.reading import CARD_LENGTH_MAX, parse

DAY = date(2026, 11, 10)


def step(text: str) -> str:
    """A card of one family `a-` with one step."""
    return f'[[families]]\nprefixes = ["a-"]\nsteps = [{{ from = 2025-01-01, {text} }}]\n'


def read(text: str) -> Card:
    return parse(text, "test")


@pytest.mark.parametrize(
    ("model", "milli"),
    [
        ("claude-opus-4-5-20251101", 2000),
        ("claude-opus-4-1", 6000),
        ("claude-3-opus-20240229", 6000),
        ("claude-opus-4-20250514", 6000),
        ("claude-sonnet-4-5", 1200),
        ("claude-sonnet-4.5", 1200),
        ("claude-4.5-sonnet", 1200),
        ("claude-sonnet-4-5[1m]", 1200),
        ("claude-haiku-4-5-20251001", 400),
        ("claude-3-5-haiku-20241022", 300),
        ("claude-fable-5", 4000),
        ("gpt-5.2-codex", 700),
        ("gpt-5.1-codex-max", 500),
        ("gpt-5-mini", 250),
        ("gpt-5-pro", 12000),
        ("GPT-5-Nano", 120),
        ("gpt-5.6-terra", 1000),
        ("gemini-2.5-pro", 800),
        ("gemini-2.5-flash-lite", 120),
        ("qwen3-coder-plus", 250),
    ],
)
def test_a_listed_model_has_its_familys_multiplier(model: str, milli: int) -> None:
    rate = card().rate(model, "standard", DAY)

    assert rate.is_known
    assert rate.multiplier_milli == milli


@pytest.mark.parametrize("model", ["", "house-model", "__proto__", "unclaude-opus", "gpt-5.7"])
def test_an_unlisted_model_weighs_like_the_reference_has_no_price_and_says_so(model: str) -> None:
    assert card().rate(model, "standard", DAY) == UNKNOWN == Rate(1000, is_known=False)


def test_no_family_of_the_built_in_card_is_hidden_behind_an_earlier_one() -> None:
    for family in card().families:
        rest = "".join(f"-{word}" for word in family.words)
        found = [card().family(each + rest, "standard") for each in family.prefixes]
        assert family in found, family


def test_a_price_is_kept_in_microdollars_per_million_tokens_exactly() -> None:
    found = read(step("multiplier = 0.7, usd = { input = 0.435, cache_read = 0.003625 }"))

    assert found.rate("a-1", "standard", DAY) == Rate(
        700, usd=Price(Schedule(Amounts(input=435_000, cache_read=3_625)))
    )


@given(st.decimals(0, 100_000, places=6))
def test_every_price_of_six_decimals_survives_exactly(price: Decimal) -> None:
    usd = read(step(f"multiplier = 1, usd = {{ input = {price:f} }}")).rate("a-", "standard", DAY)

    assert usd.usd is not None
    assert usd.usd.standard.amounts.input == int(price * 1_000_000)


def test_the_step_in_force_on_a_utc_day_counts() -> None:
    found = read(
        """[[families]]
        prefixes = ["a-"]
        steps = [{ from = 2025-01-01, multiplier = 1.0 }, { from = 2026-11-10, multiplier = 2.5 }]
        """
    )

    assert found.rate("a-1", "standard", date(2026, 11, 9)) == Rate(1000)
    assert found.rate("a-1", "standard", date(2026, 11, 10)) == Rate(2500)
    assert found.rate("a-1", "standard", date(2020, 1, 1)) == Rate(1000)


def test_prices_change_on_starts_alone() -> None:
    models = ["claude-opus-4-5", "gpt-5.2-codex", "gemini-2.5-pro", "deepseek-chat"]

    for first, after in pairwise(card().starts()):
        last = after - timedelta(days=1)
        for model in models:
            assert card().rate(model, "standard", first) == card().rate(model, "standard", last)


def test_a_family_of_a_tier_is_about_that_tier_alone() -> None:
    found = read(
        """[[families]]
        prefixes = ["a-"]
        tier = "thinking"
        steps = [{ from = 2025-01-01, multiplier = 3 }]
        [[families]]
        prefixes = ["a-"]
        steps = [{ from = 2025-01-01, multiplier = 1, cache_read = 0.025, cache_write = 1.25 }]
        """
    )

    assert found.rate("a-1", "thinking", DAY) == Rate(3000)
    assert found.rate("a-1", "standard", DAY) == Rate(
        1000, cache_read_milli=25, cache_write_milli=1250
    )


def test_a_prefix_that_ends_in_a_digit_ends_a_number_there() -> None:
    found = read('[[families]]\nprefixes=["m-5"]\nsteps=[{from=2025-01-01, multiplier=2}]')

    for name in ("m-5", "M-5-codex", "m-5-20260724", "m-5-2026-07-24", "m-5[1m]"):
        assert found.rate(name, "standard", DAY).is_known, name
    for name in ("m-5.1", "m-5-1", "m-51", "m-5-1-20260724", "m-4", "xm-5"):
        assert not found.rate(name, "standard", DAY).is_known, name


def test_a_family_is_told_by_its_card_and_line() -> None:
    own = parse("# ours\n\n" + step("multiplier = 9"), "ours.toml")
    both = own.before(card())

    ours, theirs = both.family("a-1", "standard"), both.family("gpt-5", "standard")
    assert ours is not None
    assert (ours.source, ours.line) == ("ours.toml", 3)
    assert theirs is not None
    assert theirs.source == BUILT_IN
    one_array = 'families = [{prefixes=["a-"], steps=[{from=2025-01-01, multiplier=1}]}]'
    assert read(one_array).families[0].line is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("families = 3", "$.families"),
        ("[[families]", "line 1"),
        ('[[families]]\nprefixes = ["a"]\nsteps = []', "families[0] (line 1).steps is empty"),
        ("[[families]]\nprefixes = []\nsteps = []", "families[0] (line 1).prefixes is empty"),
        (
            '[[families]]\nprefixes = ["a"]\nsteps = [{ from = 2026-01-01, multiplier = 1 },'
            " { from = 2025-01-01, multiplier = 1 }]",
            "not in order of their days",
        ),
        (step("multiplier = -1"), "families[0] (line 1).steps[0].multiplier"),
        (step("multiplier = nan"), "families[0] (line 1).steps[0].multiplier"),
        (step("multiplier = inf"), "families[0] (line 1).steps[0].multiplier"),
        (step("multiplier = 1e999999"), "steps[0].multiplier is not a number from 0 to 100"),
        (step("multiplier = 1e-999999"), "steps[0].multiplier has more than 3 decimals"),
        (step("multiplier = 1e9999999999999999999999"), "a number is too large"),
        (step("multiplier = " + "9" * 400), "steps[0].multiplier is not a number from 0 to 100"),
        (step("multiplier = 0.0001"), "more than 3 decimals"),
        (step("multiplier = true"), "$.families[0].steps[0].multiplier"),
        (step("multiplier = [1]"), "$.families[0].steps[0].multiplier"),
        (step("multipler = 1"), "multipler"),
        (step("multiplier = 1, usd = { input = -0.01 }"), "steps[0].usd.input"),
        (step("multiplier = 1, usd = { input = nan }"), "steps[0].usd.input"),
        (step("multiplier = 1, usd = { output = 100001 }"), "steps[0].usd.output"),
        (step("multiplier = 1, usd = { cache_read = 0.0000001 }"), "more than 6 decimals"),
        (step("multiplier = 1, usd = { context_max = 0 }"), "steps[0].usd.context_max"),
        (step("multiplier = 1, usd = { euros = 1 }"), "euros"),
        (step("multiplier = 1, cache_write = 11"), "steps[0].cache_write"),
        ('[[families]]\nprefixes=["a"]\nsteps=[{from="soon", multiplier=1}]', "from"),
        ('[[families]]\nprefixes=["a"]\ntier="x"\nsteps=[]', "tier"),
        ("x = " + "[\n" * 30_000, "nested too deeply"),
        ("x = " + "{a=" * 100 + "\n", "line"),
        (".".join(["a"] * 5_000) + " = 1", "line 1 is longer than 500 characters"),
        ("#" * 10_000_000, f"longer than {CARD_LENGTH_MAX} characters"),
        ('families = []\nx = "\\ud800"', "line 2"),
    ],
    ids=lambda value: value[:40],
)
def test_a_card_that_cannot_be_meant_is_refused_with_the_place(text: str, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(text)

    assert caught.value.code == "bad_rates"
    assert why in caught.value.detail


@given(st.text())
def test_whatever_stands_in_a_card_it_reads_or_is_refused(text: str) -> None:
    with suppress(BadRequest):
        read(text)


def test_an_own_card_is_tried_first(tmp_path: Path) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(
        '[[families]]\nprefixes = ["claude-opus"]\nsteps = [{from = 2025-01-01, multiplier = 0}]'
    )
    both = cards.read(file).card

    listed = card().rate("claude-opus-4-5", "standard", DAY)
    assert both.rate("claude-opus-4-5", "standard", DAY) == Rate(0, usd=listed.usd)
    assert both.rate("gpt-5", "standard", DAY) == card().rate("gpt-5", "standard", DAY)


@pytest.mark.parametrize("content", [b"families = 3", b"\xff\xfe", None])
def test_an_own_card_that_does_not_read_is_told_with_its_path(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "rates.toml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(OperatorError) as caught:
        cards.read(file)

    assert caught.value.code == "bad_rate_card"
    assert str(file) in caught.value.detail
