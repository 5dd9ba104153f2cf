"""What may a call cost before it is made: how much of its input is in the body, and its limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stationmaster.gateway import asking
from stationmaster.gateway.routes import Api

PNG = {"type": "base64", "media_type": "image/png", "data": "AAAA"}


def read(api: Api, **members: Any) -> asking.ModelCall:
    content = json.dumps({"model": "m", **members}).encode()
    return asking.read(api, content, "m" if api == "gemini" else None, None)


def messages(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


def test_text_alone_costs_at_most_a_token_a_byte() -> None:
    wanted = read("messages", **messages({"type": "text", "text": "a url, a file_id and an image"}))

    assert not wanted.is_elsewhere
    assert wanted.input_max(200_000) == wanted.bytes_in + asking.OVERHEAD_TOKENS


@pytest.mark.parametrize(
    ("api", "members"),
    [
        ("messages", messages({"type": "image", "source": {"type": "url", "url": "https://x"}})),
        ("messages", messages({"type": "image", "source": {"type": "file", "file_id": "file_1"}})),
        ("messages", messages({"type": "document", "source": {**PNG, "media_type": "a/pdf"}})),
        ("messages", {"messages": [], "tools": [{"type": "web_search_20250305", "name": "s"}]}),
        ("messages", {"messages": [], "container": "container_1"}),
        ("messages", {"messages": [], "mcp_servers": [{"url": "https://x"}]}),
        ("responses", {"input": "hi", "previous_response_id": "resp_1"}),
        ("responses", {"input": [{"type": "item_reference", "id": "x"}]}),
        ("responses", {"input": [{"content": [{"type": "input_file", "file_url": "https://x"}]}]}),
        ("responses", {"input": "hi", "tools": [{"type": "web_search"}]}),
        ("responses", {"input": "hi", "conversation": {"id": "conv_1"}}),
        ("chat", messages({"type": "image_url", "image_url": {"url": "https://x"}})),
        ("chat", {"messages": [], "web_search_options": {"a": 1}}),
        ("gemini", {"contents": [{"parts": [{"fileData": {"fileUri": "gs://x"}}]}]}),
        ("gemini", {"contents": [{"parts": [{"file_data": {"file_uri": "gs://x"}}]}]}),
        ("gemini", {"contents": [], "cachedContent": "cachedContents/1"}),
        ("gemini", {"contents": [], "tools": [{"googleSearch": {}}]}),
        (
            "gemini",
            {"contents": [{"parts": [{"inlineData": {"mimeType": "video/mp4", "data": "AA"}}]}]},
        ),
    ],
)
def test_input_that_is_not_in_the_body_holds_the_context_window(
    api: Api, members: dict[str, Any]
) -> None:
    wanted = read(api, **members)

    assert wanted.is_elsewhere
    assert wanted.input_max(200_000) == 200_000


@pytest.mark.parametrize(
    ("api", "members"),
    [
        ("messages", {"messages": [], "tools": [{"name": "x", "input_schema": {"url": "y"}}]}),
        ("messages", {"messages": [], "tools": [{"type": "bash_20250124", "name": "bash"}]}),
        ("messages", messages({"type": "tool_use", "input": {"url": "https://x", "file_id": "f"}})),
        ("responses", {"input": [], "tools": [{"type": "function", "name": "x"}]}),
        ("responses", {"input": [], "tools": [{"type": "custom", "name": "apply_patch"}]}),
        ("chat", {"messages": [], "tools": [{"type": "function", "function": {"name": "x"}}]}),
        ("gemini", {"contents": [], "tools": [{"functionDeclarations": [{"name": "x"}]}]}),
        ("gemini", {"contents": [{"parts": [{"functionCall": {"args": {"file_uri": "x"}}}]}]}),
    ],
)
def test_tools_of_the_caller_and_what_they_are_asked_are_in_the_body(
    api: Api, members: dict[str, Any]
) -> None:
    assert not read(api, **members).is_elsewhere


def test_an_escaped_name_is_the_name() -> None:
    content = (
        b'{"model":"m","messages":[{"content":[{"type":"image","source":'
        b'{"t\\u0079pe":"url","u\\u0072l":"https://x"}}]}]}'
    )

    assert asking.read("messages", content, None, None).is_elsewhere


def test_an_image_costs_more_than_its_bytes() -> None:
    wanted = read("messages", **messages({"type": "image", "source": PNG}))

    assert wanted.images == 1
    assert wanted.input_max(0) > asking.IMAGE_TOKENS


@pytest.mark.parametrize(
    ("api", "members", "limit"),
    [
        ("messages", {"max_tokens": 9}, 9),
        ("responses", {"max_output_tokens": 9}, 9),
        ("responses", {}, None),
        ("chat", {"max_tokens": 9}, 9),
        ("chat", {"max_tokens": 9, "max_completion_tokens": 11, "n": 3}, 33),
        ("gemini", {"generationConfig": {"maxOutputTokens": 9, "candidateCount": 2}}, 18),
        ("gemini", {"generation_config": {"max_output_tokens": 9}}, 9),
        ("messages", {"max_tokens": -1}, None),
        ("messages", {"max_tokens": "9"}, None),
    ],
)
def test_the_callers_own_limit_of_the_answer(
    api: Api, members: dict[str, Any], limit: int | None
) -> None:
    assert read(api, **members).output_max == limit


def test_the_bytes_of_an_image_in_the_body_are_no_text() -> None:
    data = "A" * 400_000
    anthropic = read("messages", **messages({"type": "image", "source": {**PNG, "data": data}}))
    openai = read(
        "responses",
        input=[
            {"content": [{"type": "input_image", "image_url": f"data:image/png;base64,{data}"}]}
        ],
    )
    gemini = read(
        "gemini", contents=[{"parts": [{"inlineData": {"mimeType": "image/png", "data": data}}]}]
    )

    for wanted in (anthropic, openai, gemini):
        assert wanted.input_max(0) < asking.IMAGE_TOKENS + asking.OVERHEAD_TOKENS + 1_000


def test_what_is_no_base64_is_text_whatever_it_is_called() -> None:
    words = "many words, " * 10_000
    wanted = read("messages", **messages({"type": "image", "source": {**PNG, "data": words}}))

    assert wanted.input_max(0) > len(words)


@pytest.mark.parametrize(
    ("control", "is_cached", "is_cached_long"),
    [
        (None, False, False),
        ({"type": "ephemeral"}, True, False),
        ({"type": "ephemeral", "ttl": "1h"}, True, True),
    ],
)
def test_writing_to_a_cache_is_held_where_it_is_asked_for(
    control: dict[str, str] | None, is_cached: bool, is_cached_long: bool
) -> None:
    more = {} if control is None else {"cache_control": control}
    wanted = read("messages", **messages({"type": "text", "text": "hi", **more}))

    assert (wanted.is_cached, wanted.is_cached_long) == (is_cached, is_cached_long)
    assert read("responses", input="hi").is_cached_long
