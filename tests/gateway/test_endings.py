"""How answers, processes and installations end: in the provider's form, after what has begun, and
with whoever started them."""

from __future__ import annotations

import json
import socket
import threading

import httpx
import pytest

from tests.gateway.test_budgets import PATHS, body, until
from tests.limits.cases import a_budget, open_holds, spent, usd
from tests.support.gateways import Installation
from tests.support.processes import ServerProcess, free_port
from tests.support.raw_provider import RawProvider, raw_provider


def test_an_array_that_a_budget_ends_is_a_whole_array_with_the_providers_error_last(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """Gemini streams an array where nobody asks for server-sent events."""
    budget = a_budget(org.db, org.org, amount=usd(0.1).picodollars)
    text = {"candidates": [{"content": {"parts": [{"text": "x" * 2000}]}}]}
    usage = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 6000}}
    part = json.dumps({**text, **usage}).encode()
    go_on = provider.stream([b"[" + part, *[b",\r\n" + part] * 30, b"]"], "application/json")
    path = PATHS["gemini-stream"].partition("?")[0]
    content = b""

    with agent.stream("POST", path, json=body("gemini"), headers={"x-api-key": org.key}) as answer:
        go_on.release()
        for chunk in answer.iter_raw():
            content += chunk
            go_on.release()

    *parts, last = json.loads(content)
    assert last["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert "limits ask" in last["error"]["message"]
    assert 1 <= len(parts) < 30
    until(lambda: open_holds(org.db) == 0 and spent(org.db, budget) > 0)


def test_an_answer_in_one_piece_that_nobody_limits_holds_the_longest_one(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """It is written when it comes: there is nothing to end."""
    provider.answer(b'{"usage":{"input_tokens":1,"output_tokens":100000}}')
    budget = a_budget(org.db, org.org, amount=usd(1).picodollars)

    refused = agent.post(PATHS["responses"], json=body("responses"), headers=_key(org))
    passed = agent.post(
        PATHS["responses"], json=body("responses", max_output_tokens=1000), headers=_key(org)
    )

    assert (refused.status_code, passed.status_code) == (429, 200)
    assert refused.json()["error"]["code"] == "insufficient_quota"
    assert len(provider.requests) == 1
    until(lambda: open_holds(org.db) == 0 and spent(org.db, budget) > 0)


def _key(org: Installation) -> dict[str, str]:
    return {"authorization": f"Bearer {org.key}"}


@pytest.mark.slow
def test_a_gateway_that_is_told_to_stop_finishes_what_has_begun_and_takes_nothing_new(
    apart: Installation,
) -> None:
    budget = a_budget(apart.db, apart.org)
    frames = [
        b'data: {"type":"message_start","message":{"usage":{"input_tokens":1000}}}\n\n',
        b'data: {"type":"message_delta","usage":{"output_tokens":100}}\n\n',
    ]
    gateway = ServerProcess(apart.settings.data_dir, command="gateway")
    with raw_provider() as provider:
        apart.provider("anthropic", "anthropic", provider.url)
        go_on = provider.stream(frames)
        gateway.start()
        ending = threading.Thread(target=gateway.stop)
        with (
            httpx.Client(base_url=gateway.url, timeout=30, trust_env=False) as agent,
            agent.stream(
                "POST", PATHS["anthropic"], json=body(stream=True), headers={"x-api-key": apart.key}
            ) as answer,
        ):
            chunks = answer.iter_raw()
            go_on.release()
            content = next(chunks)
            ending.start()
            until(lambda: not _is_listening(gateway.port))
            for _ in frames:
                go_on.release()
            content += b"".join(chunks)
        ending.join(30)

    assert content == b"".join(frames)
    assert not ending.is_alive()
    assert (open_holds(apart.db), spent(apart.db, budget)) == (0, 4500 * 10**6)


@pytest.mark.slow
def test_the_gateway_of_a_server_that_is_killed_ends_with_it(apart: Installation) -> None:
    port = free_port()
    server = ServerProcess(
        apart.settings.data_dir,
        {"STATIONMASTER_GATEWAY_PORT": str(port)},
        more=("--gateway",),
    )
    server.start()
    until(lambda: _is_listening(port), 60)

    server.kill()

    until(lambda: not _is_listening(port), 30)


def _is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
