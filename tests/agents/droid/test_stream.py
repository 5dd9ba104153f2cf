from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT, AT_MS, SESSION, agent, of_kind, transcript


def line(kind, **fields):
    return {"type": kind, "session_id": SESSION, "timestamp": AT_MS, **fields}


INIT = line("system", subtype="init", model="gpt-5", reasoning_effort="high", cwd="/p")


def read(*lines):
    return transcript("droid", [INIT, *lines])


def call(tool, call_id="c1", **parameters):
    return line("tool_call", toolCallId=call_id, toolName=tool, parameters=parameters, id="x")


def result(value, call_id="c1", **fields):
    return line("tool_result", toolCallId=call_id, value=value, id="y", **fields)


@pytest.mark.parametrize("at", [AT, AT_MS, float(AT_MS), str(AT)])
def test_times_are_iso_text_or_milliseconds(at):
    [asked] = of_kind(read(line("message", role="user", text="x", timestamp=at)), "user_message")
    assert asked.ts == AT_MS


def test_session_is_known_in_either_spelling():
    lines = [
        {"type": "system", "sessionId": "s", "timestamp": AT, "model": "gpt-5"},
        {"type": "message", "sessionId": "s", "timestamp": AT, "role": "user", "text": "x"},
    ]
    assert {event.session_id for event in transcript("droid", lines).events} == {"s"}


def test_call_is_known_by_its_own_id_or_by_that_of_its_line():
    for lines in (
        (call("Execute", command="ls"), result("ok")),
        (
            line("tool_call", id="c1", toolId="Execute", parameters={"command": "ls"}),
            line("tool_result", id="c1", toolId="Execute", value="ok"),
        ),
    ):
        [made] = of_kind(read(*lines), "tool_call")
        assert (made.tool_call_id, made.tool, made.success) == ("c1", "shell", True)


@pytest.mark.parametrize(
    ("value", "fields", "success"),
    [
        ("fine", {}, True),
        ("Error: no", {}, False),
        ("no", {"isError": True}, False),
        ({"stdout": "x", "exitCode": 0}, {}, True),
        ({"stdout": "x", "exitCode": 2}, {}, False),
        ({"stdout": 7, "exitCode": "many"}, {}, True),
        (None, {}, True),
        ([{"type": "text", "text": "Error: no"}], {}, False),
    ],
)
def test_a_call_failed_when_its_result_says_so(value, fields, success):
    [made] = of_kind(read(call("Execute", command="ls"), result(value, **fields)), "tool_call")
    assert made.success is success


def test_commit_is_read_off_the_output_of_a_command():
    value = {"stdout": "[main 34c4d56] x\n", "exitCode": 0}
    intake = read(call("Execute", command="git commit -m x; ls"), result(value))
    assert [e.commit_sha for e in of_kind(intake, "git_commit")] == ["34c4d56"]


def test_usage_of_the_last_line_is_that_of_the_run():
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 2,
    }
    [used] = of_kind(read(line("completion", usage=usage)), "model_call")
    assert (used.input_tokens, used.output_tokens) == (10, 5)
    assert (used.cache_read_tokens, used.cache_write_tokens) == (3, 2)
    assert (used.model, used.model_tier, used.is_aggregate) == ("gpt-5", "thinking", True)


def test_last_line_without_usage_and_errors_tell_nothing():
    intake = read(line("completion", finalText="Done"), line("error", message="no"))
    assert intake.drops == {"not_counted": 2}


def test_reminders_are_no_message():
    text = "<system-reminder>\nBe safe.\n</system-reminder>"
    assert of_kind(read(line("message", role="user", text=text)), "user_message") == []


def test_everything_is_of_a_headless_run():
    intake = read(line("message", role="user", text="x"))
    assert {(e.client, e.surface) for e in intake.events} == {("non-interactive-cli", "cli")}


def test_unknown_lines_are_told_apart():
    assert read(line("brandnew")).drops == {"unknown_record": 1}


def test_impossible_tokens_reject_their_line_only():
    intake = read(
        line("completion", usage={"input_tokens": -5}), line("message", role="user", text="x")
    )
    assert intake.drops == {"invalid": 1}
    assert len(of_kind(intake, "user_message")) == 1


LINES = [
    json.dumps(each).encode()
    for each in (
        INIT,
        line("message", role="user", text="x", id="m1"),
        call("Execute", command="git commit -m x"),
        result("[main 34c4d56] x"),
        line("completion", usage={"input_tokens": 1, "output_tokens": 1}),
    )
]


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_reading_resumed_after_any_line_gives_the_same_events(cut):
    whole, halves = Intake(), Intake()
    reader = agent("droid").transcript("x.jsonl")
    reader.feed_lines(b"\n".join(LINES), whole)
    reader.finish(whole)
    first = agent("droid").transcript("x.jsonl")
    first.feed_lines(b"\n".join(LINES[:cut]), halves)
    first.finish(halves)
    second = agent("droid").transcript("x.jsonl", json.loads(json.dumps(first.state())))
    second.feed_lines(b"\n".join(LINES[cut:]), halves)
    second.finish(halves)
    assert {e.event_id: e for e in halves.events} == {e.event_id: e for e in whole.events}


@pytest.mark.parametrize(
    ("path", "head", "is_ours"),
    [
        ("/p/a.jsonl", {"type": "session_start", "id": "x"}, True),
        ("/p/a.jsonl", {"type": "session_start", "sessionId": "x"}, False),
        ("/p/a.jsonl", INIT, True),
        ("/p/a.jsonl", {"type": "message", "sessionId": "x", "timestamp": 1, "text": "x"}, True),
        # The streams and session files of other agents.
        ("/p/a.jsonl", {"type": "system", "subtype": "init", "session_id": "x"}, False),
        (
            "/p/a.jsonl",
            {"type": "system", "uuid": "u", "sessionId": "x", "timestamp": AT},
            False,
        ),
        ("/p/a.jsonl", {"type": "message", "timestamp": AT, "role": "user"}, False),
        ("/p/a.jsonl", {"timestamp": AT, "type": "session_meta", "payload": {"id": "x"}}, False),
        ("/p/a.settings.json", {"model": "m", "tokenUsage": {}}, True),
        ("/p/a.settings.json", {"autonomyMode": "spec"}, True),
        ("/p/a.settings.json", {"editor.fontSize": 12}, False),
        ("/p/a.json", {"tokenUsage": {}}, False),
    ],
)
def test_which_files_are_ours(path, head, is_ours):
    assert agent("droid").is_transcript(path, json.dumps(head).encode() + b"\n") is is_ours
