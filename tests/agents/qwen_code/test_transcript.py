from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Document, Intake
from tests.agents.builders import AT_MS, SESSION, agent, log, of_kind, transcript
from tests.agents.gemini_cli import samples as gemini
from tests.agents.qwen_code.samples import (
    PROMPT,
    answered,
    asks,
    copied,
    diff,
    hook,
    hooked,
    logs,
    noted,
    record,
    response,
    result,
    said,
    usage,
)
from tests.support.fixtures import public


def read(*lines, path=f"/home/dev/.qwen/projects/p/chats/{SESSION}.jsonl"):
    return transcript("qwen-code", lines, path)


def test_copy_of_a_call_has_the_identity_of_its_export():
    [call] = of_kind(read(copied("api_response", **response("x", 100, 5, 40))), "model_call")
    exported = logs(log("qwen-code.api_response", at_ms=AT_MS + 31, **response("x", 100, 5, 40)))
    assert call.event_id == exported.events[0].event_id
    assert (call.input_tokens, call.cache_read_tokens, call.source) == (60, 40, "sidecar")
    assert call.turn_id == PROMPT


def test_message_after_its_copy_is_the_same_call_again():
    intake = read(copied("api_response", **response("x", 100, 5)), answered(figures=usage(100, 5)))
    assert [event.source for event in of_kind(intake, "model_call")] == ["sidecar"]


def test_message_without_a_copy_is_the_call():
    intake = read(answered(figures=usage(600, 5, 50, 2)))
    [call] = of_kind(intake, "model_call")
    assert (call.input_tokens, call.cache_read_tokens, call.output_tokens) == (550, 50, 5)
    assert (call.source, call.model) == ("transcript", "qwen3-coder-plus")


def test_fragments_of_one_message_are_one_call_with_the_last_figures():
    intake = read(answered(figures=usage(10, 1)), answered(figures=usage(10, 4)))
    assert [call.output_tokens for call in of_kind(intake, "model_call")] == [4]


def test_message_without_figures_is_no_call():
    intake = read(answered(figures={}), answered(figures=usage(0, 0)))
    assert of_kind(intake, "model_call") == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"provenance": "real_user"},
        {"subtype": "mid_turn_user_message"},
    ],
)
def test_what_a_person_typed_is_a_message_of_its_length(fields):
    typed = said("hello and what a hook added", systemPayload={"displayText": "hello"}, **fields)
    [message] = of_kind(read(typed), "user_message")
    assert message.prompt_length == 5


def test_what_a_hook_added_is_not_of_the_persons_words():
    parts = [
        {"text": "hello"},
        {"text": "<qwen:user-prompt-submit-context>\nmore\n</qwen:user-prompt-submit-context>"},
    ]
    [message] = of_kind(read(record("user", message={"parts": parts})), "user_message")
    assert message.prompt_length == 5


@pytest.mark.parametrize(
    "fields",
    [
        {"subtype": "notification"},
        {"subtype": "cron"},
        {"provenance": "goal_control"},
        {"isSidechain": True},
        {"agentId": "explore-1"},
        {"message": {"parts": [{"functionResponse": {"id": "t1"}}]}},
    ],
)
def test_what_others_said_is_no_message(fields):
    assert of_kind(read({**said("hello"), **fields}), "user_message") == []


def test_history_copied_from_another_session_counts_there():
    copy = said("hello") | {"forkedFrom": {"sessionId": "s", "messageUuid": "u1"}}
    assert read(copy).drops == {"redundant": 1}


def test_folder_branch_and_version_are_told_once_each():
    intake = read(said("a"), said("b", "u2"), said("c", "u3", gitBranch="topic"))
    contexts = [(e.branch, e.product_version) for e in of_kind(intake, "session_context")]
    assert contexts == [("main", "0.24.4"), ("topic", "0.24.4")]
    assert all(event.cwd_hash for event in of_kind(intake, "session_context"))


