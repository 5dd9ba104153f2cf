from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT, AT_MS, SESSION, agent, of_kind, what_happened

RECEIVED_MS = AT_MS + 900


def camel(**fields):
    return {"sessionId": SESSION, "timestamp": AT_MS, "cwd": "/home/dev/project", **fields}


def snake(event, **fields):
    """The same in the spelling of events that are configured in Pascal case."""
    return {"hook_event_name": event, "session_id": SESSION, "timestamp": AT, **fields}


def told(event, given, received_ms=RECEIVED_MS):
    intake = Intake()
    agent("copilot-cli").hook(event, given, received_ms, intake)
    return what_happened(intake)


def tool(name="bash", arguments=None, kind="success", text="", event="postToolUse", **fields):
    result = {"resultType": kind, "textResultForLlm": text}
    return told(event, camel(toolName=name, toolArgs=arguments, toolResult=result, **fields))


@pytest.mark.parametrize(
    ("camel_event", "camel_fields", "snake_event", "snake_fields"),
    [
        ("userPromptSubmitted", {"prompt": "hi"}, "UserPromptSubmit", {"prompt": "hi"}),
        ("sessionStart", {"source": "new"}, "SessionStart", {"source": "new"}),
        ("sessionEnd", {"reason": "complete"}, "SessionEnd", {"reason": "complete"}),
        (
            "postToolUse",
            {
                "toolName": "bash",
                "toolArgs": {"command": "git commit -m x"},
                "toolResult": {"resultType": "success", "textResultForLlm": "[main cb55855] x"},
            },
            "PostToolUse",
            {
                "tool_name": "bash",
                "tool_input": {"command": "git commit -m x"},
                "tool_result": {
                    "result_type": "success",
                    "text_result_for_llm": "[main cb55855] x",
                },
            },
        ),
    ],
)
def test_both_spellings_tell_the_same(camel_event, camel_fields, snake_event, snake_fields):
    first = told(camel_event, camel(**camel_fields)).events
    second = told(None, snake(snake_event, cwd="/home/dev/project", **snake_fields)).events
    assert first == second != []


def test_event_of_the_json_wins_over_that_of_the_configuration():
    assert told("postToolUse", snake("PreToolUse")).drops == {"redundant": 1}


def test_hook_that_nobody_names_tells_nothing():
    assert told(None, camel(prompt="hi")).drops == {"unknown_record": 1}


def test_prompt_is_counted_and_left_behind():
    [message] = told("userPromptSubmitted", camel(prompt="four")).events
    assert (message.prompt_length, message.ts, message.ts_source) == (4, AT_MS, "event")
    notice = camel(prompt="<system_notification>done</system_notification>")
    assert told("userPromptSubmitted", notice).events == []


def test_hook_without_a_time_has_that_at_which_it_came():
    given = camel(prompt="hi") | {"timestamp": None}
    [message] = told("userPromptSubmitted", given).events
    assert (message.ts, message.ts_source) == (RECEIVED_MS, "received")


def test_old_builds_named_no_session_and_gave_arguments_as_text():
    given = camel(
        toolName="create",
        toolArgs=json.dumps({"path": "/a.py", "file_text": "x\n"}),
        toolResult={"resultType": "success", "textResultForLlm": ""},
    )
    del given["sessionId"]
    intake = told("postToolUse", given)
    [call], [change] = of_kind(intake, "tool_call"), of_kind(intake, "file_change")
    assert (call.session_id, call.quality) == (None, "no_session")
    assert (change.file_op, change.language, change.lines_added) == ("created", "Python", 1)


@pytest.mark.parametrize(
    ("kind", "text", "event", "success", "decision"),
    [
        ("success", "", "postToolUse", True, None),
        ("failure", "", "postToolUse", False, None),
        ("denied", "", "postToolUse", False, "reject"),
        ("success", "x\n<shellId: 0 completed with exit code 1>", "postToolUse", False, None),
        ("success", "x\n<shellId: 0 completed with exit code 0>", "postToolUse", True, None),
        (None, "", "postToolUseFailure", False, None),
    ],
)
def test_outcome_of_a_tool(kind, text, event, success, decision):
    [call] = tool(kind=kind, text=text, event=event).events
    assert (call.success, call.decision) == (success, decision)


def test_calls_that_end_in_one_millisecond_are_as_many_as_they_are():
    calls = [tool("view", {"path": path}).events[0] for path in ("/a", "/b", "/a")]
    assert len({call.event_id for call in calls}) == 2


def test_changed_lines_are_those_between_the_equal_ones():
    arguments = {"path": "/a.py", "old_str": "a\nb\nc\n", "new_str": "a\nx\ny\nc\n"}
    [change] = of_kind(tool("edit", arguments), "file_change")
    assert (change.file_op, change.lines_added, change.lines_removed) == ("edited", 2, 1)


def test_failed_tool_changes_nothing():
    intake = tool("create", {"path": "/a.py", "file_text": "x"}, kind="failure")
    assert of_kind(intake, "file_change") == []


def test_hooks_of_no_concern_are_counted_as_such():
    for event in ("agentStop", "errorOccurred", "notification", "preCompact", "subagentStop"):
        assert told(event, camel()).drops == {"not_counted": 1}
    for event in ("preToolUse", "permissionRequest"):
        assert told(event, camel()).drops == {"redundant": 1}
