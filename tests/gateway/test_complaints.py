"""What people complain of in gateways with budgets, one test each: what was said to go wrong, and
that it does not here."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from stationmaster.pricing.credits.dollars import PER_DOLLAR
from tests.gateway.test_budgets import PATHS, body, settled, sse, until
from tests.limits.cases import a_budget, open_holds, spent, usd
from tests.support.builders import a_key, a_member
from tests.support.gateways import Installation
from tests.support.raw_provider import RawProvider, raw_provider

SMALL = b'{"usage":{"input_tokens":10,"output_tokens":1}}'
CLAUDE = {"user-agent": "claude-cli/2.1.329", "x-claude-code-session-id": "one-session"}


@pytest.fixture
def provider(org: Installation) -> Iterator[RawProvider]:
    with raw_provider() as running:
        running.answer(SMALL)
        for name in ("anthropic", "openai", "gemini"):
            org.provider(name, name, running.url)
        yield running


def call(agent: httpx.Client, key: str, **members: Any) -> httpx.Response:
    fields = {"x-api-key": key, **CLAUDE}
    return agent.post(PATHS["anthropic"], json=body(**members), headers=fields)


def at_once(count: int, work: Any) -> list[int]:
    with ThreadPoolExecutor(count) as pool:
        return [answer.status_code for answer in pool.map(lambda _: work(), range(count))]


def test_calls_of_one_session_at_once_do_not_all_see_the_same_rest(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """Each alone would fit, all together do not: who came later has to wait."""
    go_on = threading.Event()
    provider.script = lambda connection: (go_on.wait(20), connection.sendall(_whole(SMALL)))[1]
    budget = a_budget(org.db, org.org, amount=usd(0.05).picodollars)

    with ThreadPoolExecutor(20) as pool:
        calls = [pool.submit(call, agent, org.key) for _ in range(20)]
        until(lambda: sum(each.done() for each in calls) + len(provider.requests) == 20)
        go_on.set()
        statuses = [each.result().status_code for each in calls]

    assert {200, 429} == set(statuses)
    assert statuses.count(200) == len(provider.requests)
    assert settled(org, budget) <= budget.amount


def test_the_first_calls_of_somebody_unknown_are_held_like_all_others(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    a_budget(org.db, org.org, "each-user", amount=1)
    key = a_key(org.db, org.org, a_member(org.db, org.org, "new@example.com"))

    assert at_once(8, lambda: call(agent, key)) == [429] * 8
    assert provider.requests == []


def test_a_price_that_rises_with_the_length_is_held_at_its_upper_step(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """900,000 bytes may be more than 200,000 tokens, which cost twice as much each."""
    long = {"contents": [{"role": "user", "parts": [{"text": "x" * 900_000}]}]}
    limit = {"generationConfig": {"maxOutputTokens": 1}}
    a_budget(org.db, org.org, amount=usd(1.8).picodollars)

    answer = agent.post(PATHS["gemini"], json={**long, **limit}, headers={"x-api-key": org.key})

    assert 900_000 * 1.25 / 10**6 < 1.8 < 900_000 * 2.5 / 10**6
    assert answer.status_code == 429
    assert provider.requests == []


def test_a_model_without_a_price_is_held_too(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    a_budget(org.db, org.org, amount=1)

    assert call(agent, org.key, model="claude-nobody-knows").status_code == 429


def test_streams_that_are_broken_off_leave_nothing_held(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 1}}}
    go_on = provider.stream([*sse(start), b": never\n\n"])
    for _ in range(10):
        # Threads of those that were broken off wait for one, too.
        go_on.release(3)
        with agent.stream(
            *("POST", PATHS["anthropic"]), json=body(stream=True), headers={"x-api-key": org.key}
        ) as answer:
            next(answer.iter_raw())

    until(lambda: open_holds(org.db) == 0 and spent(org.db, budget) > 0)
    assert spent(org.db, budget) == 10 * 3 * 10**6


def test_a_call_that_fails_leaves_nothing_held_and_nothing_spent(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org)
    provider.answer(b'{"type":"error"}', status=400)

    assert at_once(10, lambda: call(agent, org.key)) == [400] * 10

    until(lambda: open_holds(org.db) == 0)
    assert spent(org.db, budget) == 0


def test_nobody_is_refused_at_half_of_what_they_may_use(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """One call after the other, with holds far larger than costs, up to the last that fits."""
    held = 0.06
    budget = a_budget(org.db, org.org, amount=usd(0.5).picodollars)
    provider.answer(b'{"usage":{"input_tokens":1000,"output_tokens":1000}}')
    costs = (1000 * 3 + 1000 * 15) * 10**6
    answered = 0

    while call(agent, org.key, max_tokens=3_000).status_code == 200:
        answered += 1
        assert answered * costs <= budget.amount

    assert (answered + 1) * costs > budget.amount - usd(held).picodollars
    until(lambda: open_holds(org.db) == 0)


def test_an_agents_request_with_a_large_limit_is_not_refused_in_a_small_budget(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """64,000 tokens of output at most would be a dollar; what is written is a cent."""
    budget = a_budget(org.db, org.org, amount=usd(0.25).picodollars)
    usage = {"input_tokens": 2000, "output_tokens": 300}
    provider.answer(
        b"".join(sse({"type": "message_start", "message": {"id": "m", "usage": usage}})),
        fields={"content-type": "text/event-stream"},
    )
    text = {"role": "user", "content": "x" * 40_000}

    answer = call(agent, org.key, stream=True, max_tokens=64_000, messages=[text])

    assert answer.status_code == 200
    assert settled(org, budget) == (2000 * 3 + 300 * 15) * 10**6


def test_a_key_within_a_team_is_held_to_its_owners_budget_as_well(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    ada = a_member(org.db, org.org, "ada@example.com")
    org.db.write("UPDATE members SET team = ? WHERE user_id = ?", [("compilers", ada.user_id)])
    a_budget(org.db, org.org, "team", "compilers")
    own = a_budget(org.db, org.org, "user", ada.user_id, amount=1)

    answer = call(agent, a_key(org.db, org.org, ada))

    assert answer.status_code == 429
    assert own.id in answer.json()["error"]["message"]


def test_a_model_that_costs_nothing_stays_usable(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """What an allowed model is at the end of a budget, and a call that is free by the path."""
    a_budget(org.db, org.org, amount=0, at_end="allow-models", models=("claude-haiku-*",))

    counted = agent.post(
        f"{PATHS['anthropic']}/count_tokens", json=body(), headers={"x-api-key": org.key}
    )
    answers = [
        call(agent, org.key, model=model).status_code
        for model in ("claude-haiku-4-5", "claude-sonnet-4-5")
    ]

    assert (counted.status_code, answers) == (200, [200, 429])


def test_the_last_cent_is_not_spent_by_two(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """Where less is left than a call may cost, it does not begin: what is held is never cut."""
    provider.answer(b'{"usage":{"input_tokens":2000,"output_tokens":100}}')
    budget = a_budget(org.db, org.org, amount=usd(0.02).picodollars)

    statuses = at_once(12, lambda: call(agent, org.key))

    assert set(statuses) == {200, 429}
    until(lambda: open_holds(org.db) == 0)
    assert 0 < spent(org.db, budget) <= budget.amount
    assert budget.amount < PER_DOLLAR


def _whole(content: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(content)}"
    return head.encode() + b"\r\n\r\n" + content


def test_what_a_refusal_says_is_what_its_budget_says(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    """No refusal without a number: used, held, amount, until when."""
    budget = a_budget(org.db, org.org, amount=1)

    message = json.loads(call(agent, org.key).content)["error"]["message"]

    for part in ("$0.00 of $0.000000000001 used", "available again from", budget.id):
        assert part in message
