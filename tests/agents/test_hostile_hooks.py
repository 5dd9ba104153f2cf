"""Whatever a hook is given: it is read or refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents.interface import Intake, InvalidRecord
from tests.agents.builders import (
    AT,
    AT_MS,
    SESSION,
    agent,
)
from tests.agents.hostile import HOOKED, check, json_values, replaced

pytestmark = pytest.mark.attack
HOOKS = {
    "claude-code": [
        {"hook_event_name": event, "session_id": SESSION, "prompt_id": "p", **fields}
        for event, fields in (
            ("SessionStart", {"source": "startup", "cwd": "/x"}),
            ("UserPromptSubmit", {"prompt": "hi", "permission_mode": "plan"}),
            ("UserPromptExpansion", {"command_name": "init", "command_source": "custom"}),
            (
                "PostToolUse",
                {
                    "tool_name": "Write",
                    "tool_use_id": "t",
                    "tool_input": {"file_path": "/a.py"},
                    "tool_response": {"type": "create", "content": "x"},
                },
            ),
            (
                "PostToolUse",
                {
                    "tool_name": "Bash",
                    "tool_input": {"command": "git commit -m x"},
                    "tool_response": {"stdout": "[main 34c4d56] x"},
                },
            ),
        )
    ],
    "codex": [
        {"hook_event_name": event, "session_id": SESSION, "turn_id": "t", **fields}
        for event, fields in (
            ("UserPromptSubmit", {"prompt": "hi", "permission_mode": "plan"}),
            (
                "PostToolUse",
                {
                    "tool_name": "Bash",
                    "tool_use_id": "c",
                    "tool_input": {"command": "git commit -m x"},
                    "tool_response": "Exit code: 0\n[main 34c4d56] x",
                },
            ),
            ("PostToolUse", {"tool_name": "mcp__a__b", "tool_response": {"isError": False}}),
        )
    ],
    "copilot-cli": [
        {"hook_event_name": "SessionEnd", "sessionId": SESSION, "reason": "complete"},
        {"hook_event_name": "UserPromptSubmit", "sessionId": SESSION, "prompt": "hi"},
        {
            "hook_event_name": "PostToolUse",
            "timestamp": AT_MS,
            "toolName": "create",
            "toolArgs": {"path": "/a.py", "file_text": "x"},
            "toolResult": {"resultType": "success", "textResultForLlm": "exit code 1"},
        },
        {
            "hook_event_name": "PostToolUse",
            "timestamp": AT,
            "tool_name": "bash",
            "tool_input": {"command": "git commit -m x"},
        },
    ],
}


@pytest.mark.parametrize("product", HOOKS)
@settings(max_examples=100)
@given(data=st.data())
@pytest.mark.slow
def test_hooks_with_any_value_in_any_field_are_read_or_refused(product, data):
    hooks = list(HOOKS[product])
    index = data.draw(st.integers(0, len(hooks) - 1))
    hooks[index], _ = replaced(hooks[index], data.draw(st.integers(1, 12)), data.draw(json_values))
    intake = Intake()
    for hook in hooks:
        with contextlib.suppress(InvalidRecord):
            agent(product).hook(data.draw(st.sampled_from([None, "Stop"])), hook, AT_MS, intake)
    check(intake.events)


@pytest.mark.parametrize("product", HOOKED)
@settings(max_examples=100)
@given(data=st.data())
@pytest.mark.slow
def test_hooks_of_samples_with_any_value_in_any_field_are_read_or_refused(product, data):
    intake = Intake()
    for given_json in HOOKED[product].marked_hooks("words"):
        place = data.draw(st.integers(1, 20))
        changed, _ = replaced(given_json, place, data.draw(json_values))
        with contextlib.suppress(InvalidRecord):
            agent(product).hook(None, changed, AT_MS, intake)
    check(intake.events)
