"""Which repository's budgets a call falls under."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster import ids
from tests.gateway.test_budgets import PATHS, body, events_of, until
from tests.limits.cases import a_budget, open_holds, spent
from tests.support.gateways import Installation
from tests.support.raw_provider import RawProvider, raw_provider

SHOP = "git.example.com/acme/shop"
SESSION = "0c6b8f7e-session"


@pytest.fixture
def provider(org: Installation) -> Iterator[RawProvider]:
    with raw_provider() as running:
        running.answer(b'{"id":"msg_1","usage":{"input_tokens":10,"output_tokens":1}}')
        org.provider("anthropic", "anthropic", running.url)
        yield running


def call(agent: httpx.Client, org: Installation, **fields: str) -> int:
    sent = {name.replace("_", "-"): value for name, value in fields.items()}
    answer = agent.post(PATHS["anthropic"], json=body(), headers={"x-api-key": org.key, **sent})
    return answer.status_code


@pytest.mark.parametrize(
    "address",
    [f"https://{SHOP}.git", "git@git.example.com:Acme/Shop.git", f"https://user:pw@{SHOP}", SHOP],
)
def test_a_caller_names_the_repository_in_a_header_field(
    address: str, agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    budget = a_budget(org.db, org.org, "repository", SHOP)
    other = a_budget(org.db, org.org, "repository", "git.example.com/acme/other")

    assert call(agent, org, x_stationmaster_repository=address) == 200

    until(lambda: spent(org.db, budget) > 0 and open_holds(org.db) == 0)
    assert spent(org.db, other) == 0
    until(lambda: events_of(org))
    assert [event.repo for event in events_of(org)] == [SHOP]
    [request] = provider.requests
    assert "x-stationmaster-repository" not in request.fields


def test_a_session_is_in_the_repository_that_its_telemetry_has_reported(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    a_budget(org.db, org.org, "repository", SHOP, amount=1)
    session = ids.session_of(org.org, "claude-code", SESSION)
    report_session(org, session, SHOP)

    assert call(agent, org, **claude(SESSION)) == 429
    assert call(agent, org, **claude("another-session")) == 200
    until(lambda: open_holds(org.db) == 0)


def test_a_repository_that_nobody_names_is_no_repository(
    agent: httpx.Client, org: Installation, provider: RawProvider
) -> None:
    a_budget(org.db, org.org, "repository", SHOP, amount=1)

    assert call(agent, org) == 200
    assert call(agent, org, x_stationmaster_repository="not an address") == 200
    until(lambda: open_holds(org.db) == 0)


def claude(session: str) -> dict[str, str]:
    return {"user_agent": "claude-cli/2.1.329", "x_claude_code_session_id": session}


def report_session(org: Installation, session: str, repository: str) -> None:
    """A row of a session as a rollup writes it."""
    columns = {
        "org_id": org.org, "session_id": session, "day": "2026-11-20",
        "agent_session_id": SESSION, "agent": "claude-code", "client": "", "team": "",
        "user_id": org.owner.principal_id, "repository": repository, "sources": "otlp_logs",
        "amount": "0", "models": "[]", "tools": "[]",
    }  # fmt: skip
    counts = (
        *("started_at", "ended_at", "user_messages", "model_calls", "unpriced_calls"),
        *("model_errors", "tool_calls", "failed_tool_calls", "refused_tool_calls"),
        *("files_changed", "lines_added", "lines_removed", "git_commits", "git_prs_created"),
        *("billable_tokens", "input_tokens", "output_tokens", "cache_read_tokens"),
        "cache_write_tokens",
    )
    row = {**columns, **dict.fromkeys(counts, 0)}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    org.db.write(f"INSERT INTO agent_sessions ({names}) VALUES ({marks})", [tuple(row.values())])
