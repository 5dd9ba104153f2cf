"""Published price lists as files, with the figures of small ones by hand.

With both packages installed (`genai-prices`, `litellm`) the real files are read, too.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import BadRequest
from stationmaster.pricing.credits import files
from stationmaster.pricing.credits.card import Card, Key, PriceList, decode
from stationmaster.pricing.credits.price import Price
from stationmaster.pricing.credits.rates import card

DAY = date(2026, 11, 22)

LITELLM = {
    "sample_spec": {"litellm_provider": "one of many", "input_cost_per_token": 0.0},
    "claude-x-1": {
        "litellm_provider": "anthropic",
        "input_cost_per_token": 4e-06,
        "output_cost_per_token": 2e-05,
        "cache_read_input_token_cost": 2e-07,
        "cache_creation_input_token_cost": 5e-06,
        "cache_creation_input_token_cost_above_1hr": 8e-06,
        "input_cost_per_token_batches": 2e-06,
        "output_cost_per_token_batches": 1e-05,
        "cache_creation_input_token_cost_batches": 2.5e-06,
        "input_cost_per_token_above_200k_tokens": 8e-06,
        "output_cost_per_token_above_200k_tokens": 3e-05,
        "provider_specific_entry": {"us": 1.1, "fast": 2},
    },
    "jp.anthropic.claude-x-1": {
        "litellm_provider": "bedrock_converse",
        "input_cost_per_token": 4.4e-06,
        "output_cost_per_token": 2.2e-05,
    },
    "openrouter/anthropic/claude-x-1": {
        "litellm_provider": "openrouter",
        "input_cost_per_token": 9e-06,
        "output_cost_per_token": 9e-06,
    },
    "dashscope/qwen-x": {
        "litellm_provider": "dashscope",
        "tiered_pricing": [
            {"range": [0, 32000.0], "input_cost_per_token": 1e-06, "output_cost_per_token": 5e-06},
            {
                "range": [32000.0, 128000.0],
                "input_cost_per_token": 2e-06,
                "output_cost_per_token": 9e-06,
            },
        ],
    },
    "some-image": {"litellm_provider": "openai", "output_cost_per_image": 0.06},
}
GENAI = [
    {
        "id": "openai",
        "models": [
            {
                "id": "gpt-x",
                "match": {"or": [{"equals": "gpt-x"}, {"equals": "gpt-x-codex"}]},
                "prices": [
                    {"prices": {"input_mtok": 5, "output_mtok": 30}},
                    {
                        "constraint": {"start_date": "2026-08-21"},
                        "prices": {
                            "input_mtok": {"base": 4, "tiers": [{"start": 272000, "price": 8}]},
                            "output_mtok": 20.5,
                            "cache_read_mtok": 0.003625,
                        },
                    },
                ],
                "price_variants": [
                    {
                        "when": {"service_tier": "flex"},
                        "constraint": {"start_date": "2026-10-12"},
                        "prices": {"input_mtok": 2, "output_mtok": 10},
                    }
                ],
            }
        ],
    },
    {
        "id": "deepseek",
        "models": [
            {
                "id": "deepseek-x",
                "match": {"equals": "deepseek-x"},
                "prices": [
                    {"prices": {"input_mtok": 1, "output_mtok": 2}},
                    {
                        "constraint": {"start_time": "01:00:00Z", "end_time": "04:00:00Z"},
                        "prices": {"input_mtok": 2, "output_mtok": 4},
                    },
                ],
            }
        ],
    },
]
GENAI_YAML = """
id: openai
models:
  - id: gpt-x
    match: {equals: gpt-x}
    prices:
      - prices: {input_mtok: 5, output_mtok: 30}
      - constraint: {start_date: 2026-08-21}
        prices: {input_mtok: 4, output_mtok: 20.5}
