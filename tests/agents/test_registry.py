from __future__ import annotations

import pytest

from stationmaster.agents import registry


@pytest.mark.parametrize(
    ("service", "scope", "name", "product"),
    [
        ("claude-code", "com.anthropic.claude_code.events", "user_prompt", "claude-code"),
        ("codex_exec", "codex_otel", "codex.user_prompt", "codex"),
        ("claude-code", "", "codex.user_prompt", "codex"),
        ("codex_exec", "", "claude_code.api_request", "claude-code"),
        ("unknown", "", "user_prompt", None),
    ],
)
def test_sender_of_a_record(service, scope, name, product):
    found = registry.find_otlp(service, scope, name)
    assert (found.product if found else None) == product


@pytest.mark.parametrize(
    ("head", "product"),
    [
        (b'{"type":"user","sessionId":"x"}\n', "claude-code"),
        (b'{"timestamp":"x","type":"session_meta","payload":{"id":"x"}}\n', "codex"),
        (b"{}\n", None),
    ],
)
def test_agent_of_a_session_file(head, product):
    found = registry.find_transcript("/p/a.jsonl", head)
    assert (found.product if found else None) == product


def test_agents_are_found_by_product():
    for agent in registry.AGENTS:
        assert registry.by_product(agent.product) is agent
    assert registry.by_product("cobol") is None
