from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest

from stationmaster import clock
from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent, of_kind, transcript


def line(role, *blocks):
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"role": role, "message": {"content": content}}


def call(tool, **arguments):
    return {"type": "tool_use", "name": tool, "input": arguments}


def read(*lines, path=f"/p/{SESSION}/{SESSION}.jsonl"):
    return transcript("cursor", lines, path)


def test_everything_has_the_time_of_the_file_and_is_flagged(tmp_path):
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text(json.dumps(line("user", "x")) + "\n")
    os.utime(path, ns=(0, AT_MS * 1_000_000))
    [asked] = read(line("user", "x"), path=str(path)).events
    assert (asked.ts, asked.ts_source, asked.quality) == (AT_MS, "file_time", "estimated")


def test_file_that_is_gone_has_the_time_of_now():
    clock.freeze(datetime(2026, 11, 21, tzinfo=UTC))
    try:
        [asked] = read(line("user", "x")).events
    finally:
        clock.freeze(None)
    assert (asked.ts, asked.ts_source) == (1_795_219_200_000, "received")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("<user_query>\nhello\n</user_query>", 5),
        ("<attached>x</attached>\n<user_query>hello</user_query>", 5),
        ("hello", 5),
        ("<user_query>hello", 5),
        ("<system_reminder>x</system_reminder>", None),
        ("<user_info>\nOS\n</user_info>", None),
        ("  ", None),
    ],
)
def test_a_persons_words_are_marked_or_stand_alone(text, length):
    asked = of_kind(read(line("user", text)), "user_message")
    assert [e.prompt_length for e in asked] == ([] if length is None else [length])


@pytest.mark.parametrize("kind", ["tool_result", "tool-result"])
def test_results_are_no_messages(kind):
    intake = read(line("user", {"type": kind, "content": "x"}, "and a text beside it"))
    assert (intake.events, intake.drops) == ([], {"not_counted": 1})


def test_an_answer_counts_when_it_says_or_does_something():
    intake = read(
        line("assistant", "Ok"),
        line("assistant", call("Read", path="/a")),
        line("assistant", {"type": "thinking", "thinking": "hm"}),
    )
    assert len(of_kind(intake, "assistant_message")) == 2


def test_lines_are_known_by_their_place_and_equal_ones_are_two():
    intake = read(line("user", "x"), line("user", "x"))
    assert len(of_kind(intake, "user_message")) == 2
    assert {e.event_id for e in intake.events} == {
        e.event_id for e in read(line("user", "x"), line("user", "x")).events
    }


def test_success_of_a_call_stays_open_and_its_consequences_are_believed():
    intake = read(
        line(
            "assistant",
            call("Shell", command="git commit -m x"),
            call("StrReplace", path="/a.py", old_string="a", new_string="b\nc"),
            call("Write", path="/b.ts", contents="x\ny\n"),
            call("edit_file", target_file="/c.go"),
        )
    )
    assert {e.success for e in of_kind(intake, "tool_call")} == {None}
    assert [e.commit_sha for e in of_kind(intake, "git_commit")] == [None]
    changes = of_kind(intake, "file_change")
    assert [(e.file_op, e.file_ext, e.lines_added, e.lines_removed) for e in changes] == [
        ("edited", "py", 2, 1),
        ("edited", "ts", 2, 0),
        ("edited", "go", 0, 0),
    ]


def test_older_form_of_a_call_is_one():
    [made] = of_kind(read(line("assistant", {"type": "tool_call", "name": "Read"})), "tool_call")
    assert made.tool == "read"


def test_agents_own_agent_has_calls_and_no_conversation():
    intake = read(
        line("user", "List files"),
        line("assistant", "Ok", call("LS")),
        path="/t/parent/subagents/child.jsonl",
    )
    [made] = intake.events
    assert (made.kind, made.is_subagent) == ("tool_call", True)
    assert (made.session_id, made.root_session_id) == ("child", "parent")


def test_turn_ends_are_dropped_and_the_unknown_is_told_apart():
    intake = read({"type": "turn_ended"}, {"type": "brandnew"}, line("system", "x"))
    assert intake.drops == {"not_counted": 1, "unknown_record": 2}


@pytest.mark.parametrize("bad", [b"{not json", b"[]", b"null", b"[" * 100_000, b"\xff"])
def test_lines_that_are_no_records_stop_nothing(bad):
    assert len(of_kind(read(bad, line("user", "x")), "user_message")) == 1


LINES = [
    json.dumps(each).encode()
    for each in (
        line("user", "x"),
        line("assistant", "y", call("Shell", command="git commit -m x")),
        line("user", {"type": "tool_result", "content": "x"}),
        line("assistant", "z"),
        {"type": "turn_ended"},
        line("user", "x"),
    )
]


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_reading_resumed_after_any_line_gives_the_same_events(cut, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(LINES))
    whole, halves = Intake(), Intake()
    agent("cursor").transcript(str(path)).feed_lines(b"\n".join(LINES), whole)
    first = agent("cursor").transcript(str(path))
    first.feed_lines(b"\n".join(LINES[:cut]), halves)
    first.finish(halves)
    second = agent("cursor").transcript(str(path), json.loads(json.dumps(first.state())))
    second.feed_lines(b"\n".join(LINES[cut:]), halves)
    second.finish(halves)
    assert {e.event_id: e for e in halves.events} == {e.event_id: e for e in whole.events}


@pytest.mark.parametrize(
    ("path", "head", "is_ours"),
    [
        ("/p/a.jsonl", {"role": "user", "message": {"content": []}}, True),
        ("/p/a.jsonl", {"role": "user", "message": {"content": "x"}, "metadata": {}}, True),
        ("/p/a.jsonl", {"role": "user", "content": "x"}, False),
        ("/p/a.jsonl", {"role": "user", "message": {"content": []}, "sessionId": "x"}, False),
        ("/p/a.jsonl", {"type": "user", "role": "user", "message": {"content": []}}, False),
        ("/p/a.json", {"role": "user", "message": {"content": []}}, False),
    ],
)
def test_which_files_are_ours(path, head, is_ours):
    assert agent("cursor").is_transcript(path, json.dumps(head).encode() + b"\n") is is_ours