"""
GENAI_PYTHON = '''"""Generated."""
from .types import *
providers: list[Provider] = [
    Provider(id='openai', models=[ModelInfo(id='gpt-x', match=ClauseEquals(equals='gpt-x'),
        prices=[
            ConditionalPrice(constraint=None, prices=ModelPrice(input_mtok=Decimal('5'))),
            ConditionalPrice(
                constraint=StartDateConstraint(start_date=datetime.date(2026, 8, 21)),
                prices=ModelPrice(input_mtok=Decimal('4'), output_mtok=Decimal('20.5'))),
        ])]),
]
'''


def read(document: Any) -> PriceList:
    return decode(files.read(json.dumps(document).encode(), DAY))


def price(prices: PriceList, model: str, region: str = "", day: date = DAY) -> Price:
    found = Card((), lists=(prices,)).find(model, "standard", day, region)
    assert found is not None
    return found.price


def test_litellms_file_is_read_with_its_modes_tiers_and_regions() -> None:
    prices = read(LITELLM)
    claude = price(prices, "claude-x-1")

    assert prices.origin == "litellm"
    assert prices.as_of == DAY
    assert claude.standard.amounts == (4_000_000, 20_000_000, 200_000, 5_000_000, 8_000_000)
    [tier] = claude.standard.tiers
    assert (tier.above, tier.amounts.input, tier.amounts.output) == (200_000, 8_000_000, 30_000_000)
    assert tier.amounts.cache_read == 200_000
    assert claude.batch is not None
    assert claude.batch.amounts == (2_000_000, 10_000_000, 200_000, 2_500_000, 4_000_000)
    assert claude.fast is not None
    assert claude.fast.amounts.input == 8_000_000
    assert price(prices, "claude-x-1", "us").standard.amounts.input == 4_400_000
    assert price(prices, "claude-x-1", "jp").standard.amounts.input == 4_400_000
    qwen = price(prices, "qwen-x").standard
    assert (qwen.of(32_000).input, qwen.of(32_001).input) == (1_000_000, 2_000_000)
    assert Key("some-image") not in prices.prices


def test_data_of_genai_prices_is_read_with_its_days_and_modes() -> None:
    prices = read(GENAI)
    now = price(prices, "gpt-x-codex")

    assert prices.origin == "genai-prices"
    assert now.standard.amounts[:3] == (4_000_000, 20_500_000, 3_625)
    assert now.standard.of(272_001).input == 8_000_000
    assert price(prices, "gpt-x", day=date(2026, 8, 20)).standard.amounts.input == 5_000_000
    assert now.flex is not None
    assert now.flex.amounts[:3] == (2_000_000, 10_000_000, 3_625)
    # Sold before the list knew it, at the same plain price; not before the price changed.
    assert price(prices, "gpt-x", day=date(2026, 9, 1)).flex == now.flex
    assert price(prices, "gpt-x", day=date(2026, 8, 1)).flex is None
    assert price(prices, "deepseek-x").standard.amounts.input == 2_000_000


@pytest.mark.parametrize("text", [GENAI_YAML, GENAI_PYTHON])
def test_data_of_genai_prices_is_read_in_each_of_its_forms(text: str) -> None:
    prices = decode(files.read(text.encode(), DAY))

    assert price(prices, "gpt-x").standard.amounts[:2] == (4_000_000, 20_500_000)
    assert price(prices, "gpt-x", day=date(2026, 8, 1)).standard.amounts.input == 5_000_000


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "neither"),
        (b"hello", "neither"),
        (b"[]", "neither"),
        (b"{}", "neither"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{", "truncated"),
        (b"[" * 200_000, "recursion"),
        (b"a: [" * 20_000, ""),
        (b"- [" + b"[" * 20_000, "nested too deeply"),
        (b"a: &x 1\nb: *x", "aliases"),
        (b"import os\nos.remove('x')", "no providers"),
        (b'{"a": {"litellm_provider": "openai"}}', "no price"),
        (b'{"a": {"litellm_provider": "openai", "input_cost_per_token": -1}}', "not possible"),
        (b'{"a": {"litellm_provider": "openai", "input_cost_per_token": 1e999999}}', "not poss"),
        (b'[{"id": "openai", "models": [{"id": 3}]}]', "id"),
        (b'[{"id": "x", "models": [{"id": "m", "prices": [{"prices": 3}]}]}]', "not an object"),
        (
            b'[{"id": "x", "models": [{"id": "m", "prices": [{"constraint": {"start_date": "x"},'
            b' "prices": {}}]}]}]',
            "not a day",
        ),
        (b" " * (files.SIZE_MAX + 1), "larger than 16 MiB"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_what_is_no_price_list_is_refused_and_says_why(content: bytes, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        files.read(content, DAY)

    assert caught.value.code == "bad_price_list"
    assert why in caught.value.detail


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("id", "models", "prices", "match", "or", "equals", "input_mtok", "base"),
                    *("litellm_provider", "input_cost_per_token", "tiered_pricing", "range"),
                    *("constraint", "start_date", "price_variants", "when", "start", "tiers"),
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(_VALUES, max_size=3) | st.dictionaries(st.text(max_size=5), _VALUES, max_size=3))
def test_whatever_a_file_holds_it_reads_or_is_refused(document: Any) -> None:
    with suppress(BadRequest):
        read(document)


def _package_file(package: str, name: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent / name


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("litellm", "model_prices_and_context_window_backup.json"),
        ("genai_prices", "data.py"),
    ],
)
def test_the_built_in_list_agrees_with_the_packages_about_the_models_of_agents(
    package: str, name: str
) -> None:
    prices = decode(files.read(_package_file(package, name).read_bytes(), DAY))
    models = ["claude-opus-5-5", "claude-haiku-5-5", "gpt-5.5", "gpt-6-sol", "glm-5.3-flash"]

    for model in models:
        built_in = price(card().lists[0], model).standard
        theirs = price(prices, model).standard
        assert built_in.amounts[:3] == theirs.amounts[:3], model
        assert [tier.above for tier in built_in.tiers] == [tier.above for tier in theirs.tiers]
