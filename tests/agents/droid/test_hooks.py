from __future__ import annotations

import pytest

from tests.agents.builders import AT, AT_MS, SESSION, of_kind
from tests.agents.filed import of_hook


def hook(event, **fields):
    return {"session_id": SESSION, "hook_event_name": event, "cwd": "/p", **fields}


def read(event, received_ms=AT_MS, **fields):
    return of_hook("droid", hook(event, **fields), received_ms)


def ran(tool, response="done", **arguments):
    return read("PostToolUse", tool_name=tool, tool_input=arguments, tool_response=response)


def test_start_tells_session_folder_and_mode():
    intake = read("SessionStart", source="resume", permission_mode="auto-low")
    assert [(e.kind, e.source_detail, e.autonomy) for e in intake.events] == [
        ("mode_change", None, "auto-low"),
        ("session_start", "resume", "auto-low"),
        ("session_context", None, "auto-low"),
    ]
    assert of_kind(intake, "session_context")[0].cwd_hash is not None


@pytest.mark.parametrize(
    ("mode", "level"),
    [
        ("off", "manual"),
        ("spec", "spec"),
        ("auto-low", "auto-low"),
        ("auto-medium", "auto-medium"),
        ("auto-high", "auto-high"),
        ("sideways", None),
        (None, None),
    ],
)
def test_permission_mode_is_the_level(mode, level):
    intake = read("UserPromptSubmit", prompt="x", permission_mode=mode)
    assert [e.autonomy for e in of_kind(intake, "user_message")] == [level]
    assert [e.autonomy for e in of_kind(intake, "mode_change")] == ([level] if level else [])


def test_prompt_is_a_message_of_its_length():
    [asked] = of_kind(read("UserPromptSubmit", prompt="héllo"), "user_message")
    assert (asked.prompt_length, asked.ts, asked.ts_source) == (5, AT_MS, "received")


@pytest.mark.parametrize("prompt", [None, "", "  ", 7, "<system-reminder>x</system-reminder>"])
def test_empty_prompt_is_no_message(prompt):
    assert of_kind(read("UserPromptSubmit", prompt=prompt), "user_message") == []


def test_both_spellings_are_the_same():
    snake = read("PostToolUse", tool_name="Read", tool_input={"file_path": "/a"})
    camel = of_hook(
        "droid",
        {
            "sessionId": SESSION,
            "hookEventName": "PostToolUse",
            "toolName": "Read",
            "toolInput": {"file_path": "/a"},
        },
    )
    assert camel.events == snake.events


def test_the_configured_name_stands_in_for_one_that_is_not_said():
    from stationmaster.agents.interface import Intake
    from tests.agents.builders import agent

    intake = Intake()
    agent("droid").hook("UserPromptSubmit", {"session_id": SESSION, "prompt": "x"}, AT_MS, intake)
    assert len(of_kind(intake, "user_message")) == 1


def test_call_is_told_once_it_has_run():
    before = read("PreToolUse", tool_name="Execute", tool_input={"command": "ls"})
    assert (before.events, before.drops) == ([], {"redundant": 1})
    [made] = of_kind(ran("Execute", command="ls"), "tool_call")
    assert (made.tool, made.success) == ("shell", True)


def test_calls_without_an_id_are_told_apart_by_second_and_arguments():
    def key(received_ms=AT_MS, **arguments):
        intake = read("PostToolUse", received_ms, tool_name="Read", tool_input=arguments)
        return of_kind(intake, "tool_call")[0].event_id

    assert key(file_path="/a") == key(received_ms=AT_MS + 1, file_path="/a")
    assert key(file_path="/a") != key(file_path="/b")
    assert key(file_path="/a") != key(received_ms=AT_MS + 1000, file_path="/a")


def test_call_with_an_id_is_that_of_the_session_file():
    from tests.agents.droid.builders import call, message, read as read_lines

    hooked = read("PostToolUse", tool_name="Read", tool_input={}, tool_use_id="t1")
    written = read_lines(message("assistant", call("t1", "Read")))
    assert of_kind(hooked, "tool_call")[0].event_id == of_kind(written, "tool_call")[0].event_id


def test_time_of_the_json_is_preferred():
    [asked] = of_kind(read("UserPromptSubmit", 5, prompt="x", timestamp=AT), "user_message")
    assert (asked.ts, asked.ts_source) == (AT_MS, "event")


@pytest.mark.parametrize(
    ("response", "success"),
    [
        ("fine", True),
        (None, True),
        ("Error: no", False),
        ({"content": "fine"}, True),
        ({"isError": True}, False),
        ({"is_error": True}, False),
        ({"success": False}, False),
        ({"error": "no"}, False),
        ({"stdout": "x", "exitCode": 0}, True),
        ({"stdout": "x", "exit_code": 3}, False),
        ('{"stdout": "x", "exitCode": 3}', False),
        ([{"type": "text", "text": "Error: no"}], False),
        (7, True),
    ],
)
def test_a_response_that_says_so_is_a_failure(response, success):
    [made] = of_kind(ran("Execute", response, command="ls"), "tool_call")
    assert made.success is success


def test_files_commits_and_skills_follow_from_calls():
    [created] = of_kind(ran("Create", file_path="/a.py", content="x\ny"), "file_change")
    assert (created.file_op, created.file_ext, created.lines_added) == ("created", "py", 2)
    [made] = of_kind(ran("Execute", "[main 34c4d56] x", command="git commit -m x"), "git_commit")
    assert made.commit_sha == "34c4d56"
    [skill] = of_kind(ran("Skill", skill="deploy"), "skill")
    assert skill.skill == "deploy"


def test_end_tells_why():
    [ended] = read("SessionEnd", reason="logout").events
    assert (ended.kind, ended.source_detail) == ("session_end", "logout")


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "Notification", "PreCompact"])
def test_other_hooks_tell_nothing(event):
    assert read(event).drops == {"not_counted": 1}
    assert read("Brandnew").drops == {"unknown_record": 1}


def test_hook_without_a_session_says_so():
    [asked] = of_hook("droid", {"hook_event_name": "UserPromptSubmit", "prompt": "x"}).events
    assert (asked.session_id, asked.quality) == (None, "no_session")
