"""Whatever stands in a field: nothing breaks, and no content ever reaches an event or a state."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.agents.interface import Document, Intake, Point
from tests.agents.builders import AT, AT_MS, SESSION, agent, resource, what_happened
from tests.agents.droid.builders import Folder, call, message, result, start, used
from tests.agents.hostile import (
    MARK,
    Anything,
    check,
    is_marked,
    json_values,
    with_each_value_replaced,
)

pytestmark = pytest.mark.attack

TEXT = f"words {MARK} words"
PATH = f"/home/{MARK}/{MARK}.py"
COMMAND = f"A={MARK} git commit -m '{MARK}' && gh pr create --title {MARK}; echo {MARK}"
OUTPUT = f"[main 34c4d56] {TEXT}\n{TEXT}"
PATCH = f"*** Begin Patch\n*** Add File: {PATH}\n+{TEXT}\n*** End Patch"
CALLS = [
    ("t1", "Execute", {"command": COMMAND, "riskLevelReason": TEXT}, OUTPUT),
    ("t2", "Create", {"file_path": PATH, "content": TEXT}, TEXT),
    ("t3", "Edit", {"file_path": PATH, "old_str": TEXT, "new_str": f"{TEXT}2"}, TEXT),
    ("t4", "MultiEdit", {"file_path": PATH, "edits": [{"old_str": TEXT, "new_str": ""}]}, TEXT),
    ("t5", "ApplyPatch", {"input": PATCH}, TEXT),
    ("t6", "Read", {"file_path": PATH}, TEXT),
    ("t7", "mcp__lab__echo", {"text": TEXT}, TEXT),
    ("t8", "Task", {"subagent_type": "x", "prompt": TEXT}, f"Error: {TEXT}"),
    ("t9", "Skill", {"skill": "deploy", "args": TEXT}, TEXT),
]
HOOK = f"/opt/{MARK}/run --key {MARK}"
SESSION_LINES = [
    start(title=TEXT, sessionTitle=TEXT, cwd=f"/home/{MARK}", owner=MARK, hostId=MARK),
    message("user", f"<system-reminder>{TEXT} Model: {MARK}</system-reminder>", TEXT, id="a"),
    message("user", {"type": "image", "source": TEXT}, id="a2"),
    message(
        "assistant",
        {"type": "thinking", "thinking": TEXT},
        TEXT,
        *(call(call_id, tool, **arguments) for call_id, tool, arguments, _ in CALLS),
        id="b",
    ),
    message("user", *(result(call_id, output) for call_id, _, _, output in CALLS), id="c"),
    message("user", TEXT, id="d", hookEventName="Stop", hookCommands=[HOOK], hookMatcher="x"),
    {"type": "todo_state", "todos": TEXT},
    {"type": MARK, "text": TEXT},
]
STREAM_LINES = [
    {"type": "system", "session_id": SESSION, "timestamp": AT, "model": "m", "cwd": PATH},
    {"type": "message", "session_id": SESSION, "timestamp": AT, "role": "user", "text": TEXT},
    {"type": "message", "session_id": SESSION, "timestamp": AT, "role": "assistant", "text": TEXT},
    *(
        {"type": "tool_call", "toolCallId": call_id, "toolName": tool, "parameters": arguments}
        for call_id, tool, arguments, _ in CALLS
    ),
    *(
        {"type": "tool_result", "toolCallId": call_id, "value": {"stdout": output}}
        for call_id, _, _, output in CALLS
    ),
    {"type": "completion", "finalText": TEXT, "usage": {"input_tokens": 1, "output_tokens": 1}},
    {"type": "error", "message": TEXT},
]
COMMON = {"session_id": SESSION, "transcript_path": PATH, "cwd": PATH, "permission_mode": "spec"}
HOOKS = [
    {**COMMON, "hook_event_name": "SessionStart", "source": "startup"},
    {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": TEXT},
    *(
        {
            **COMMON,
            "hook_event_name": "PostToolUse",
            "tool_name": tool,
            "tool_input": arguments,
            "tool_response": {"stdout": output},
        }
        for _, tool, arguments, output in CALLS
    ),
    {**COMMON, "hook_event_name": "Notification", "message": TEXT},
    {**COMMON, "hook_event_name": "SessionEnd", "reason": "other"},
]
FILES = {"session": SESSION_LINES, "stream": STREAM_LINES}


def read(lines, path=f"/home/{MARK}/{SESSION}.jsonl"):
    """The events of a file, whose state holds no content after any of its lines."""
    intake = Intake()
    reader = agent("droid").transcript(path)
    for line in lines:
        text = line if isinstance(line, bytes) else json.dumps(line).encode()
        reader.feed(text, intake)
        assert not is_marked(reader.state())
    reader.finish(intake)
    return intake


@pytest.mark.parametrize(("form", "kinds"), [("session", 8), ("stream", 7)])
def test_no_content_of_a_file_reaches_an_event_or_the_state(form, kinds):
    intake = read(FILES[form])
    assert len({event.kind for event in intake.events}) >= kinds
    assert intake.invalid == []
    assert not is_marked(intake.events)


def test_no_content_of_a_hook_reaches_an_event():
    intake = Intake()
    for given_json in HOOKS:
        agent("droid").hook(None, given_json, AT_MS, intake)
    assert len({event.kind for event in intake.events}) >= 8
    assert not is_marked(intake.events)


def test_no_content_beside_the_settings_reaches_an_event_or_the_state(tmp_path):
    folder = Folder(tmp_path)
    folder.say(*SESSION_LINES)
    folder.set(used(10, 5), model=None, specModeModel=MARK, tags=[MARK, {"name": MARK}])
    intake, state = folder.look()
    assert len(intake.events) > 0
    assert not is_marked([state, *intake.events])


@pytest.mark.parametrize("new", [None, 7, -1.5, True, "x", [], {}, [[]], {"id": {}}])
@pytest.mark.parametrize("form", FILES)
def test_lines_with_another_value_in_any_place_are_read_or_refused(form, new):
    for line in FILES[form]:
        for other in with_each_value_replaced(line, new):
            intake = Intake()
            reader = agent("droid").transcript("x.jsonl")
            for each in (FILES[form][0], other):
                reader.feed(json.dumps(each).encode(), intake)
            reader.finish(intake)
            json.dumps(reader.state())
            check(intake.events)


@pytest.mark.parametrize("new", [None, 7, -1.5, True, "x", [], {}, [[]], {"id": {}}])
def test_hooks_with_another_value_in_any_place_are_read(new):
    for given_json in HOOKS:
        for other in with_each_value_replaced(given_json, new):
            if isinstance(other, dict):
                intake = Intake()
                agent("droid").hook(None, other, AT_MS, intake)
                check(intake.events)


@settings(max_examples=50)
@given(data=st.data())
def test_settings_of_any_values_are_read_or_refused(data, tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("any"))
    names = ["model", "tags", "tokenUsage", "autonomyLevel", "interactionMode", "providerLock"]
    chosen = st.dictionaries(st.sampled_from([*names, "providerLockTimestamp"]), json_values)
    folder.settings.write_text(json.dumps(data.draw(chosen)))
    intake, state = folder.look()
    check(intake.events)
    folder.look(state)


@settings(max_examples=50)
@given(data=st.data())
def test_points_of_any_values_are_read(data):
    known = agent("droid")
    for name in ("tool.invocations", "mcp.tool_invocations", "hook.invocations", "git.commits"):
        value, is_delta = data.draw(st.floats()), data.draw(st.booleans())
        intake = Intake()
        point = Point(f"droid.{name}", value, is_delta, 0, 1, Anything(data), name)
        known.points(resource("cli"), [point], intake)
        check(intake.events)


@settings(max_examples=50)
@given(line=st.binary(max_size=60))
def test_bytes_of_any_kind_stop_nothing(line):
    reader, intake = agent("droid").transcript("x"), Intake()
    reader.feed(line, intake)
    reader.feed_lines(line, intake)
    reader.finish(intake)


def test_ten_megabytes_in_a_field_are_cut():
    huge = "n" * 10_000_000
    lines = [
        start(id=huge, version=huge, owner=huge),
        message("user", huge, id=huge),
        message("assistant", call("t1", huge, command=huge), id="b"),
        message("user", result("t1", huge), id="c"),
        message("user", id="d", hookEventName=huge, hookCommands=[huge], hookStatus=huge),
    ]
    intake = read(lines)
    assert len(intake.events) >= 5
    check(intake.events)


def test_deep_nesting_is_refused(tmp_path):
    deep = "[" * 100_000
    line = f'{{"type":"message","message":{{"role":"user","content":{deep}'.encode()
    assert read([start(), line]).invalid == ["a line is not JSON"]
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    given_json = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": nested}
    intake = Intake()
    agent("droid").hook(None, given_json, AT_MS, intake)
    assert [event.tool for event in what_happened(intake).events] == ["read"]


def test_a_lone_surrogate_stops_nothing():
    intake = Intake()
    for event in ("UserPromptSubmit", "PostToolUse"):
        given_json = {
            "hook_event_name": event,
            "session_id": "\ud800",
            "prompt": "\ud800x",
            "tool_name": "\ud800",
            "tool_input": {"file_path": "\ud800"},
        }
        agent("droid").hook(None, given_json, AT_MS, intake)
    assert [event.kind for event in intake.events] == ["user_message", "hook", "tool_call", "hook"]
    check(intake.events)


def test_settings_are_a_document_and_lines_are_not():
    known = agent("droid")
    assert isinstance(known.transcript("/p/a.settings.json"), Document)
    assert not isinstance(known.transcript("/p/a.jsonl"), Document)
