"""Whatever a sender puts in a field: nothing breaks, and no content ever reaches an event."""

from __future__ import annotations

import contextlib
import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents.interface import Intake, InvalidRecord, Log, Point, Span
from stationmaster.events.model import NAME_LENGTH_MAX, Event
from tests.agents.builders import (
    AT,
    AT_MS,
    SESSION,
    agent,
    assistant,
    resource,
    result,
    rollout,
    token_count,
    tool_use,
    usage,
    user,
)
from tests.agents.gemini_cli import samples as gemini
from tests.agents.qwen_code import samples as qwen

pytestmark = pytest.mark.attack

PRODUCTS = ("claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli")
HOOKED = {"gemini-cli": gemini, "qwen-code": qwen}
"""The agents whose hooks are read, with their samples."""
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

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "__proto__",
            "constructor",
            "mcp__a__b",
            "response.completed",
            "reject",
            "Write",
            "Bash",
            "exec",
            "true",
            "-1",
            '{"command": 5}',
            "[",
            "x" * 5000,
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "__proto__", "content", "id", "text"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def attributes(product: str) -> st.SearchStrategy[dict[str, Any]]:
    names = (*LOG_NAMES[product], *SPAN_NAMES[product], *POINT_NAMES[product])
    asked = frozenset[str]().union(*map(agent(product).attributes_of, names))
    return st.dictionaries(st.sampled_from(sorted(asked)), json_values)


def check(events: list[Event]) -> None:
    """Every event is one that can be stored: right types, short names, possible figures."""
    for event in events:
        msgspec.convert(msgspec.to_builtins(event), Event)
        for field in Event.__struct_fields__:
            value = getattr(event, field)
            if isinstance(value, str):
                assert len(value) <= 2 * NAME_LENGTH_MAX
            if isinstance(value, int):
                assert -(2**63) <= value < 2**63
            if isinstance(value, float):
                assert math.isfinite(value)


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_otlp_records_of_any_values_are_read_or_refused(product, data):
    known = agent(product)
    intake = Intake()
    sender = resource(data.draw(st.sampled_from(["claude-code", "codex_cli_rs", ""])))
    for name in LOG_NAMES[product]:
        with contextlib.suppress(InvalidRecord):
            record = Log(name, AT_MS, "event", data.draw(attributes(product)))
            known.log(sender, record, intake)
    for name in SPAN_NAMES[product]:
        with contextlib.suppress(InvalidRecord):
            given_values = data.draw(attributes(product))
            known.span(sender, Span(name, 0, 1, given_values, "", "", False), intake)
    points = [
        Point(
            name,
            data.draw(st.floats()),
            data.draw(st.booleans()),
            0,
            1,
            data.draw(attributes(product)),
            name,
        )
        for name in POINT_NAMES[product]
    ]
    known.points(sender, points, intake)
    check(intake.events)


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


def replaced(value: Any, place: int, new: Any) -> tuple[Any, int]:
    """A copy of a JSON value in which the place-th value in it is another."""
    if place == 0:
        return new, -1
    place -= 1
    if isinstance(value, dict):
        copy: dict[str, Any] = {}
        for key, inner in value.items():
            copy[key], place = replaced(inner, place, new) if place >= 0 else (inner, place)
        return copy, place
    if isinstance(value, list):
        items = []
        for inner in value:
            item, place = replaced(inner, place, new) if place >= 0 else (inner, place)
            items.append(item)
        return items, place
    return value, place


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=100, deadline=None)
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