def test_call_is_told_by_its_request_its_copy_and_its_result_under_one_identity():
    intake = read(
        answered(asks("t1", "write_file", file_path="/a.py", content="x")),
        copied(
            "tool_call",
            call_id="t1",
            function_name="write_file",
            function_args={"file_path": "/a.py"},
            success=True,
            duration_ms=158,
            decision="accept",
        ),
        result("t1", "write_file", "Successfully created /a.py", diff("/a.py", 4, 0)),
    )
    [call] = of_kind(intake, "tool_call")
    assert (call.success, call.duration_ms, call.decision_source) == (True, 158, "user")
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.quality, change.lines_added) == ("created", None, 4)
    told = hooked(hook("PostToolUse", tool_name="write_file", tool_call_id="t1"))
    assert of_kind(told, "tool_call")[0].event_id == call.event_id


def test_tool_that_had_to_be_searched_for_has_its_own_name():
    intake = read(
        answered(asks("t1", "tool_call", name="mcp__lab__echo", arguments={"text": "x"})),
        result("t1", "tool_call"),
    )
    [call] = of_kind(intake, "tool_call")
    assert (call.tool_raw, call.mcp_server, call.mcp_tool) == ("mcp__lab__echo", "lab", "echo")


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"status": "error", "errorType": "execution_denied"}, "auto"),
        ({"status": "cancelled", "output": "User did not allow tool call"}, "user"),
        ({"status": "error", "output": "needs it, but that permission was declined."}, "auto"),
    ],
)
def test_refused_call_is_rejected_and_changes_nothing(fields, source):
    intake = read(
        answered(asks("t1", "write_file", file_path="/a.py")), result("t1", "write_file", **fields)
    )
    [call] = of_kind(intake, "tool_call")
    assert (call.success, call.decision, call.decision_source) == (False, "reject", source)
    assert of_kind(intake, "file_change") == []


def test_helpers_call_is_told_by_its_copy_alone():
    intake = read(
        copied(
            "tool_call",
            call_id="t1",
            function_name="edit",
            function_args={"file_path": "/a.py", "old_string": "x"},
            metadata={"model_added_lines": 2, "model_removed_lines": 1},
            success=True,
        ),
        copied(
            "tool_call",
            call_id="t2",
            function_name="run_shell_command",
            function_args={"command": "git commit -m x"},
            success=True,
        ),
    )
    [change] = of_kind(intake, "file_change")
    assert (change.file_op, change.lines_added, change.lines_removed) == ("edited", 2, 1)
    assert len(of_kind(intake, "git_commit")) == 1


def test_older_copies_without_an_id_are_of_the_waiting_calls_of_their_tool():
    copies = [
        copied("tool_call", f"s{n}", function_name="glob", success=True, duration_ms=n)
        for n in (1, 2, 3)
    ]
    intake = read(
        answered(asks("t1", "glob"), asks("t2", "read_file"), asks("t3", "glob")),
        *copies,
        *(result(call_id, tool) for call_id, tool in (("t1", "glob"), ("t2", "read_file"))),
        result("t3", "glob"),
    )
    told = [(e.tool_call_id, e.duration_ms) for e in of_kind(intake, "tool_call")]
    assert told == [("t1", 1), ("t2", None), ("t3", 2)]
    assert intake.drops == {"redundant": 1}


def test_records_of_a_helper_are_its_own():
    helper = {"isSidechain": True, "agentId": "explore-1", "agentName": "Explore"}
    intake = read(
        answered(asks("t1", "glob"), figures=usage(10, 3), **helper),
        result("t1", "glob") | helper,
        path=f"/home/dev/.qwen/projects/p/subagents/{SESSION}/agent-explore-1.jsonl",
    )
    for event in (*of_kind(intake, "model_call"), *of_kind(intake, "tool_call")):
        assert (event.is_subagent, event.agent_id, event.agent_type) == (
            True,
            "explore-1",
            "Explore",
        )
        assert event.root_session_id == SESSION


