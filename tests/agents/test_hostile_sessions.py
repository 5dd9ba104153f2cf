"""Whatever stands in a session file: it is read or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents.interface import Intake
from tests.agents.builders import (
    AT,
    SESSION,
    agent,
    assistant,
    result,
    rollout,
    token_count,
    tool_use,
    usage,
    user,
)
from tests.agents.gemini_cli import samples as gemini
from tests.agents.hostile import PRODUCTS, check, json_values, replaced
from tests.agents.qwen_code import samples as qwen

pytestmark = pytest.mark.attack
CLAUDE_LINES = [
    user("hello", permissionMode="plan", origin={"kind": "human"}, promptId="p"),
    user("<command-name>/init</command-name>"),
    assistant(
        "a",
        5,
        tool_use("t1", "Write", file_path="/a.py"),
        effort="high",
        cwd="/x",
        version="2.1.0",
        gitBranch="main",
        entrypoint="cli",
    ),
    result("t1", {"type": "create", "content": "x", "structuredPatch": [{"lines": ["+a"]}]}),
    assistant("b", 5, tool_use("t2", "Bash", command="git commit -m x; ls")),
    result("t2", {"stdout": "[main 34c4d56] x", "gitOperation": {"commit": {"sha": "34c4d56"}}}),
    {
        "type": "attachment",
        "timestamp": AT,
        "attachment": {"type": "hook_success", "command": "x", "hookEvent": "Stop", "names": ["a"]},
    },
    {
        "type": "system",
        "subtype": "stop_hook_summary",
        "hookInfos": [{"command": "x"}],
        "timestamp": AT,
    },
    {"type": "progress", "data": {"type": "hook_progress"}, "timestamp": AT},
    {"type": "permission-mode", "permissionMode": "plan"},
    {"type": "pr-link", "prUrl": "https://github.com/a/b/pull/1"},
]
CODEX_LINES = [
    rollout(
        "session_meta",
        id=SESSION,
        source={"subagent": {"thread_spawn": {"parent_thread_id": "p"}}},
        git={"repository_url": "https://a.b/c/d", "branch": "x"},
    ),
    rollout(
        "turn_context",
        turn_id="t",
        approval_policy="never",
        model="m",
        effort="high",
        sandbox_policy={"type": "read-only"},
        collaboration_mode={"mode": "plan"},
        permission_profile={"file_system": {"entries": [{"access": "write"}]}},
    ),
    token_count(usage(10, 2, 3, 1), usage(10, 2, 3, 1)),
    rollout("token_usage_record", usage=usage(9, 1, 1, 1), thread_token_usage=usage(19, 3, 4, 2)),
    rollout(
        "response_item",
        type_="function_call",
        call_id="c",
        name="shell",
        arguments='{"command": ["ls"]}',
    ),
    rollout("response_item", type_="function_call_output", call_id="c", output="Exit code: 0"),
    rollout(
        "event_msg",
        type_="item_completed",
        turn_id="t",
        item={
            "type": "FileChange",
            "id": "d",
            "status": "completed",
            "duration": {"secs": 1},
            "changes": {"/a.py": {"type": "add", "content": "x"}},
        },
    ),
    rollout(
        "event_msg",
        type_="mcp_tool_call_end",
        call_id="e",
        invocation={"server": "s", "tool": "t"},
        result={"Ok": {}},
    ),
    rollout("event_msg", type_="user_message", message="hi"),
]
COPILOT_LINES = [
    {"type": kind, "id": f"{number}", "timestamp": AT, "data": data}
    for number, (kind, data) in enumerate(
        [
            (
                "session.start",
                {
                    "sessionId": SESSION,
                    "copilotVersion": "1.0.102",
                    "context": {"cwd": "/x", "repository": "a/b", "hostType": "github"},
                },
            ),
            ("session.permissions_changed", {"allowAllPermissionMode": "on"}),
            ("session.mode_changed", {"newMode": "plan"}),
            ("hook.start", {"hookType": "sessionEnd", "input": {"reason": "complete"}}),
            ("user.message", {"content": "hi", "interactionId": "i", "source": "user"}),
            ("session.usage_record", {"usage": {"model": "m", "inputTokens": 9}}),
            (
                "assistant.message",
                {
                    "messageId": "m",
                    "outputTokens": 5,
                    "toolRequests": [
                        {"toolCallId": "a", "name": "bash", "arguments": '{"command": "ls"}'}
                    ],
                },
            ),
            (
                "tool.execution_start",
                {
                    "toolCallId": "a",
                    "toolName": "shell",
                    "arguments": {"command": "git commit -m x"},
                },
            ),
            ("permission.requested", {"agentMode": "interactive", "permissionMode": "manual"}),
            (
                "permission.completed",
                {"toolCallId": "a", "result": {"kind": "approved"}, "decisionSource": "human"},
            ),
            (
                "tool.execution_complete",
                {
                    "toolCallId": "a",
                    "success": True,
                    "result": {"content": "[main 34c4d56] x"},
                    "fileEdits": [{"path": "/a.py", "kind": "create"}],
                    "shellExecution": {"exitCode": 0},
                    "toolTelemetry": {"metrics": {"linesAdded": 2, "durationMs": 4}},
                },
            ),
            ("skill.invoked", {"name": "pdf", "source": "project"}),
            ("tool.user_requested", {"toolCallId": "b"}),
            ("session.shutdown", {"modelMetrics": {"m": {"usage": {"inputTokens": 20}}}}),
        ]
    )
]
LINES = {
    "claude-code": CLAUDE_LINES,
    "codex": CODEX_LINES,
    "gemini-cli": gemini.LINES,
    "qwen-code": qwen.LINES,
    "copilot-cli": COPILOT_LINES,
}


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=100)
@given(data=st.data())
def test_session_lines_with_any_value_in_any_field_are_read_or_refused(product, data):
    lines = list(LINES[product])
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(st.integers(0, len(lines) - 1))
        lines[index], _ = replaced(
            lines[index], data.draw(st.integers(0, 40)), data.draw(json_values)
        )
    intake = Intake()
    reader = agent(product).transcript(f"/p/{SESSION}.jsonl")
    for line in lines:
        reader.feed(json.dumps(line).encode("utf-8", "replace"), intake)
    reader.finish(intake)
    json.dumps(reader.state())
    check(intake.events)


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=100)
@given(line=st.binary(max_size=60))
def test_session_lines_of_any_bytes_stop_nothing(product, line):
    reader = agent(product).transcript("x")
    intake = Intake()
    reader.feed(line, intake)
    reader.feed_lines(line, intake)
    reader.finish(intake)


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_megabyte_in_a_name_is_cut(product):
    huge = "n" * 1_000_000
    lines = json.loads(json.dumps(LINES[product]).replace("shell", huge).replace("Write", huge))
    intake = Intake()
    reader = agent(product).transcript("x.jsonl")
    for line in lines:
        reader.feed(json.dumps(line).encode(), intake)
    reader.finish(intake)
    check(intake.events)
