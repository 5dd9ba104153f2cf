"""The stub model speaks four APIs, each whole and streamed, and remembers what it answered."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.support.stub_model import ToolUse, Turn, Usage, stub_model

USAGE = Usage(input=100, cache_read=20, cache_write=3, output=50, reasoning=10)
TURN = Turn("I write it.", (ToolUse("write", {"path": "a"}),), USAGE)
ADDRESSES = {
    "messages": "/v1/messages",
    "responses": "/v1/responses",
    "completions": "/v1/chat/completions",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
}
WORK: dict[str, Any] = {"model": "m", "tools": [{"name": "write"}]}


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("api", sorted(ADDRESSES))
def test_a_turn_is_told_with_its_tool_and_its_usage(api: str, is_streamed: bool) -> None:
    address, request = ADDRESSES[api], {**WORK, "stream": is_streamed}
    if api == "gemini" and is_streamed:
        address = address.replace("generate", "streamGenerate") + "?alt=sse"
    with stub_model([TURN]) as model:
        answer = httpx.post(model.url + address, json=request)
        [call] = model.calls

    assert answer.status_code == 200
    assert answer.headers["request-id"]
    assert answer.headers["content-type"].startswith("text/event-stream") == is_streamed
    assert '"write"' in answer.text
    assert call.usage.prompt == USAGE.prompt
    assert call.usage.output == 50
    assert (call.turn, call.is_side) == (TURN, False)
    for figure in (call.usage.input, 20) if api == "messages" else (USAGE.prompt, 20):
        assert str(figure) in answer.text


def test_a_request_without_tools_takes_no_turn() -> None:
    with stub_model([TURN]) as model:
        httpx.post(f"{model.url}/v1/messages", json={"model": "small"})
        httpx.post(f"{model.url}/v1/messages", json=WORK)
        httpx.post(f"{model.url}/v1/messages/count_tokens", json=WORK)
        assert [call.is_side for call in model.calls] == [True, False]
        assert model.usage == Usage(40, 0, 0, 6, 0) + USAGE


def test_a_turn_may_be_an_error_that_costs_nothing() -> None:
    with stub_model([Turn("slow down", status=429), TURN], has_request_ids=False) as model:
        refused = httpx.post(f"{model.url}/v1/messages", json=WORK)
        httpx.post(f"{model.url}/v1/messages", json=WORK)
        assert len(model.calls) == 1

    assert (refused.status_code, json.loads(refused.content)["error"]["message"]) == (
        429,
        "slow down",
    )
    assert "request-id" not in refused.headers


def test_what_is_not_for_the_model_is_remembered_and_not_found() -> None:
    with stub_model([]) as model:
        assert httpx.post(f"{model.url}/telemetry", json={}).status_code == 404
        assert httpx.get(f"{model.url}/v1/models").json()["data"] == []
        assert model.other_paths == ["/telemetry"]
