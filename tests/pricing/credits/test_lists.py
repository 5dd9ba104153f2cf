"""What the lists in force say, by hand from the makers' pages and the two published lists."""

from __future__ import annotations

from datetime import date

import pytest

from stationmaster.pricing.credits.card import Card, Key, decode, encode
from stationmaster.pricing.credits.price import Price
from stationmaster.pricing.credits.rates import card
from stationmaster.pricing.credits.reading import parse

DAY = date(2026, 11, 22)
BUILT_IN = card().lists[0]


def price(model: str, region: str | None = None, day: date = DAY, by: Card | None = None) -> Price:
    found = (by or card()).find(model, "standard", day, region)
    assert found is not None, model
    return found.price


def dollars(model: str, region: str | None = None, day: date = DAY) -> list[float | None]:
    """Input, output, cache read, cache write per million tokens."""
    amounts = price(model, region, day).standard.amounts
    return [None if each is None else each / 10**6 for each in amounts[:4]]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gemini-3.6-flash", [0.75, 3.75, 0.075]),
        ("deepseek-v4-flash", [0.30, 1.20, 0.006]),
        ("deepseek-v4-flash-vision-exp", [0.30, 1.20, 0.006]),
        ("deepseek-v4-pro", [1.32, 3.96, 0.044]),
        ("glm-5.3", [1.40, 4.40, 0.26]),
        ("glm-5.3-flash", [0.15, 0.50, 0.03]),
        ("glm-5.3-flashx", [0.37, 1.25]),
        ("kimi-k2.7-code-highspeed", [1.90, 8]),
        ("kimi-k3", [3, 15, 0.30, 3]),
        ("grok-code-fast-1", [1, 2, 0.20]),
        ("grok-4.5", [2, 6, 0.30]),
        ("grok-4.5-fast", [4, 18]),
        ("gpt-5.5-cyber", [12.50, 75]),
        ("o3-deep-research", [10, 40]),
        ("o4-mini-deep-research", [2, 8]),
        ("gpt-4o", [2.50, 10, 1.25]),
        ("gpt-4o-2024-05-13", [5, 15]),
        ("gpt-4o-2024-08-06", [2.50, 10]),
        ("claude-fable-5-2", [8, 40, 0.20, 10]),
        ("claude-mythos-5-2", [8, 40, 0.20, 10]),
        ("gpt-5.6", [4, 20, 0.40, 5]),
        ("gpt-6-cyber", [20, 100]),
        ("gemini-3.7-flash", [0.75, 3.75]),
        ("gemini-3.8-flash", [0.75, 3.75]),
        ("gemini-4-argon", [2, 10]),
        ("gemini-flash-latest", [0.75, 3.75]),
        ("kimi-k3.1-pro", [2, 10]),
        ("grok-4.3", [1.25, 2.50]),
        ("grok-4.20", [1.25, 2.50]),
        ("grok-4.7", [2, 6]),
        ("grok-build", [2, 6]),
        ("glm-4.5", [0.60, 2.20]),
        ("glm-5.1", [1.40, 4.40]),
        ("MiniMax-M2", [0.30, 1.20]),
        ("MiniMax-M3", [0.30, 1.20]),
        ("devstral-medium-latest", [0.40, 2]),
        ("codestral-2508", [0.30, 0.90]),
        ("qwen3-coder-plus", [1, 5]),
        ("composer-2.5", [0.50, 2.50]),
        ("composer-2.5-fast", [3, 15]),
        ("claude-opus-5-5-fast", [8, 40, 0.40, 10]),
    ],
)
def test_models_have_their_own_current_price(model: str, expected: list[float]) -> None:
    assert dollars(model)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("model", "input_dollars"),
    [
        ("openai/gpt-5.5", 5),
        ("claude-4.5-sonnet-thinking", 3),
        ("claude-opus-4-5-20251101", 5),
        ("anthropic.claude-opus-4-5-20251101-v1:0", 5),
        ("claude-opus-4-5@20251101", 5),
        ("claude-sonnet-4-5[1m]", 3),
        ("gpt-5.1-codex-max-xhigh", 1.25),
        ("models/gemini-2.5-pro", 1.25),
    ],
)
def test_spellings_of_providers_have_the_models_price(model: str, input_dollars: float) -> None:
    assert dollars(model)[0] == input_dollars


@pytest.mark.parametrize(
    ("region", "input_dollars"),
    [
        (None, 4),
        ("global", 4),
        ("not_available", 4),
        ("us", 4.40),
        ("jp", 4.40),
        ("au", 4.40),
        ("sa", 4.40),
        ("us-gov", 4.80),
    ],
)
def test_regions_have_their_published_premium(region: str | None, input_dollars: float) -> None:
    assert dollars("claude-opus-5-5", region)[0] == input_dollars
    assert dollars("claude-3-5-sonnet", region)[0] == 3


