"""Which agent calls, and which of its sessions, by what agents of these versions send."""

from __future__ import annotations

import pytest

from stationmaster.gateway import agents

SESSION = "ses_df634b8eaffe3fL55lqu42ZEIB"


@pytest.mark.parametrize(
    ("program", "field", "product", "version"),
    [
        (
            "claude-cli/2.1.329 (external, cli)",
            "x-claude-code-session-id",
            "claude-code",
            "2.1.329",
        ),
        ("codex_exec/0.169.0 (Debian 12.0.0; x86_64)", "session-id", "codex", "0.169.0"),
        (
            "opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14",
            "x-session-affinity",
            "opencode",
            "1.18.33",
        ),
    ],
)
def test_an_agent_names_its_session_in_a_field_of_its_own(
    program: str, field: str, product: str, version: str
) -> None:
    agent = agents.of([(b"user-agent", program.encode()), (field.encode(), SESSION.encode())])

    assert (agent.product, agent.version, agent.session) == (product, version, SESSION)


@pytest.mark.parametrize(
    "program", ["factory-cli/0.225.0", "GeminiCLI/0.61.0/gemini-2.5-pro", "curl/8.5"]
)
def test_a_session_that_reports_may_not_have_is_not_believed(program: str) -> None:
    fields = [(b"user-agent", program.encode()), (b"x-session-id", SESSION.encode())]

    assert agents.of(fields).session is None


@pytest.mark.parametrize("session", ["", "two words", "x" * 201, "a\r\nb"])
def test_what_is_no_identifier_is_no_session(session: str) -> None:
    fields = [
        (b"user-agent", b"claude-cli/2.1.329"),
        (b"x-claude-code-session-id", session.encode()),
    ]

    assert agents.of(fields).session is None


@pytest.mark.parametrize(
    ("program", "initiator", "product"),
    [
        ("Anthropic/JS 0.94.0", "user", "copilot-cli"),
        ("OpenAI/JS 6.1.0", "agent", "copilot-cli"),
        ("Anthropic/JS 0.94.0", "", agents.OTHER),
        ("Anthropic/JS 0.94.0", "somebody", agents.OTHER),
        ("opencode/1.18.33", "agent", "opencode"),
    ],
)
def test_copilot_cli_is_known_by_the_field_that_says_who_began_a_turn(
    program: str, initiator: str, product: str
) -> None:
    fields = [(b"user-agent", program.encode()), (b"x-initiator", initiator.encode())]

    assert agents.of(fields).product == product
