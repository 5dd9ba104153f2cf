from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import (
    AT_MS,
    SESSION,
    agent,
    codex_logs,
    log,
    of_kind,
    rollout,
    transcript,
    what_happened,
)


def told(event, **fields):
    given = {"hook_event_name": event, "session_id": SESSION, "turn_id": "t", **fields}
    intake = Intake()
    agent("codex").hook(None, given, AT_MS, intake)
    return what_happened(intake)


def tool(name, command=None, response="", **fields):
    return told(
        "PostToolUse",
        tool_name=name,
        tool_input={"command": command},
        tool_response=response,
        tool_use_id="c1",
        **fields,
    )


def exported(name, arguments, output):
    return codex_logs(
        log(
            "codex.tool_result",
            tool_name=name,
            call_id="c1",
            arguments=arguments,
            output=output,
            success="true",
        )
    )


def test_prompt_is_the_one_of_the_session_file():
    [message] = told("UserPromptSubmit", prompt="hello").events
    lines = [
        rollout("session_meta", id=SESSION),
        rollout("turn_context", turn_id="t"),
        rollout("event_msg", type_="user_message", message="hello"),
    ]
    [written] = of_kind(transcript("codex", lines), "user_message")
    assert (message.event_id, message.prompt_length) == (written.event_id, 5)


@pytest.mark.parametrize(
    ("mode", "level"), [("plan", "spec"), ("bypassPermissions", None), ("default", None)]
)
def test_mode_tells_planning_and_no_more(mode, level):
    intake = told("UserPromptSubmit", prompt="x", permission_mode=mode)
    assert [e.autonomy for e in of_kind(intake, "mode_change")] == ([level] if level else [])
    [call] = tool("Bash", permission_mode=mode).events
    assert call.autonomy == level


def test_call_with_its_commit_is_the_exported_one():
    command, output = "git commit -m x", "[main cb55855] x\n"
    hooked = tool("Bash", command, output)
    other = exported("exec_command", json.dumps({"cmd": command}), output)
    assert [e.event_id for e in hooked.events] == [e.event_id for e in other.events]
    assert [e.commit_sha for e in of_kind(hooked, "git_commit")] == ["cb55855"]
    assert {e.source_group for e in hooked.events} == {e.source_group for e in other.events}


def test_patch_is_the_exported_one():
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\n"
    output = "Exit code: 0\nSuccess."
    hooked, other = tool("apply_patch", patch, output), exported("apply_patch", patch, output)
    assert [e.event_id for e in hooked.events] == [e.event_id for e in other.events]
    [change] = of_kind(hooked, "file_change")
    assert (change.file_op, change.language, change.lines_added) == ("created", "Python", 1)


@pytest.mark.parametrize(
    ("response", "success", "decision"),
    [
        ("", None, None),
        ("Exit code: 1\nno", False, None),
        ("command was blocked by policy", False, "reject"),
        ({"content": []}, True, None),
        ({"content": [], "isError": True}, False, None),
        (5, None, None),
    ],
)
def test_outcome_of_a_tool(response, success, decision):
    [call] = tool("Bash", "ls", response).events
    assert (call.tool, call.success, call.decision) == ("shell", success, decision)


def test_server_and_tool_are_named():
    [call] = tool("mcp__lab__lab_echo", response={"content": []}).events
    assert (call.tool_raw, call.mcp_server, call.mcp_tool) == (
        "mcp__lab__lab_echo",
        "lab",
        "lab_echo",
    )


def test_session_begins_and_ends():
    [start] = told("SessionStart", source="startup", cwd="/home/dev").events
    [end] = told("SessionEnd", reason="other").events
    assert (start.kind, start.source_detail, bool(start.cwd_hash)) == (
        "session_start",
        "startup",
        True,
    )
    assert (end.kind, end.source_detail) == ("session_end", "other")


def test_hooks_of_no_concern_are_counted_as_such():
    assert told("PreToolUse").drops == told("PermissionRequest").drops == {"redundant": 1}
    assert told("Stop").drops == {"not_counted": 1}
    assert told(None).drops == {"unknown_record": 1}
