"""Whatever stands in a field: nothing breaks, and no content ever reaches an event or a state."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, Log, Point, Span
from tests.agents.builders import AT_MS, SESSION, agent, resource
from tests.agents.hostile import MARK, check, is_marked, with_each_value_replaced

pytestmark = pytest.mark.attack

TEXT = f"words {MARK} words"
PATH = f"/home/{MARK}/{MARK}.py"
COMMAND = f"A={MARK} git commit -m '{MARK}' && gh pr create --title {MARK}; echo {MARK}"
OUTPUT = f"[main 34c4d56] {TEXT}\n{TEXT}"
EDIT = {"old_string": TEXT, "new_string": f"{TEXT}2"}
COMMON = {
    "conversation_id": SESSION,
    "generation_id": "g",
    "model": "m",
    "cursor_version": "2",
    "workspace_roots": [f"/home/{MARK}"],
    "transcript_path": PATH,
    "user_email": "dev@example.com",
}
HOOKS = [
    {**COMMON, **fields}
    for fields in (
        {"hook_event_name": "sessionStart", "is_background_agent": True},
        {"hook_event_name": "beforeSubmitPrompt", "prompt": TEXT, "attachments": [PATH]},
        {"hook_event_name": "afterAgentResponse", "text": TEXT},
        {"hook_event_name": "afterAgentThought", "text": TEXT},
        {
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            "tool_input": {"command": COMMAND},
            "tool_output": json.dumps({"output": OUTPUT}),
            "tool_use_id": "c1",
            "cwd": PATH,
        },
        {
            "hook_event_name": "postToolUse",
            "tool_name": "Write",
            "tool_input": json.dumps({"path": PATH, "contents": TEXT}),
        },
        {
            "hook_event_name": "postToolUseFailure",
            "tool_name": "Read",
            "tool_input": {"path": PATH},
            "error_message": TEXT,
        },
        {
            "hook_event_name": "afterShellExecution",
            "command": COMMAND,
            "output": OUTPUT,
            "duration": 1.5,
        },
        {
            "hook_event_name": "afterMCPExecution",
            "tool_name": "echo",
            "tool_input": json.dumps({"a": TEXT}),
            "result_json": json.dumps({"content": TEXT}),
        },
        {"hook_event_name": "afterFileEdit", "file_path": PATH, "edits": [EDIT]},
        {"hook_event_name": "sessionEnd", "reason": "completed"},
    )
]
LINES = [
    {"role": "user", "message": {"content": [{"type": "text", "text": TEXT}]}, "metadata": TEXT},
    {
        "role": "assistant",
        "message": {
            "content": [
                {"type": "thinking", "thinking": TEXT},
                {"type": "text", "text": TEXT},
                {"type": "tool_use", "name": "Shell", "input": {"command": COMMAND}},
                {"type": "tool_use", "name": "StrReplace", "input": {"path": PATH, **EDIT}},
                {"type": "tool_use", "name": "Write", "input": {"path": PATH, "contents": TEXT}},
                {"type": "tool_use", "name": "Task", "input": {"prompt": TEXT}},
            ]
        },
    },
    {"role": "user", "message": {"content": [{"type": "tool_result", "content": TEXT}]}},
    {"type": "turn_ended", "status": TEXT},
]
OTHERS = [None, 7, -1.5, True, "x", [], {}, [[]], {"id": {}}]


def read(lines):
    intake = Intake()
    reader = agent("cursor").transcript(f"/home/{MARK}/{SESSION}.jsonl")
    for line in lines:
        reader.feed(line if isinstance(line, bytes) else json.dumps(line).encode(), intake)
        assert not is_marked(reader.state())
    reader.finish(intake)
    return intake


def hooked(given_json):
    intake = Intake()
    agent("cursor").hook(None, given_json, AT_MS, intake)
    return intake


def test_no_content_of_a_transcript_reaches_an_event_or_the_state():
    intake = read(LINES)
    assert len({event.kind for event in intake.events}) == 6
    assert not is_marked(intake.events)


def test_no_content_of_a_hook_reaches_an_event():
    events = [event for given_json in HOOKS for event in hooked(given_json).events]
    assert len({event.kind for event in events}) == 8
    assert not is_marked(events)


@pytest.mark.parametrize("new", OTHERS)
def test_hooks_with_another_value_in_any_place_are_read(new):
    for given_json in HOOKS:
        for other in with_each_value_replaced(given_json, new):
            if isinstance(other, dict):
                check(hooked(other).events)


@pytest.mark.parametrize("new", OTHERS)
def test_lines_with_another_value_in_any_place_are_read_or_refused(new):
    for line in LINES:
        for other in with_each_value_replaced(line, new):
            check(read([other]).events)


@settings(max_examples=50)
@given(line=st.binary(max_size=60))
def test_bytes_of_any_kind_stop_nothing(line):
    reader, intake = agent("cursor").transcript("x"), Intake()
    reader.feed(line, intake)
    reader.feed_lines(line, intake)
    reader.finish(intake)


def test_ten_megabytes_in_a_field_are_cut():
    huge = "n" * 10_000_000
    blocks = [
        {"type": "text", "text": huge},
        {"type": "tool_use", "name": huge, "id": huge, "input": {"command": huge}},
        {"type": "tool_use", "name": "Write", "input": {"path": huge, "contents": huge}},
    ]
    intake = read([{"role": "assistant", "message": {"content": blocks}}])
    names = ("conversation_id", "generation_id", "tool_name", "tool_use_id", "cursor_version")
    hook = hooked({"hook_event_name": "postToolUse", **dict.fromkeys(names, huge)})
    assert len(intake.events) >= 4
    check([*intake.events, *hook.events])


def test_deep_nesting_is_refused():
    deep = "[" * 100_000
    line = f'{{"role":"user","message":{{"content":{deep}'.encode()
    assert read([line]).invalid == ["a line is not JSON"]
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    intake = hooked({"hook_event_name": "postToolUse", "tool_name": "Read", "tool_input": nested})
    assert [event.tool for event in intake.events] == ["read"]
    check(hooked({"hook_event_name": "postToolUse", "tool_output": "{" * 100_000}).events)


def test_a_lone_surrogate_stops_nothing():
    for event in ("beforeSubmitPrompt", "postToolUse", "afterShellExecution", "afterFileEdit"):
        values = dict.fromkeys(
            ("conversation_id", "prompt", "tool_name", "command", "file_path", "user_email"),
            "\ud800@\ud800",
        )
        intake = hooked({"hook_event_name": event, **values, "tool_input": {"path": "\ud800"}})
        assert len(intake.events) > 0
        check(intake.events)
        intake_text = str(intake.events)
        intake_text.encode("utf-8", "strict")


def test_nothing_is_ever_exported():
    known, intake = agent("cursor"), Intake()
    assert recognition.find_otlp("cursor", "cursor", "cursor.tool") is None
    known.log(resource("cursor"), Log("x", 0, "event", {}), intake)
    known.span(resource("cursor"), Span("x", 0, 1, {}, "", "", False), intake)
    known.points(resource("cursor"), [Point("x", 1.0, True, 0, 1, {}, "x")] * 2, intake)
    assert (intake.events, intake.drops) == ([], {"unknown_record": 4})
    assert not known.log.knows("x")
