from __future__ import annotations

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent, claude_logs, log, of_kind, what_happened

TURN = "p1"


def told(event, **fields):
    given = {
        "hook_event_name": event,
        "session_id": SESSION,
        "prompt_id": TURN,
        "cwd": "/home/dev/project",
        **fields,
    }
    intake = Intake()
    agent("claude-code").hook(None, given, AT_MS, intake)
    return what_happened(intake)


def tool(name, given=None, response=None, event="PostToolUse", **fields):
    return told(
        event,
        tool_name=name,
        tool_input=given or {},
        tool_response=response,
        tool_use_id="t1",
        **fields,
    )


def test_prompt_is_the_exported_one_and_says_the_mode():
    intake = told("UserPromptSubmit", prompt="hello", permission_mode="plan")
    exported = claude_logs(log("user_prompt", prompt__id=TURN, prompt_length="5"))
    [message] = of_kind(intake, "user_message")
    [change] = of_kind(intake, "mode_change")
    assert message.event_id == of_kind(exported, "user_message")[0].event_id
    assert (message.prompt_length, message.ts_source) == (5, "received")
    assert (change.autonomy, change.autonomy_raw) == ("spec", "plan")


@pytest.mark.parametrize(
    "prompt", ["/model opus", "<task-notification>done", "<system-reminder>x", "<bash-input>ls"]
)
def test_what_no_model_or_no_person_said_is_no_message(prompt):
    assert told("UserPromptSubmit", prompt=prompt).events == []


def test_command_that_reaches_the_model_is_a_message_and_its_expansion_a_command():
    assert len(told("UserPromptSubmit", prompt="/review 12").events) == 1
    [command] = told(
        "UserPromptExpansion",
        expansion_type="slash_command",
        command_name="review",
        command_source="custom",
        prompt="x",
    ).events
    exported = claude_logs(log("user_prompt", prompt__id=TURN, command_name="review"))
    assert (command.slash_command, command.command_source) == ("review", "custom")
    assert command.event_id == of_kind(exported, "slash_command")[0].event_id
    assert told("UserPromptExpansion", expansion_type="mcp_prompt", command_name="x").events == []


@pytest.mark.parametrize(
    ("event", "success", "decision"),
    [
        ("PostToolUse", True, None),
        ("PostToolUseFailure", False, None),
        ("PermissionDenied", False, "reject"),
    ],
)
def test_outcome_of_a_tool(event, success, decision):
    [call] = tool("Grep", event=event, duration_ms=7, permission_mode="acceptEdits").events
    assert (call.success, call.decision, call.duration_ms) == (success, decision, 7)
    assert (call.tool, call.autonomy, call.turn_id) == ("search", "auto-low", TURN)


def test_call_is_the_exported_one():
    [call] = tool("mcp__lab__echo").events
    [exported] = claude_logs(
        log("tool_result", tool_name="mcp_tool", tool_use_id="t1", success="true")
    ).events
    assert call.event_id == exported.event_id
    assert (call.mcp_server, call.mcp_tool, call.source_group) == ("lab", "echo", 1)


def test_file_is_created_or_edited_as_the_response_says():
    for kind, op in (("create", "created"), ("update", "edited")):
        response = {"type": kind, "content": "a\nb\n", "structuredPatch": []}
        [change] = of_kind(tool("Write", {"file_path": "/a.py"}, response), "file_change")
        assert (change.file_op, change.language, change.source) == (op, "Python", "hook")


def test_refused_or_failed_edit_changes_nothing():
    for event in ("PostToolUseFailure", "PermissionDenied"):
        intake = tool("Edit", {"file_path": "/a.py"}, event=event)
        assert of_kind(intake, "file_change") == []


def test_commit_has_the_id_of_the_output():
    intake = tool("Bash", {"command": "git commit -m x"}, {"stdout": "[main cb55855] x\n"})
    [commit] = of_kind(intake, "git_commit")
    assert (commit.commit_sha, commit.source, commit.source_rank) == ("cb55855", "hook", 2)


def test_skill_is_activated_by_its_tool():
    [skill] = of_kind(tool("Skill", {"skill": "pdf"}), "skill")
    assert (skill.skill, skill.source_group) == ("pdf", 3)


def test_calls_of_a_subagent_are_its_own():
    [call] = tool("Read", agent_id="a1", agent_type="Explore").events
    assert (call.is_subagent, call.agent_id, call.agent_type) == (True, "a1", "Explore")
    assert told("UserPromptSubmit", prompt="do this", agent_id="a1").events == []


def test_session_begins_and_ends():
    [start] = told("SessionStart", source="resume").events
    [end] = told("SessionEnd", reason="other").events
    assert (start.kind, start.source_detail) == ("session_start", "resume")
    assert (end.kind, end.source_detail) == ("session_end", "other")


def test_hooks_of_no_concern_are_counted_as_such():
    assert told("PreToolUse", tool_name="Bash").drops == {"redundant": 1}
    assert told("Stop").drops == told("Notification").drops == {"not_counted": 1}
    assert told(None).drops == {"unknown_record": 1}
