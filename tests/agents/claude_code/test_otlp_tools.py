"""Exported results of tools: files, commits, pull requests, skills and hooks."""

from __future__ import annotations

import json

import pytest

from stationmaster.events.model import event_id, path_hash
from tests.agents.builders import (
    AT_MS,
    SESSION,
    claude_logs,
    log,
    of_kind,
)


def tool_result(tool, **attributes):
    attributes = {
        key: json.dumps(value) if key in ("tool_input", "tool_parameters") else value
        for key, value in attributes.items()
    }
    return log(
        "tool_result", **{"tool_name": tool, "tool_use_id": "t1", "success": "true"} | attributes
    )


@pytest.mark.parametrize(
    ("tool", "tool_input", "op", "quality"),
    [
        ("Write", {"file_path": "/a/b.py"}, "created", "estimated"),
        ("Write", {}, "edited", "estimated"),
        ("Edit", {"file_path": "/a/b.py"}, "edited", None),
        ("MultiEdit", {"file_path": "/a/b.py"}, "edited", None),
        ("NotebookEdit", {"notebook_path": "/a/b.ipynb"}, "edited", None),
        ("Edit", {}, "edited", "estimated"),
    ],
)
def test_file_changes_of_editing_tools(tool, tool_input, op, quality):
    intake = claude_logs(tool_result(tool, tool_input=tool_input))
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.quality) == (op, quality)


@pytest.mark.parametrize("tool", ["Read", "Bash", "Grep"])
def test_other_tools_change_no_file(tool):
    intake = claude_logs(tool_result(tool, tool_input={"file_path": "/a/b.py"}))
    assert of_kind(intake, "file_change") == []


def test_failed_edit_changes_no_file():
    intake = claude_logs(tool_result("Edit", success="false", tool_input={"file_path": "/a"}))
    assert of_kind(intake, "file_change") == []


def test_call_that_names_a_file_carries_the_hash_of_its_path():
    [call] = claude_logs(tool_result("Read", tool_input={"file_path": "/a/b.py"})).events
    assert (call.file_path_hash, call.file_ext, call.language) == (
        path_hash(SESSION, "/a/b.py"),
        "py",
        "Python",
    )


def test_commit_is_found_in_the_command_with_the_id_the_agent_reports():
    sha = "34c4d56602ae594bf87988542bf4ecc866855659"
    parameters = {"full_command": "git commit -m x", "git_commit_id": sha}
    [commit] = of_kind(claude_logs(tool_result("Bash", tool_parameters=parameters)), "git_commit")
    assert commit.commit_sha == sha
    assert commit.event_id == event_id("claude-code", "git_commit", "t1", "0")


def test_reported_commit_counts_though_the_line_failed_after_it():
    parameters = {"full_command": "git commit -m x && false", "git_commit_id": "34c4d56"}
    intake = claude_logs(tool_result("Bash", success="false", tool_parameters=parameters))
    assert len(of_kind(intake, "git_commit")) == 1


def test_pull_request_made_by_a_server_counts():
    parameters = {"mcp_server_name": "GitHub ", "mcp_tool_name": "create_pull_request"}
    intake = claude_logs(tool_result("mcp_tool", tool_parameters=parameters))
    [call] = of_kind(intake, "tool_call")
    assert (call.mcp_server, call.mcp_server_raw) == ("github", "GitHub ")
    assert len(of_kind(intake, "git_pull_request")) == 1


def test_name_of_a_server_tool_without_details_is_flagged():
    [call] = claude_logs(tool_result("mcp_tool")).events
    assert (call.tool_raw, call.tool_kind, call.quality) == ("mcp_tool", "mcp", "redacted_name")


def test_skill_and_hooks():
    intake = claude_logs(
        log("skill_activated", prompt__id="p", skill__name="deploy", skill__source="user"),
        log(
            "hook_execution_complete",
            event__sequence=4,
            hook_event="PreToolUse",
            hook_name="PreToolUse:Bash",
            num_hooks="3",
        ),
        log("hook_execution_complete", event__sequence=5, hook_event="Stop", num_hooks="0"),
    )
    [skill] = of_kind(intake, "skill")
    [hook] = of_kind(intake, "hook")
    assert (skill.skill, skill.skill_source) == ("deploy", "user")
    assert (hook.hook_event, hook.hook_matcher, hook.count) == ("PreToolUse", "Bash", 3)


@pytest.mark.parametrize(
    ("event", "matched", "started", "counted"),
    [
        ("PostToolUse", "Read", 2, 1),
        ("PostToolUse", "Write", 1, 0),
        ("PostToolUse", "Bash", 1, 1),
        ("PostToolUse", "Bash", 3, 1),
        ("PostToolUse", "Agent", 2, 2),
        ("PreToolUse", "Read", 2, 2),
        ("SessionStart", "startup", 1, 1),
    ],
)
def test_the_programs_own_hooks_are_not_the_persons(event, matched, started, counted):
    intake = claude_logs(
        log(
            "hook_execution_complete",
            hook_event=event,
            hook_name=f"{event}:{matched}",
            num_hooks=str(started),
        )
    )
    assert sum(one.count for one in intake.events) == counted


@pytest.mark.parametrize(
    ("event", "started", "succeeded", "success"),
    [
        ("Stop", 2, 2, True),
        ("Stop", 2, 0, False),
        ("Stop", 2, 1, None),
        # Any of the three may be the program's own.
        ("PostToolUse", 3, 0, None),
    ],
)
def test_hooks_of_one_outcome_have_it(event, started, succeeded, success):
    numbers = {"num_hooks": str(started), "num_success": str(succeeded)}
    execution = log(
        "hook_execution_complete", hook_event=event, hook_name=f"{event}:Bash", **numbers
    )
    [hook] = claude_logs(execution).events
    assert hook.success is success


@pytest.mark.parametrize(("after_ms", "session"), [(900, "resumed"), (90_000, "fresh")])
def test_the_hook_of_a_resumed_session_is_that_sessions(after_ms, session):
    hook = log(
        "hook_execution_complete",
        hook_event="SessionStart",
        hook_name="SessionStart:resume",
        num_hooks="1",
        session__id="fresh",
    )
    prompt = log("user_prompt", at_ms=AT_MS + after_ms, session__id="resumed", prompt__id="p")
    [event] = of_kind(claude_logs(hook, prompt), "hook")
    assert (event.session_id, event.count) == (session, 1)
