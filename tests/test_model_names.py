from __future__ import annotations

import pytest

from stationmaster.model_names import parse, spellings


@pytest.mark.parametrize(
    ("name", "model", "region"),
    [
        ("claude-opus-5-5", "claude-opus-5-5", None),
        ("openai/gpt-5.5", "gpt-5.5", None),
        ("models/gemini-2.5-pro", "gemini-2.5-pro", None),
        ("anthropic.claude-opus-5-5", "claude-opus-5-5", None),
        ("bedrock/us-east-1/anthropic.claude-v2", "claude-v2", None),
        ("azure/gpt-5.5", "gpt-5.5", None),
        ("vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5@20251101", None),
        (
            "projects/p/locations/europe-west1/publishers/google/models/gemini-2.5-pro",
            "gemini-2.5-pro",
            "europe-west1",
        ),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/jp.anthropic.claude-opus-5-5",
            "claude-opus-5-5",
            "jp",
        ),
        ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "abc", None),
        ("gpt-5.5-codex", "gpt-5.5-codex", None),
        ("qwen3.5-coder", "qwen3.5-coder", None),
        ("llama.cpp-server", "llama.cpp-server", None),
    ],
)
def test_an_id_is_a_model_and_the_region_that_serves_it(
    name: str, model: str, region: str | None
) -> None:
    assert parse(name) == (model, region)


@pytest.mark.parametrize(
    "region", ["us", "eu", "apac", "global", "jp", "au", "us-gov", "ca", "sa", "me", "ap-south-1"]
)
def test_any_region_may_stand_before_a_vendor(region: str) -> None:
    assert parse(f"{region}.anthropic.claude-opus-5-5") == (
        "claude-opus-5-5",
        region,
    )


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("claude-opus-4.6", "claude-opus-4-6"),
        ("claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("claude-4.6-opus-high-thinking", "claude-opus-4-6"),
        ("gpt-5.1-codex-max-xhigh", "gpt-5-1-codex-max"),
        ("gpt-5.5-2026-04-23", "gpt-5-5"),
        ("gemini-2.5-pro-preview-06-05", "gemini-2-5-pro"),
        ("GPT-5-Nano", "gpt-5-nano"),
    ],
)
def test_spellings_lead_to_the_name_on_a_list(name: str, listed: str) -> None:
    assert listed in spellings(name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("glm-5.3-flash", "glm-5-3"),
        ("gpt-5.5-cyber", "gpt-5-5"),
        ("o3-deep-research", "o3"),
        ("gpt-5.5-pro", "gpt-5-5"),
        ("grok-4.5-fast", "grok-4-5"),
        ("claude-fable-5-2", "claude-fable-5"),
    ],
)
def test_a_spelling_is_never_another_models_name(name: str, other: str) -> None:
    assert other not in spellings(name)


def test_the_most_exact_spelling_comes_first() -> None:
    assert list(spellings("gpt-4o-2024-05-13")) == [
        "gpt-4o-2024-05-13",
        "gpt-4o",
        "gpt-4o-latest",
    ]