def test_long_calls_hours_of_caching_and_modes_have_amounts() -> None:
    haiku, opus, codex = price("claude-haiku-5-5"), price("claude-opus-5-5"), price("gpt-5.5")

    assert haiku.standard.of(100_000).input == 100_000
    assert haiku.standard.of(100_001).input == 500_000
    assert opus.standard.amounts.cache_write_1h == 8_000_000
    assert opus.fast is not None
    assert opus.fast.amounts.output == 40_000_000
    assert codex.standard.tiers[0].above == 272_000
    assert codex.flex is not None
    assert codex.priority == codex.fast
    assert price("gpt-5.5-pro").standard.tiers[0].above == 272_000
    assert price("grok-4.5").standard.tiers[0].above == 200_000
    assert [tier.above for tier in price("qwen3-coder-plus").standard.tiers] == [
        32_000,
        128_000,
        256_000,
    ]


@pytest.mark.parametrize(
    ("model", "last_day", "before", "after"),
    [
        ("gpt-5.6-sol", date(2026, 8, 20), 5, 4),
        ("gpt-5.6-terra", date(2026, 7, 29), 2.50, 2),
        ("deepseek-v4-pro", date(2026, 8, 16), 0.435, 1.32),
        ("gemini-3.6-flash", date(2026, 12, 31), 0.75, 1.50),
        ("o3", date(2025, 6, 9), 10, 2),
    ],
)
def test_past_and_announced_days_keep_their_price(
    model: str, last_day: date, before: float, after: float
) -> None:
    assert dollars(model, day=last_day)[0] == before
    assert dollars(model, day=date.fromordinal(last_day.toordinal() + 1))[0] == after


def test_the_built_in_list_is_what_it_encodes_to_and_every_model_has_input_and_output() -> None:
    assert decode(encode(BUILT_IN)) == BUILT_IN
    assert len(BUILT_IN.prices) > 400
    for key, steps in BUILT_IN.prices.items():
        assert [day for day, _ in steps] == sorted({day for day, _ in steps}), key
        for _, each in steps:
            assert None not in each.standard.amounts[:2], key
            assert each.as_of == BUILT_IN.as_of


OWN = """
[aliases]
"Prod-Chat" = "jp.anthropic.claude-opus-5-5"
abc123 = "house-7"

[[families]]
prefixes = ["glm-5.3"]
steps = [{ from = 2026-01-01, multiplier = 1, usd = { input = 9 } }]

[[families]]
prefixes = ["house-"]
steps = [{ from = 2026-01-01, multiplier = 0.5, usd = { input = 8 } }]

[[families]]
prefixes = ["claude-opus"]
steps = [{ from = 2026-01-01, multiplier = 2, usd = { input = 7 } }]
"""


def test_an_own_prefix_that_is_a_models_name_catches_no_other_listed_model() -> None:
    own = parse(OWN, "own.toml").before(card())

    assert price("glm-5.3", by=own).standard.amounts.input == 9_000_000
    assert price("glm-5.3-20261101", by=own).standard.amounts.input == 9_000_000
    assert price("glm-5.3-flash", by=own).standard.amounts.input == 150_000
    assert price("claude-opus-4-8", by=own).standard.amounts.input == 7_000_000


def test_aliases_are_models_for_prices_and_credits() -> None:
    own = parse(OWN.replace('"claude-opus"', '"unused"'), "own.toml").before(card())

    assert price("prod-chat", by=own) == price("claude-opus-5-5", "jp")
    assert own.rate("prod-chat", "standard", DAY).multiplier_milli == 1600
    assert price("ABC123", by=own).standard.amounts.input == 8_000_000
    assert own.rate("abc123", "standard", DAY).multiplier_milli == 500


def test_an_earlier_list_comes_first_and_a_later_one_has_the_days_before_it() -> None:
    since = date(2026, 11, 1)
    [(_, listed)] = BUILT_IN.prices[Key("claude-opus-5-5")]
    cheaper = listed._replace(standard=listed.standard._replace(amounts=listed.standard.amounts))
    newer = BUILT_IN._replace(
        origin="litellm",
        prices={Key("claude-opus-5-5"): ((since, cheaper),), Key("new"): ((since, cheaper),)},
    )
    both = card()._replace(lists=(newer, BUILT_IN))

    def source(model: str, day: date) -> str | None:
        found = both.find(model, "standard", day)
        return None if found is None else found.source

    assert source("claude-opus-5-5", since) == "litellm"
    assert source("claude-opus-5-5", date(2026, 10, 31)) == "built-in"
    assert source("new", date(2026, 10, 31)) == "litellm"