def test_result_without_its_request_is_a_call_all_the_same():
    [call] = of_kind(read(result("t1", "glob")), "tool_call")
    assert (call.tool_raw, call.tool_call_id, call.success) == ("glob", "t1", True)


def test_call_without_a_result_is_told_at_the_end_and_settled_by_a_later_reading():
    path, intake = "/home/dev/.qwen/projects/p/chats/s.jsonl", Intake()
    first = agent("qwen-code").transcript(path)
    first.feed(json.dumps(answered(asks("t1", "glob"))).encode(), intake)
    first.finish(intake)
    assert [e.success for e in of_kind(intake, "tool_call")] == [None]
    second = agent("qwen-code").transcript(path, json.loads(json.dumps(first.state())))
    second.feed(json.dumps(result("t1", "glob")).encode(), intake)
    second.finish(intake)
    assert [e.success for e in of_kind(intake, "tool_call")] == [True]


def test_commit_is_named_by_the_output_of_the_command():
    output = "Command: git commit -m x\nDirectory: (root)\nOutput: [main ea89f3d] x\nExit Code: 0"
    intake = read(
        answered(asks("t1", "run_shell_command", command="git commit -m x")),
        result("t1", "run_shell_command", output),
    )
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["ea89f3d"]


def test_skill_is_a_skill_and_a_tool_call():
    intake = read(answered(asks("t1", "skill", skill="deploy")), result("t1", "skill"))
    assert [event.skill for event in of_kind(intake, "skill")] == ["deploy"]
    assert [event.tool_kind for event in of_kind(intake, "tool_call")] == ["skill"]


def test_command_is_counted_when_it_is_given():
    intake = read(
        noted("slash_command", phase="invocation", rawCommand="/mcp list all"),
        noted("slash_command", "s2", phase="result", rawCommand="/mcp list all"),
    )
    assert [event.slash_command for event in of_kind(intake, "slash_command")] == ["mcp"]


def test_approval_mode_holds_from_its_record_on():
    intake = read(
        answered(asks("t1", "glob"), uuid="a1"),
        noted("session_approval_mode", mode="auto-edit", prePlanMode="default"),
        answered(asks("t2", "glob"), uuid="a2"),
    )
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == ["auto-low"]
    assert [event.autonomy for event in of_kind(intake, "tool_call")] == [None, "auto-low"]


def test_two_records_on_one_line_are_two():
    line = json.dumps(said("a {b} c")).encode() + b" " + json.dumps(said("b", "u2")).encode()
    assert len(of_kind(read(line), "user_message")) == 2


def test_what_a_crash_cut_off_is_told_and_what_follows_is_read():
    line = json.dumps(said("a")).encode() + b'{"uuid":"half'
    intake = read(line, b'{"uuid":"half' + json.dumps(said("b", "u2")).encode(), said("c", "u3"))
    assert len(of_kind(intake, "user_message")) == 2
    assert intake.drops == {"invalid": 2}


def test_unknown_and_damaged_lines_are_accounted_for():
    intake = read(
        record("invented"),
        {"invented": "later"},
        noted("invented"),
        noted("ui_telemetry", uiEvent={"event.name": "request_lifecycle"}),
        {**said("no time"), "timestamp": "soon"},
        {"version": 1, "sessionId": "s", "models": {}},
        b"[" * 100_000,
        b"{" * 100_000,
    )
    assert intake.drops == {"unknown_record": 2, "not_counted": 2, "invalid": 3, "redundant": 1}


def test_fields_of_other_types_are_left_out():
    line = answered(asks("t1", "glob"), figures=usage(10, 3)) | {"model": 7, "cwd": ["x"]}
    line["message"]["parts"] += ["none", {"functionCall": {"id": 5, "name": {}, "args": "x"}}]
    intake = read(line, noted("ui_telemetry", uiEvent="text"), result("t1", "glob", display=[[]]))
    assert [event.model for event in of_kind(intake, "model_call")] == [None]
    assert [event.tool_raw for event in of_kind(intake, "tool_call")] == ["unknown", "glob"]


