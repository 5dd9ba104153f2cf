from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Document, Intake
from tests.agents.builders import AT, AT_MS, SESSION, agent, of_kind, transcript
from tests.agents.gemini_cli.samples import answered, called, diff, figures, meta, said
from tests.support.fixtures import public

SUBAGENT = f"/home/dev/.gemini/tmp/p/chats/{SESSION}/helper.jsonl"


def read(*lines, path="/home/dev/.gemini/tmp/p/chats/session-x.jsonl"):
    return transcript("gemini-cli", [meta(), *lines], path)


def document(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    reader = agent("gemini-cli").transcript(str(path))
    assert isinstance(reader, Document)
    intake = Intake()
    reader.read(intake)
    return intake


def summed(intake):
    """(calls, input, cached, output)"""
    calls = of_kind(intake, "model_call")
    return (
        len(calls),
        sum(event.input_tokens for event in calls),
        sum(event.cache_read_tokens for event in calls),
        sum(event.output_tokens for event in calls),
    )


def test_message_that_grew_is_one_call_with_its_tools():
    intake = read(
        answered("g1", figures(100, 5, 40)),
        answered("g1", figures(100, 5, 40), called("t1", "glob")),
        answered("g1", figures(100, 5, 40), called("t1", "glob"), called("t2", "glob")),
    )
    assert summed(intake) == (1, 60, 40, 5)
    assert [event.tool_call_id for event in of_kind(intake, "tool_call")] == ["t1", "t2"]


def test_figures_of_the_fuller_version_win():
    intake = read(answered("g1", figures(0, 1)), answered("g1", figures(100, 9, 40, 3)))
    assert summed(intake) == (1, 60, 40, 12)


def test_call_that_is_still_asked_for_is_settled_by_its_later_version():
    waiting = called("t1", "write_file", file_path="/a.py") | {"status": "awaiting_approval"}
    refused = called("t1", "write_file", "User did not allow tool call", "", "cancelled")
    [call] = of_kind(read(answered("g", None, waiting), answered("g", None, refused)), "tool_call")
    assert (call.success, call.decision, call.decision_source) == (False, "reject", "user")


def test_message_without_figures_is_no_call_but_its_tools_are():
    intake = read(answered("g1", {}, called("t1", "glob")), answered("g2", {}))
    assert [event.kind for event in intake.events] == ["tool_call"]


@pytest.mark.parametrize(
    ("content", "length"),
    [
        ("plain words", 11),
        ([{"text": "one"}, {"text": "two"}], 6),
        ({"text": "one"}, 3),
        ([{"text": "<session_context>\nx</session_context>"}, {"text": "mine"}], 4),
        ([{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}], 0),
    ],
)
def test_what_a_person_said_is_a_message_of_its_length(content, length):
    [message] = read(said(content)).events
    assert (message.kind, message.prompt_length) == ("user_message", length)


@pytest.mark.parametrize(
    "content",
    [
        [{"functionResponse": {"id": "t", "response": {"output": "x"}}}],
        [{"functionResponse": {"id": "t"}}, {"text": "said by a tool"}],
        [{"text": "<session_context>\nx\n</session_context>"}],
        "<state_snapshot>what happened so far</state_snapshot>",
        "Please continue.",
        [],
        None,
        7,
    ],
)
def test_what_others_said_is_no_message(content):
    intake = read(said(content))
    assert (intake.events, intake.drops) == ([], {"not_counted": 1, "redundant": 1})


def test_checkpoint_after_a_resume_adds_nothing():
    first = [said("hello"), answered("g1", figures(10, 3))]
    later = [{**message, "timestamp": "2026-11-22T09:00:00.000Z"} for message in first]
    summary = said("a summary of it all", "new")
    once = read(*first)
    again = read(*first, meta(), {"$set": {"messages": [*later, summary]}})
    assert again.events == once.events
    assert again.drops == {"not_counted": 2, "redundant": 1}


def test_rewound_messages_had_been_paid_for():
    intake = read(said("hello"), answered("g1"), {"$rewindTo": "u1"})
    assert [event.kind for event in intake.events] == ["user_message", "model_call"]


def test_helper_belongs_to_the_session_whose_folder_it_is_in():
    lines = [meta("helper", kind="subagent"), said("do it"), answered()]
    intake = transcript("gemini-cli", lines, SUBAGENT)
    [call] = intake.events
    assert (call.session_id, call.root_session_id, call.is_subagent) == ("helper", SESSION, True)


@pytest.mark.parametrize(
    ("tool", "display", "output", "op", "quality"),
    [
        ("write_file", diff("/a.py", 1, 0, True), "", "created", None),
        ("write_file", diff("/a.py", 1, 0, False), "", "edited", None),
        ("write_file", "", "Successfully created and wrote to new file: /a.py", "created", None),
        ("write_file", "", "Successfully overwrote file: /a.py", "edited", None),
        ("write_file", "", "", "created", "estimated"),
        ("replace", "", "Successfully modified file: /a.py", "edited", None),
        ("replace", "", "Created new file: /a.py with provided content.", "created", None),
        ("edit", "", "", "edited", None),
    ],
)
def test_what_became_of_a_file(tool, display, output, op, quality):
    intake = read(answered("g1", None, called("t1", tool, output, display, file_path="/a.py")))
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.quality, change.file_ext) == (op, quality, "py")


