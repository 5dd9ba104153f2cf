"""Whatever a sender puts in an exported record: it is read or refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents.interface import Intake, InvalidRecord, Log, Point, Span
from tests.agents.builders import (
    AT_MS,
    agent,
    resource,
)
from tests.agents.gemini_cli import samples as gemini
from tests.agents.hostile import PRODUCTS, Anything, check
from tests.agents.qwen_code import samples as qwen

pytestmark = pytest.mark.attack
LOG_NAMES = {
    "claude-code": (
        "api_request",
        "user_prompt",
        "tool_result",
        "tool_decision",
        "permission_mode_changed",
        "skill_activated",
        "hook_execution_complete",
    ),
    "codex": (
        "codex.conversation_starts",
        "codex.user_prompt",
        "codex.sse_event",
        "codex.tool_decision",
        "codex.tool_result",
    ),
    "gemini-cli": gemini.LOG_NAMES,
    "qwen-code": qwen.LOG_NAMES,
    "copilot-cli": (),
}
SPAN_NAMES = {
    "claude-code": ("claude_code.llm_request", "claude_code.tool", "claude_code.interaction"),
    "codex": ("session_task.turn", "exec_command"),
    "gemini-cli": gemini.SPAN_NAMES,
    "qwen-code": qwen.SPAN_NAMES,
    "copilot-cli": ("chat gpt-5", "execute_tool bash", "permission", "invoke_agent"),
}
POINT_NAMES = {
    "claude-code": ("claude_code.token.usage", "claude_code.commit.count"),
    "codex": ("codex.turn.token_usage", "codex.tool.call", "codex.mcp.call", "codex.hooks.run"),
    "gemini-cli": gemini.POINT_NAMES,
    "qwen-code": qwen.POINT_NAMES,
    "copilot-cli": (
        "gen_ai.client.inference.usage.input_tokens",
        "gen_ai.client.token.usage",
        "github.copilot.tool.call.count",
    ),
}


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=50)
@given(data=st.data())
@pytest.mark.slow
def test_otlp_records_of_any_values_are_read_or_refused(product, data):
    known = agent(product)
    intake = Intake()
    sender = resource(data.draw(st.sampled_from(["claude-code", "codex_cli_rs", ""])))
    for name in LOG_NAMES[product]:
        with contextlib.suppress(InvalidRecord):
            record = Log(name, AT_MS, "event", Anything(data))
            known.log(sender, record, intake)
    for name in SPAN_NAMES[product]:
        with contextlib.suppress(InvalidRecord):
            known.span(sender, Span(name, 0, 1, Anything(data), "", "", False), intake)
    points = [
        Point(
            name,
            data.draw(st.floats()),
            data.draw(st.booleans()),
            0,
            1,
            Anything(data),
            name,
        )
        for name in POINT_NAMES[product]
    ]
    known.points(sender, points, intake)
    for event in intake.events:
        event.user_email = None  # Attribution replaces it by the address of a person.
    check(intake.events)
