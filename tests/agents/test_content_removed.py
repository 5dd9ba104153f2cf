"""No content of a record, a session file or a hook reaches an event."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from stationmaster.agents.interface import Intake, Log
from tests.agents.builders import (
    AT,
    AT_MS,
    SESSION,
    agent,
    assistant,
    resource,
    result,
    rollout,
    tool_use,
    user,
)
from tests.agents.gemini_cli import samples as gemini
from tests.agents.hostile import HOOKED, MARK
from tests.agents.qwen_code import samples as qwen

pytestmark = pytest.mark.attack


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
