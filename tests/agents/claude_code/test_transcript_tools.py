"""Tools, skills, hooks and subagents in a session file."""

from __future__ import annotations

import pytest

from tests.agents.builders import (
    AT,
    SESSION,
    assistant,
    of_kind,
    result,
    tool_use,
)
from tests.agents.claude_code.transcripts import read


def test_written_files_are_created_or_overwritten_with_their_lines():
    patch = [{"lines": [" same", "-old", "+new", "+more"]}]
    intake = read(
        assistant("a", 1, tool_use("t1", "Write", file_path="/p/a.py", content="x")),
        result(
            "t1",
            {"type": "create", "filePath": "/p/a.py", "content": "1\n2\n", "structuredPatch": []},
        ),
        assistant("b", 1, tool_use("t2", "Write", file_path="/p/a.py", content="x")),
        result("t2", {"type": "update", "filePath": "/p/a.py", "structuredPatch": patch}),
        assistant("c", 1, tool_use("t3", "MultiEdit", file_path="/p/b.go")),
        result("t3", {"filePath": "/p/b.go", "structuredPatch": patch}),
        assistant("d", 1, tool_use("t4", "Edit", file_path="/p/b.go")),
        result("t4", "Error: String to replace not found", True),
    )
    changes = [
        (event.file_op, event.language, event.lines_added, event.lines_removed)
        for event in of_kind(intake, "file_change")
    ]
    assert changes == [
        ("created", "Python", 2, 0),
        ("edited", "Python", 2, 1),
        ("edited", "Go", 2, 1),
    ]


@pytest.mark.parametrize(
    ("line", "decision", "success"),
    [
        (result("t1", {"stdout": ""}), None, True),
        (result("t1", "Error: Exit code 1", True), None, False),
        (result("t1", "Error: Exit code 1", None), None, False),
        (result("t1", "Error: x", True, toolDenialKind="user-rejected"), "reject", False),
        (
            result(
                "t1",
                "Error: x",
                True,
                permissionDecision={"decision": "reject", "source": "config"},
            ),
            "reject",
            False,
        ),
        (result("t1", "Error: The user doesn't want to proceed with this", True), "reject", False),
        (
            result("t1", {}, permissionDecision={"decision": "accept", "source": "user_temporary"}),
            "accept",
            True,
        ),
    ],
)
def test_decision_and_success_of_a_call(line, decision, success):
    intake = read(assistant("a", 1, tool_use("t1", "Bash", command="ls")), line)
    [call] = of_kind(intake, "tool_call")
    assert (call.decision, call.success) == (decision, success)


def test_call_without_a_result_is_told_at_the_end():
    [call] = of_kind(read(assistant("a", 1, tool_use("t1", "Bash"))), "tool_call")
    assert call.success is None


def test_refused_calls_have_no_consequences():
    intake = read(
        assistant(
            "a",
            1,
            tool_use("t1", "Bash", command="git commit -m x"),
            tool_use("t2", "Skill", skill="deploy"),
        ),
        result("t1", "Error: x", True, toolDenialKind="user-rejected"),
        result("t2", "Error: x", True, toolDenialKind="user-rejected"),
    )
    assert of_kind(intake, "git_commit") == []
    assert of_kind(intake, "skill") == []


def test_server_tools_and_skills_and_subagents():
    intake = read(
        assistant(
            "a",
            1,
            tool_use("t1", "mcp__Lab__echo"),
            tool_use("t2", "Skill", skill="deploy"),
            tool_use("t3", "Task"),
            tool_use("t4", "mcp__plugin_a_b__c"),
        ),
        result("t1", [{"type": "text"}]),
        result("t2", {"success": True}),
    )
    calls = {call.tool_call_id: call for call in of_kind(intake, "tool_call")}
    assert (calls["t1"].mcp_server, calls["t1"].mcp_tool) == ("lab", "echo")
    assert calls["t4"].mcp_server == "plugin_a_b"
    assert [calls[f"t{n}"].tool_kind for n in (1, 2, 3)] == ["mcp", "skill", "subagent"]
    assert [event.skill for event in of_kind(intake, "skill")] == ["deploy"]


def test_hooks_are_commands_by_their_programs_name_and_count_once():
    def attached(event, command):
        return {
            "type": "attachment",
            "timestamp": AT,
            "sessionId": SESSION,
            "attachment": {
                "type": "hook_success",
                "hookEvent": event,
                "hookName": f"{event}:Bash",
                "command": command,
                "toolUseID": "t1",
                "durationMs": 5,
            },
        }

    summary = {
        "type": "system",
        "subtype": "stop_hook_summary",
        "timestamp": AT,
        "sessionId": SESSION,
        "toolUseID": "t1",
        "hookInfos": [{"command": "/opt/notify secret"}],
    }
    intake = read(
        attached("PreToolUse", "/opt/check.sh secret"),
        attached("Stop", "/opt/notify secret"),
        summary,
    )
    hooks = of_kind(intake, "hook")
    assert [(hook.hook_event, hook.hook_matcher, hook.hook_command) for hook in hooks] == [
        ("PreToolUse", "Bash", "check.sh"),
        ("Stop", "Bash", "notify"),
    ]
    assert [hook.success for hook in hooks] == [True, True]


def test_link_to_a_pull_request_fills_the_address_of_the_one_made():
    link = {
        "type": "pr-link",
        "timestamp": AT,
        "sessionId": SESSION,
        "prUrl": "https://github.com/acme/calc/pull/7",
    }
    made = read(
        assistant("a", 1, tool_use("t1", "Bash", command="gh pr create --fill")),
        result("t1", {"stdout": "done"}),
        link,
    )
    [request] = of_kind(made, "git_pull_request")
    assert request.pr_url == "https://github.com/acme/calc/pull/7"
    assert of_kind(read(link), "git_pull_request") == []


def test_a_hook_of_the_program_itself_is_not_the_persons():
    hooks = [
        {"type": "hook_progress", "hookEvent": "PostToolUse", "command": command}
        for command in ("callback", "python3 check.py")
    ]
    lines = [
        {"type": "progress", "sessionId": SESSION, "timestamp": AT, "toolUseID": "t1", "data": hook}
        for hook in hooks
    ]
    [event] = of_kind(read(*lines), "hook")
    assert event.hook_event == "PostToolUse"