def test_failed_and_refused_calls_change_no_file():
    intake = read(
        answered(
            "g1",
            None,
            called("t1", "write_file", "No space left", status="error", file_path="/a.py"),
            called("t2", "write_file", 'Tool "write_file" not found. Did you', status="error"),
            called("t3", "replace", "Tool execution denied by policy.", status="error"),
        )
    )
    assert of_kind(intake, "file_change") == []
    assert [e.decision for e in of_kind(intake, "tool_call")] == [None, "reject", "reject"]


@pytest.mark.parametrize(
    ("output", "success"),
    [
        ("Output: done\nProcess Group PGID: 68", True),
        ("Output: done\nExit Code: 1\nProcess Group PGID: 68", False),
        ("Command: x\nOutput: \nExit Code: 0\nSignal: 0\nProcess Group PGID: 1", True),
    ],
)
def test_exit_code_decides_on_a_command(output, success):
    intake = read(answered("g1", None, called("t1", "run_shell_command", output, command="make")))
    [call] = of_kind(intake, "tool_call")
    assert call.success is success


def test_commit_is_named_by_the_output_of_the_command():
    shell = called(
        "t1",
        "run_shell_command",
        "<untrusted_context>\nOutput: [main 95720f9] x",
        command="git commit",
    )
    [commit] = of_kind(read(answered("g1", None, shell)), "git_commit")
    assert (commit.commit_sha, commit.tool_call_id) == ("95720f9", "t1")


def test_shown_name_tells_server_from_tool():
    call = called("t1", "mcp_my_lab_echo") | {"displayName": "echo (my_lab MCP Server)"}
    [event] = of_kind(read(answered("g1", None, call)), "tool_call")
    assert (event.mcp_server, event.mcp_tool, event.quality) == ("my_lab", "echo", None)


def test_unknown_and_damaged_lines_are_accounted_for():
    intake = read(
        {"invented": "later"},
        {"id": "x", "timestamp": AT, "type": "invented"},
        {"id": "x", "type": "user", "content": "no time"},
        b'{"id":"half',
        b"[" * 100_000,
    )
    assert intake.events == []
    assert intake.drops == {"not_counted": 1, "unknown_record": 2, "invalid": 3}


def test_fields_of_other_types_are_left_out():
    line = answered("g1", figures(10, 3), called("t1", "glob")) | {"model": 7, "timestamp": AT}
    line["toolCalls"].append({"id": 5, "name": ["x"], "args": "text", "status": {}})
    line["toolCalls"].append("none")
    intake = read(line)
    assert [(e.model, e.ts) for e in of_kind(intake, "model_call")] == [(None, AT_MS)]
    assert [e.tool_raw for e in of_kind(intake, "tool_call")] == ["glob", "unknown"]


