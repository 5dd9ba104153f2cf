from __future__ import annotations

import pytest

from stationmaster.agents import recognition


@pytest.mark.parametrize(
    ("service", "scope", "name", "product"),
    [
        ("claude-code", "com.anthropic.claude_code.events", "user_prompt", "claude-code"),
        ("codex_exec", "codex_otel", "codex.user_prompt", "codex"),
        ("claude-code", "", "codex.user_prompt", "codex"),
        ("codex_exec", "", "claude_code.api_request", "claude-code"),
        ("gemini-cli", "gemini-cli", "gemini_cli.user_prompt", "gemini-cli"),
        ("gemini-cli", "gemini-cli", "llm_call", "gemini-cli"),
        ("renamed", "", "gemini_cli.api_response", "gemini-cli"),
        ("gemini-cli", "", "codex.user_prompt", "codex"),
        ("qwen-code", "qwen-code", "session.start", "qwen-code"),
        ("renamed", "", "qwen-code.api_response", "qwen-code"),
        ("qwen-code", "", "gemini_cli.user_prompt", "gemini-cli"),
        ("opencode", "opencode", "Session.get", "opencode"),
        ("opencode", "com.opencode", "claude_code.token.usage", "opencode"),
        ("anything", "com.opencode.telemetry", "claude_code.user_prompt", "opencode"),
        ("anything", "", "opencode.user_prompt", "opencode"),
        ("opencode", "", "codex.user_prompt", "codex"),
        ("github-copilot", "github.copilot", "chat gpt-5", "copilot-cli"),
        ("renamed", "github.copilot", "execute_tool bash", "copilot-cli"),
        ("copilot-chat", "", "chat gpt-5", None),
        ("cli", "", "droid.tool.invocations", "droid"),
        ("cli", "", "tool.invocations", None),
        ("unknown", "", "user_prompt", None),
    ],
)
def test_sender_of_a_record(service, scope, name, product):
    found = recognition.find_otlp(service, scope, name)
    assert (found.product if found else None) == product


@pytest.mark.parametrize(
    ("head", "product"),
    [
        (b'{"type":"user","sessionId":"x"}\n', "claude-code"),
        (b'{"timestamp":"x","type":"session_meta","payload":{"id":"x"}}\n', "codex"),
        (b'{"sessionId":"x","projectHash":"y","kind":"main"}\n', "gemini-cli"),
        (b'{"uuid":"x","sessionId":"y","type":"user","message":{"parts":[]}}\n', "qwen-code"),
        (
            b'{"type":"session.start","data":{"sessionId":"x","copilotVersion":"1"}}\n',
            "copilot-cli",
        ),
        (b'{"type":"session_start","id":"x","cwd":"/p"}\n', "droid"),
        (b'{"type":"system","sessionId":"x","timestamp":1767812640310}\n', "droid"),
        (
            b'{"type":"system","uuid":"u","sessionId":"x","timestamp":1767812640310}\n',
            "claude-code",
        ),
        (b'{"role":"user","message":{"content":[]}}\n', "cursor"),
        (b"{}\n", None),
    ],
)
def test_agent_of_a_session_file(head, product):
    found = recognition.find_transcript("/p/a.jsonl", head)
    assert (found.product if found else None) == product


@pytest.mark.parametrize(
    ("path", "head", "product"),
    [
        ("/h/.local/share/opencode/opencode.db", b"SQLite format 3\0", "opencode"),
        ("/h/.local/share/opencode/opencode-dev.db", b"SQLite format 3\0", "opencode"),
        ("opencode.db", b"SQLite format 3\0", "opencode"),
        ("/h/opencode.db", b"plain words", None),
        ("/h/other.db", b"SQLite format 3\0", None),
        ("/s/session/p/ses_1.json", b'{"projectID": "p", "directory": "/x"}', "opencode"),
        ("/s/session/p/ses_1.json", b'{"id": "x"}', None),
        ("/s/message/p/msg_1.json", b'{"projectID": "p", "directory": "/x"}', None),
    ],
)
def test_agent_of_a_document(path, head, product):
    found = recognition.find_transcript(path, head)
    assert (found.product if found else None) == product


def test_agents_are_found_by_product():
    for agent in recognition.agents():
        assert recognition.by_product(agent.product) is agent
    assert recognition.by_product("cobol") is None