@pytest.mark.parametrize("product", HOOKS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_hooks_with_any_value_in_any_field_are_read_or_refused(product, data):
    hooks = list(HOOKS[product])
    index = data.draw(st.integers(0, len(hooks) - 1))
    hooks[index], _ = replaced(hooks[index], data.draw(st.integers(1, 12)), data.draw(json_values))
    intake = Intake()
    for hook in hooks:
        with contextlib.suppress(InvalidRecord):
            agent(product).hook(data.draw(st.sampled_from([None, "Stop"])), hook, AT_MS, intake)
    check(intake.events)


@pytest.mark.parametrize("product", PRODUCTS)
@settings(max_examples=100, deadline=None)
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


MARK = "Xq7Secret"


def marked_claude_lines() -> list[Any]:
    """Every field that holds content holds the mark; names, models and ids do not."""
    path = f"/home/{MARK}/{MARK}.py"
    text = f"words {MARK} words"
    command = f"A={MARK} git commit -m '{MARK}' && gh pr create --title {MARK}; echo {MARK}"
    hook = {
        "type": "hook_success",
        "command": f"/opt/{MARK}/run --key {MARK}",
        "content": text,
        "hookEvent": "PreToolUse",
        "hookName": "PreToolUse:Bash",
        "toolUseID": "t1",
        "stdout": text,
        "stderr": text,
    }
    return [
        user(text, cwd=f"/home/{MARK}", version="2.1.0", gitBranch="main", promptId="p"),
        user([{"type": "text", "text": text}]),
        user(f"<command-name>/init</command-name><command-args>{text}</command-args>"),
        assistant(
            "a",
            3,
            {"type": "thinking", "thinking": text},
            {"type": "text", "text": text},
            tool_use("t1", "Write", file_path=path, content=text),
            tool_use("t2", "Edit", file_path=path, old_string=text, new_string=text),
            tool_use("t3", "Bash", command=command, description=text),
            tool_use("t4", "mcp__lab__echo", text=text),
            tool_use("t5", "Task", prompt=text, description=text),
            tool_use("t6", "Skill", skill="deploy", args=text),
        ),
        result("t1", {"type": "create", "filePath": path, "content": text}),
        result(
            "t2",
            {
                "filePath": path,
                "oldString": text,
                "originalFile": text,
                "structuredPatch": [{"lines": [f"+{text}", f"-{text}"]}],
            },
        ),
        result("t3", {"stdout": f"[main 34c4d56] {text}\n{text}", "stderr": text}),
        result("t4", [{"type": "text", "text": text}]),
        result("t5", {"content": text, "agentId": "x"}),
        result("t6", text),
        {"type": "attachment", "timestamp": AT, "attachment": hook},
        {
            "type": "attachment",
            "timestamp": AT,
            "uuid": "q",
            "attachment": {"type": "queued_command", "prompt": text},
        },
        {
            "type": "system",
            "subtype": "local_command",
            "timestamp": AT,
            "content": f"<command-name>/model</command-name><command-args>{text}</command-args>",
        },
        {"type": "summary", "summary": text},
    ]


def marked_codex_lines() -> list[Any]:
    path = f"/home/{MARK}/{MARK}.py"
    text = f"words {MARK} words"
    patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"
    command = f"A={MARK} git commit -m '{MARK}' && gh pr create --title {MARK}"
    shell = json.dumps({"cmd": command, "justification": text})
    outcome = f"Exit code: 0\n[main 34c4d56] {text}\n"
    return [
        rollout(
            "session_meta",
            id=SESSION,
            cwd=f"/home/{MARK}",
            originator="codex_exec",
            base_instructions={"text": text},
            git={"repository_url": f"https://{MARK}:{MARK}@git.example.com/acme/calc.git"},
        ),
        rollout("event_msg", type_="user_message", message=text),
        rollout("event_msg", type_="agent_message", message=text),
        rollout("response_item", type_="message", role="user", content=[{"text": text}]),
        rollout(
            "response_item",
            type_="function_call",
            call_id="c1",
            name="exec_command",
            arguments=shell,
        ),
        rollout("response_item", type_="function_call_output", call_id="c1", output=outcome),
        rollout(
            "response_item", type_="custom_tool_call", call_id="c2", name="apply_patch", input=patch
        ),
        rollout("response_item", type_="custom_tool_call_output", call_id="c2", output=outcome),
        rollout(
            "event_msg",
            type_="item_completed",
            turn_id="t",
            item={
                "type": "CommandExecution",
                "id": "c3",
                "command": ["bash", "-lc", command],
                "exit_code": 0,
                "aggregated_output": outcome,
                "cwd": f"/home/{MARK}",
            },
        ),
        rollout(
            "event_msg",
            type_="item_completed",
            turn_id="t",
            item={
                "type": "FileChange",
                "id": "c4",
                "status": "completed",
                "stdout": text,
                "changes": {
                    path: {"type": "add", "content": text},
                    f"{path}2": {"type": "update", "unified_diff": f"+{text}"},
                },
            },
        ),
        rollout(
            "event_msg",
            type_="item_completed",
            turn_id="t",
            item={
                "type": "McpToolCall",
                "id": "c5",
                "server": "lab",
                "tool": "echo",
                "arguments": {"text": text},
                "result": {"content": [{"text": text}]},
            },
        ),
    ]


@pytest.mark.parametrize(
    ("product", "lines", "kinds"),
    [
        ("claude-code", marked_claude_lines(), 9),
        ("codex", marked_codex_lines(), 6),
        ("gemini-cli", gemini.marked_lines(MARK), 6),
        ("qwen-code", qwen.marked_lines(MARK), 9),
    ],
)
def test_no_content_of_a_session_file_reaches_an_event_or_the_state(product, lines, kinds):
    intake = Intake()
    reader = agent(product).transcript(f"/home/{MARK}/{SESSION}.jsonl")
    for line in lines:
        reader.feed(json.dumps(line).encode(), intake)
        assert MARK not in json.dumps(reader.state())
    reader.finish(intake)
    assert len({event.kind for event in intake.events}) >= kinds
    assert MARK.lower() not in msgspec.json.encode(intake.events).decode().lower()


def test_no_content_of_an_exported_record_reaches_an_event():
    text = f"words {MARK} words"
    path = f"/home/{MARK}/{MARK}.py"
    command = f"git commit -m '{MARK}'"
    claude = Intake()
    for name, given_values in (
        ("user_prompt", {"prompt": text, "prompt_text": text, "prompt_length": "5"}),
        ("assistant_response", {"response": text}),
        ("api_request", {"input_tokens": 1, "model": "m", "error": text}),
        (
            "tool_result",
            {
                "tool_name": "Write",
                "success": "true",
                "error": text,
                "tool_input": json.dumps({"file_path": path, "content": text}),
            },
        ),
        (
            "tool_result",
            {
                "tool_name": "Bash",
                "success": "true",
                "tool_parameters": json.dumps(
                    {"full_command": command, "description": text, "bash_command": text}
                ),
            },
        ),
    ):
        record = Log(name, AT_MS, "event", {"session.id": SESSION, **given_values})
        agent("claude-code").log(resource("claude-code"), record, claude)
    patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"
    codex = Intake()
    for name, given_values in (
        ("codex.user_prompt", {"prompt": text, "prompt_length": "5"}),
        (
            "codex.tool_result",
            {
                "tool_name": "apply_patch",
                "arguments": patch,
                "output": text,
                "success": "true",
                "call_id": "a",
            },
        ),
        (
            "codex.tool_result",
            {
                "tool_name": "exec_command",
                "output": text,
                "success": "true",
                "arguments": json.dumps({"cmd": command}),
                "call_id": "b",
            },
        ),
    ):
        record = Log(name, AT_MS, "event", {"conversation.id": SESSION, **given_values})
        agent("codex").log(resource("codex_exec"), record, codex)
    kinds = {event.kind for event in claude.events + codex.events}
    assert {"user_message", "model_call", "tool_call", "file_change", "git_commit"} <= kinds
    assert MARK not in msgspec.json.encode(claude.events + codex.events).decode()


@pytest.mark.parametrize("product", HOOKED)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_hooks_of_samples_with_any_value_in_any_field_are_read_or_refused(product, data):
    intake = Intake()
    for given_json in HOOKED[product].marked_hooks("words"):
        place = data.draw(st.integers(1, 20))
        changed, _ = replaced(given_json, place, data.draw(json_values))
        with contextlib.suppress(InvalidRecord):
            agent(product).hook(None, changed, AT_MS, intake)
    check(intake.events)


@pytest.mark.parametrize("product", HOOKED)
def test_no_content_of_a_hook_or_an_exported_record_reaches_an_event(product):
    samples, intake = HOOKED[product], Intake()
    for given_json in samples.marked_hooks(MARK):
        agent(product).hook(None, given_json, AT_MS, intake)
    hooked = {event.kind for event in intake.events}
    for name, given_values in samples.marked_logs(MARK):
        record = Log(name, AT_MS, "event", {"session.id": SESSION, **given_values})
        agent(product).log(resource(product), record, intake)
    assert {"user_message", "tool_call", "file_change", "git_commit"} <= hooked
    assert MARK not in msgspec.json.encode(intake.events).decode()