def test_file_that_is_one_object_tells_what_its_lines_would(tmp_path):
    messages = [said("hello"), answered("g1", figures(10, 3), called("t1", "glob"))]
    whole = document(tmp_path / "session-x.json", meta(messages=messages))
    # Resuming copies such a file into one of lines, which then is beside it.
    lines = read(*messages)
    assert [e.event_id for e in whole.events] == [e.event_id for e in lines.events]


def test_what_others_said_in_a_file_that_is_one_object_is_dropped_and_the_rest_is_read(tmp_path):
    notice = said("<system-reminder>The date has changed.</system-reminder>")
    messages = [notice, answered("g1", figures(100, 5))]
    intake = document(tmp_path / "session-x.json", meta(messages=messages))
    assert (len(of_kind(intake, "model_call")), intake.drops) == (1, {"redundant": 1})


def test_file_that_is_one_object_is_read_again_when_it_changed(tmp_path):
    path = tmp_path / "session-x.json"
    path.write_text("{}")
    reader = agent("gemini-cli").transcript(str(path))
    before = reader.stamp()
    assert (reader.stamp(), reader.state()) == (before, {})
    path.write_text('{"sessionId": "x"}')
    assert reader.stamp() != before


@pytest.mark.parametrize(
    ("content", "drops"),
    [
        ('{"sessionId": "x", "messages": [{"id"', {"invalid": 1}),
        ('{"history": [{"role": "user"}]}', {"unknown_record": 1}),
        ('{"messages": [7, {"type": "user", "content": "x"}]}', {"invalid": 1}),
        ("[" * 100_000, {"invalid": 1}),
    ],
)
def test_object_that_is_damaged_or_other_is_accounted_for(tmp_path, content, drops):
    intake = document(tmp_path / "session-x.json", content)
    assert (intake.events, intake.drops) == ([], drops)


def test_file_that_went_is_not_read(tmp_path):
    reader = agent("gemini-cli").transcript(str(tmp_path / "gone.json"))
    for look in (reader.stamp, lambda: reader.read(Intake())):
        with pytest.raises(FileNotFoundError):
            look()


@pytest.mark.parametrize(
    ("path", "head", "is_one"),
    [
        ("a.jsonl", b'{"sessionId":"x","projectHash":"y"}\n', True),
        ("a.json", b'{\n "sessionId": "x",\n "projectHash": "y",\n "messages": []}', True),
        ("logs.json", b'[{"sessionId":"x","messageId":0,"type":"user"}]', False),
        ("a.jsonl", b'{"type":"user","sessionId":"x"}\n{"projectHash":"y"}', False),
        ("a.txt", b'{"sessionId":"x","projectHash":"y","messages":[]}', False),
    ],
)
def test_chat_file_is_told_by_its_beginning(path, head, is_one):
    assert agent("gemini-cli").is_transcript(path, head) is is_one


@pytest.mark.skipif(not public("gemini-cli").is_dir(), reason="the public samples are not here")
class TestPublicSamples:
    def test_lines(self):
        lines = (public("gemini-cli") / "agent-sessions/jsonl_v040.jsonl").read_bytes()
        intake = transcript("gemini-cli", lines.splitlines())
        assert summed(intake) == (2, 12_422, 11_502, 228)
        assert len(of_kind(intake, "tool_call")) == len(of_kind(intake, "user_message")) == 1

    @pytest.mark.parametrize(
        ("file", "calls", "messages", "outcomes"),
        [
            ("small.json", (1, 10, 0, 5), 1, []),
            # Made by hand: the ends of the lines of its answers are written out.
            ("large.json", (1, 100, 0, 10), 2, [True, True]),
        ],
    )
    def test_objects(self, file, calls, messages, outcomes):
        path = public("gemini-cli") / "agent-sessions" / file
        assert agent("gemini-cli").is_transcript(str(path), path.read_bytes())
        intake = Intake()
        agent("gemini-cli").transcript(str(path)).read(intake)
        assert summed(intake) == calls
        assert len(of_kind(intake, "user_message")) == messages
        assert [event.success for event in of_kind(intake, "tool_call")] == outcomes

    def test_object_of_another_form_is_no_chat(self):
        path = public("gemini-cli") / "agent-sessions/schema_drift.json"
        assert not agent("gemini-cli").is_transcript(str(path), path.read_bytes())
