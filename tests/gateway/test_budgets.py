"""What calls through the gateway cost their budgets, and how they are refused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from stationmaster import ids
from stationmaster.events.model import Event, event_id
from stationmaster.lake import rows
from stationmaster.lake.inbox import open_database
from stationmaster.limits.budgets import Budget
from stationmaster.pricing.credits.dollars import PER_DOLLAR
from tests.limits.cases import a_budget, open_holds, spent, usd
from tests.support.gateways import Installation
from tests.support.raw_provider import RawProvider
from tests.support.stub_model import Turn, Usage, stub_model

SONNET = "claude-sonnet-4-5"
DOLLARS_PER_MILLION = PER_DOLLAR // 10**6
PATHS = {
    "anthropic": "/gateway/anthropic/v1/messages",
    "responses": "/gateway/openai/v1/responses",
    "chat": "/gateway/openai/v1/chat/completions",
    "gemini": "/gateway/gemini/v1beta/models/gemini-2.5-pro:generateContent",
    "gemini-stream": "/gateway/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
}
MODELS = {"anthropic": SONNET, "responses": "gpt-5", "chat": "gpt-5"}
PRICES = {"anthropic": (3, 15), "responses": (1.25, 10), "chat": (1.25, 10), "gemini": (1.25, 10)}


def until(condition: Callable[[], object], seconds: float = 10) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.01)


def events_of(org: Installation) -> list[Event]:
    inbox = open_database(org.settings, org.db)
    stored = inbox.rows("SELECT payload FROM inbox WHERE org_id = ? ORDER BY id", org.org)
    return [event for (payload,) in stored for event in rows.decode_events(payload)]


def sse(*frames: dict[str, Any]) -> list[bytes]:
    return [f"event: {f.get('type')}\ndata: {json.dumps(f)}\n\n".encode() for f in frames]


def body(api: str = "anthropic", **members: Any) -> dict[str, Any]:
    """A small request in the form of an API."""
    said = {"role": "user", "content": "hi"}
    if api.startswith("gemini"):
        return {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], **members}
    if api == "responses":
        return {"model": MODELS[api], "input": [said], **members}
    return {"model": MODELS[api], "messages": [said], "max_tokens": 100, **members}


def settled(org: Installation, budget: Budget) -> int:
    until(lambda: open_holds(org.db) == 0 and spent(org.db, budget) > 0)
    return spent(org.db, budget)


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("api", ["anthropic", "responses", "chat", "gemini"])
def test_a_call_costs_what_the_provider_reports(
    api: str, is_stream: bool, agent: httpx.Client, org: Installation
) -> None:
    budget = a_budget(org.db, org.org)
    usage = Usage(input=1000, cache_read=200, output=30, reasoning=10)
    path = PATHS["gemini-stream"] if api == "gemini" and is_stream else PATHS[api]
    with stub_model([Turn(text="hello", usage=usage)]) as model:
        for name in ("anthropic", "openai", "gemini"):
            org.provider(name, name, model.url)
        sent = body(
            api, **({} if api == "gemini" else {"stream": is_stream}), tools=[{"name": "x"}]
        )
        answer = agent.post(path, json=sent, headers={"x-api-key": org.key})

    assert answer.status_code == 200
    given, written = (int(price * DOLLARS_PER_MILLION) for price in PRICES[api])
    assert settled(org, budget) == 1000 * given + 200 * given // 10 + 30 * written
    until(lambda: len(events_of(org)) == 1)
    [event] = events_of(org)
    told = (event.input_tokens, event.cache_read_tokens, event.output_tokens, event.source)
    assert told == (1000, 200, 30, "gateway")
    assert event.user_id == org.owner.principal_id


def test_cache_writes_of_an_hour_cost_their_own_price(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
        "output_tokens": 1,
    }
    provider.answer(json.dumps({"model": SONNET, "usage": usage}).encode())

    agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    parts = 10 * 3 + 100 * 3.75 + 200 * 6 + 15
    assert settled(org, budget) == int(parts * DOLLARS_PER_MILLION)


@pytest.mark.parametrize(
    ("api", "program", "status"),
    [
        ("anthropic", "claude-cli/2.1.329 (external, cli)", 429),
        ("responses", "codex_exec/0.169.0 (Debian; x86_64)", 400),
        ("responses", "OpenAI/Python 2.1", 429),
        ("chat", "QwenCode/0.24.4 (linux; x64)", 400),
        ("chat", "opencode/1.18.33", 400),
        ("chat", "GitHubCopilotCLI/1.0", 429),
        ("gemini", "GeminiCLI/0.61.0/gemini-2.5-pro (linux; x64)", 429),
    ],
)
def test_a_refusal_has_the_providers_form_and_is_not_asked_again(
    api: str,
    program: str,
    status: int,
    agent: httpx.Client,
    org: Installation,
    provider: RawProvider,
) -> None:
    a_budget(org.db, org.org, amount=1)
    sent = {"x-api-key": org.key, "user-agent": program}

    answer = agent.post(PATHS[api], json=body(api), headers=sent)

    assert (answer.status_code, answer.headers["x-should-retry"]) == (status, "false")
    error = answer.json()["error"]
    assert "budget" in error["message"]
    assert "limits ask" in error["message"]
    expected = {
        "anthropic": ("type", "billing_error"),
        "responses": ("code", "insufficient_quota"),
        "chat": ("code", "insufficient_quota"),
        "gemini": ("status", "RESOURCE_EXHAUSTED"),
    }
    member, word = expected[api]
    assert error[member] == word
    if api == "gemini":
        delay = error["details"][1]["retryDelay"]
        assert int(delay.removesuffix("s")) >= 3600
    assert provider.requests == []
    assert open_holds(org.db) == 0


def test_at_the_end_of_a_budget_named_models_may_still_be_called(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    a_budget(org.db, org.org, amount=1, at_end="allow-models", models=("claude-haiku-*",))
    provider.answer(b'{"usage":{"input_tokens":1,"output_tokens":1}}')
    sent = {"x-api-key": org.key}

    refused = agent.post(PATHS["anthropic"], json=body(), headers=sent)
    haiku = agent.post(PATHS["anthropic"], json=body(model="claude-haiku-4-5"), headers=sent)
    # Two readers of a body must not see two models.
    twice = b'{"model":"claude-haiku-4-5","max_tokens":1,"messages":[],"model":"claude-opus-4-1"}'
    doubled = agent.post(PATHS["anthropic"], content=twice, headers=sent)
    cased = agent.post(
        PATHS["anthropic"], json=body(model="claude-haiku-4-5", Model="x"), headers=sent
    )

    statuses = [each.status_code for each in (refused, haiku, doubled, cased)]
    assert statuses == [429, 200, 400, 400]


def test_a_long_answer_takes_more_and_more_of_the_budget_and_ends_where_that_ends(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org, amount=usd(0.2).picodollars)
    start = {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 5}}}
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 2000}}
    go_on = provider.stream([*sse(start), *sse(delta) * 60])
    content = b""

    with agent.stream(
        "POST",
        PATHS["anthropic"],
        json=body(stream=True, max_tokens=64_000),
        headers={"x-api-key": org.key},
    ) as answer:
        go_on.release()
        for chunk in answer.iter_raw():
            content += chunk
            go_on.release()

    *before, last = content.rstrip().split(b"\n\n")
    error = json.loads(last.partition(b"data: ")[2])["error"]
    assert error["type"] == "billing_error"
    assert error["message"].startswith("The monthly budget")
    assert 5 < len(before) < 60
    # Estimated from below, at four bytes a token; what was held is more.
    assert 0 < settled(org, budget) <= budget.amount


def test_a_call_that_is_broken_off_costs_what_was_made_and_holds_nothing(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    start = {
        "type": "message_start",
        "message": {"id": "msg_1", "usage": {"input_tokens": 1000, "output_tokens": 1}},
    }
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 400}}
    go_on = provider.stream([*sse(start), *sse(delta), b": never\n\n"])

    with agent.stream(
        "POST", PATHS["anthropic"], json=body(stream=True), headers={"x-api-key": org.key}
    ) as answer:
        chunks = answer.iter_raw()
        for _ in range(2):
            go_on.release()
            next(chunks)

    assert settled(org, budget) == (1000 * 3 + 100 * 15) * DOLLARS_PER_MILLION
    until(lambda: events_of(org))
    [event] = events_of(org)
    assert (event.input_tokens, event.output_tokens) == (1000, 100)
    assert event.quality == "output_lower_bound"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"input_tokens": -5, "output_tokens": 1},
        {"input_tokens": 10**15, "output_tokens": 1},
        {"input_tokens": "many", "output_tokens": 1},
        {"input_tokens": 1e300, "output_tokens": 1},
        {"input_tokens": 10**400, "output_tokens": 1},
    ],
)
def test_without_figures_that_can_be_true_four_bytes_are_a_token(
    usage: dict[str, Any] | None, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    content = json.dumps({"content": "x" * 400, "usage": usage}).encode()
    provider.answer(content)
    request = json.dumps(body()).encode()

    agent.post(PATHS["anthropic"], content=request, headers={"x-api-key": org.key})

    tokens = -(-len(request) // 4) * 3 + -(-len(content) // 4) * 15
    assert settled(org, budget) == tokens * DOLLARS_PER_MILLION


def test_a_model_without_a_price_costs_the_dearest_rate(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    provider.answer(b'{"usage":{"input_tokens":1000,"output_tokens":100}}')

    agent.post(
        PATHS["anthropic"], json=body(model="claude-never-heard"), headers={"x-api-key": org.key}
    )

    assert settled(org, budget) == (1000 * 30 + 100 * 75) * DOLLARS_PER_MILLION


def test_an_error_of_the_provider_costs_nothing_and_is_no_call(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    provider.answer(b'{"type":"error"}', status=529)

    agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key})

    until(lambda: open_holds(org.db) == 0)
    assert spent(org.db, budget) == 0
    assert events_of(org) == []


def test_the_event_has_the_identity_of_the_agents_own_report(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    request = "req_011CVLmT3sQw8rA5zUq9xYbK"
    provider.answer(
        b'{"id":"msg_1","model":"claude-sonnet-4-5-20250929",'
        b'"usage":{"input_tokens":3,"output_tokens":1}}',
        fields={"request-id": request},
    )
    sent = {
        "x-api-key": org.key,
        "user-agent": "claude-cli/2.1.329 (external, cli)",
        "x-claude-code-session-id": "0c6b8f7e-session",
        "x-claude-code-agent-id": "agent-7",
    }

    agent.post(PATHS["anthropic"], json=body(), headers=sent)

    until(lambda: len(events_of(org)) == 1)
    [event] = events_of(org)
    assert event.event_id == event_id("claude-code", "model_call", request)
    assert (event.product, event.product_version) == ("claude-code", "2.1.329")
    assert (event.session_id, event.agent_id) == ("0c6b8f7e-session", "agent-7")
    assert (event.model, event.is_subagent) == ("claude-sonnet-4-5-20250929", True)


@pytest.mark.parametrize(
    ("program", "product"),
    [
        ("GeminiCLI/0.61.0/gemini-2.5-pro (linux)", "gemini-cli"),
        ("QwenCode/0.24.0", "qwen-code"),
        ("curl/8.5", "other"),
    ],
)
def test_each_call_without_a_session_is_an_event_also_where_a_server_repeats_its_ids(
    program: str, product: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    provider.answer(
        b'{"responseId":"1","usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}'
    )
    sent = {"x-goog-api-key": org.key, "user-agent": program}

    for _ in range(2):
        agent.post(PATHS["gemini"], json=body("gemini"), headers=sent)

    until(lambda: len(events_of(org)) == 2)
    one, other = events_of(org)
    assert one.event_id != other.event_id
    assert (one.product, one.session_id, one.input_tokens) == (product, None, 3)


def test_a_person_and_an_agent_have_their_own_budgets(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    mine = a_budget(org.db, org.org, "user", org.owner.principal_id)
    codex = a_budget(org.db, org.org, "agent", "codex")
    key = a_budget(org.db, org.org, "key", ids.KeyId("key_of_another"))
    provider.answer(b'{"usage":{"input_tokens":1,"output_tokens":1}}')

    agent.post(
        PATHS["anthropic"],
        json=body(),
        headers={"x-api-key": org.key, "user-agent": "claude-cli/2.1.329"},
    )

    assert settled(org, mine) == 18 * DOLLARS_PER_MILLION
    assert spent(org.db, codex) == spent(org.db, key) == 0