def test_older_chat_that_is_one_object(tmp_path):
    path = tmp_path / ".qwen/tmp/p/chats/session-x.json"
    path.parent.mkdir(parents=True)
    messages = [gemini.said("hello"), gemini.answered("g1", gemini.figures(10, 3), type="qwen")]
    path.write_text(json.dumps(gemini.meta(messages=messages)))
    assert agent("qwen-code").is_transcript(str(path), path.read_bytes())
    reader = agent("qwen-code").transcript(str(path))
    assert isinstance(reader, Document)
    intake = Intake()
    reader.read(intake)
    kinds = [(event.product, event.kind) for event in intake.events]
    assert kinds == [("qwen-code", "user_message"), ("qwen-code", "model_call")]


@pytest.mark.parametrize(
    ("path", "first", "is_one"),
    [
        ("/c/a.jsonl", said("x"), True),
        ("/c/a.jsonl", noted("slash_command", phase="invocation"), True),
        ("/c/usage_record.jsonl", {"version": 1, "sessionId": "x"}, True),
        ("/c/a.jsonl", {"type": "user", "sessionId": "x", "uuid": "y", "message": {}}, False),
        ("/c/a.jsonl", gemini.meta(), False),
        ("/c/a.json", gemini.meta(messages=[]), False),
        ("/c/.qwen/a.runtime.json", {"schema_version": 1, "session_id": "x"}, False),
    ],
)
def test_chat_file_is_told_by_its_first_record(path, first, is_one):
    head = json.dumps(first).encode()
    assert agent("qwen-code").is_transcript(path, head) is is_one


def test_session_is_the_files_where_no_record_names_it():
    line = said("x")
    del line["sessionId"]
    [message] = of_kind(read(line, path=f"C:\\chats\\{SESSION}.jsonl"), "user_message")
    assert message.session_id == SESSION


SAMPLES = public("qwen-code") / "agent-sessions"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public samples are not here")
class TestPublicSamples:
    def read(self, file):
        path = SAMPLES / file
        data = path.read_bytes()
        assert agent("qwen-code").is_transcript(str(path), data)
        return transcript("qwen-code", data.splitlines(), str(path))

    def test_a_session_with_a_tool(self):
        intake = self.read("019f0000-0000-7000-8000-000000000001.jsonl")
        assert [e.prompt_length for e in of_kind(intake, "user_message")] == [30]
        assert [(e.tool_raw, e.success) for e in of_kind(intake, "tool_call")] == [
            ("read_file", True)
        ]

    def test_a_rewound_branch_had_been_asked_and_answered(self):
        intake = self.read("019f0000-0000-7000-8000-000000000004.jsonl")
        assert len(of_kind(intake, "user_message")) == 2
        assert [(e.input_tokens, e.output_tokens) for e in of_kind(intake, "model_call")] == [
            (12, 4)
        ]

    def test_glued_records(self):
        intake = self.read("019f0000-0000-7000-8000-000000000005.jsonl")
        assert len(of_kind(intake, "user_message")) == 1
        assert intake.drops == {"not_counted": 1}

    def test_records_without_times_or_figures_are_accounted_for(self):
        intake = self.read("system_telemetry.jsonl")
        assert intake.events == []
        assert sum(intake.drops.values()) == 8


def test_figures_of_another_parsers_sample():
    """splitrail's qwen_code.jsonl, as far as the figures go."""
    intake = read(
        said("hello"),
        answered(asks("t1", "read_file"), uuid="a1", figures=usage(500, 20)),
        result("t1", "read_file", "no such file", status="error"),
        answered(uuid="a2", figures=usage(600, 5, 50)),
    )
    sums = [
        sum(getattr(event, field) for event in of_kind(intake, "model_call"))
        for field in ("input_tokens", "cache_read_tokens", "output_tokens")
    ]
    assert sums == [1050, 50, 25]
    assert [event.success for event in of_kind(intake, "tool_call")] == [False]
    assert len(of_kind(intake, "user_message")) == 1
