from __future__ import annotations

import json

import pytest

from tests.agents.builders import AT, AT_MS, SESSION, of_kind
from tests.agents.counting import counted
from tests.agents.filed import of_hook

TURN = "turn-1"


def hook(event, **fields):
    return {
        "conversation_id": SESSION,
        "generation_id": TURN,
        "hook_event_name": event,
        "cursor_version": "2.4.21",
        "workspace_roots": ["/p"],
        "model": "gpt-5",
        **fields,
    }


def read(event, received_ms=AT_MS, **fields):
    return of_hook("cursor", hook(event, **fields), received_ms)


def ran(tool, tool_input=None, output=None, call_id="c1", **fields):
    return read(
        "postToolUse",
        tool_name=tool,
        tool_input=tool_input or {},
        tool_output=output,
        tool_use_id=call_id,
        **fields,
    )


def test_one_prompt_is_one_message_whatever_its_text_and_time():
    [asked] = of_kind(read("beforeSubmitPrompt", prompt="hello"), "user_message")
    [again] = of_kind(read("beforeSubmitPrompt", AT_MS + 5000, prompt="hello"), "user_message")
    assert asked.event_id == again.event_id
    assert (asked.prompt_length, asked.turn_id, asked.ts_source) == (5, TURN, "received")


def test_folder_is_told_with_a_prompt_because_not_every_build_tells_the_start():
    [context] = of_kind(read("beforeSubmitPrompt", prompt="x"), "session_context")
    assert context.cwd_hash is not None


def test_start_and_end_of_a_session():
    start = read("sessionStart", session_id=SESSION, is_background_agent=False)
    assert [e.kind for e in start.events] == ["session_start", "session_context"]
    [end] = read("sessionEnd", reason="completed").events
    assert (end.kind, end.source_detail) == ("session_end", "completed")


@pytest.mark.parametrize(
    ("is_background", "client", "surface"),
    [(True, "web", "cloud"), (False, "terminal-ui", None), (None, None, None), ("no", None, None)],
)
def test_background_agents_run_in_the_cloud(is_background, client, surface):
    intake = read("sessionStart", is_background_agent=is_background)
    assert {(e.client, e.surface) for e in intake.events} == {(client, surface)}


@pytest.mark.parametrize(("mode", "level"), [("plan", "spec"), ("agent", None), (None, None)])
def test_only_planning_is_a_known_level(mode, level):
    [made] = of_kind(ran("Read", composer_mode=mode), "tool_call")
    assert (made.autonomy, made.autonomy_raw) == (level, mode)


def test_answers_are_told_apart_by_turn_and_text():
    def key(text, **fields):
        return read("afterAgentResponse", text=text, **fields).events[0].event_id

    assert key("a") == key("a")
    assert len({key("a"), key("b"), key("a", generation_id="turn-2")}) == 3
    assert read("afterAgentResponse", text=" ").drops == {"not_counted": 1}


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("Shell", ("shell", "Shell", "builtin", None)),
        ("StrReplace", ("edit", "StrReplace", "builtin", None)),
        ("Task", ("task", "Task", "subagent", None)),
        ("MCP:echo", ("MCP:echo", "MCP:echo", "mcp", "echo")),
        ("mcp__lab__echo", ("mcp__lab__echo", "mcp__lab__echo", "mcp", "echo")),
        ("__proto__", ("__proto__", "__proto__", "builtin", None)),
    ],
)
def test_tools_have_the_names_that_every_agent_uses(tool, names):
    [made] = of_kind(ran(tool), "tool_call")
    assert (made.tool, made.tool_raw, made.tool_kind, made.mcp_tool) == names


def test_call_is_known_by_its_id_else_by_turn_and_arguments():
    def key(received_ms=AT_MS, **fields):
        intake = read("postToolUse", received_ms, tool_name="Read", **fields)
        return of_kind(intake, "tool_call")[0].event_id

    assert key(tool_use_id="c1", tool_input={"path": "/a"}) == key(tool_use_id="c1")
    assert key(tool_input={"path": "/a"}) == key(AT_MS + 9000, tool_input={"path": "/a"})
    assert key(tool_input={"path": "/a"}) != key(tool_input={"path": "/b"})


@pytest.mark.parametrize(
    ("output", "success"),
    [
        (json.dumps({"output": "x", "exitCode": 0}), True),
        (json.dumps({"output": "x", "exitCode": 2}), False),
        ({"stdout": "x", "exit_code": 1}, False),
        ("plain", True),
        ("{broken", True),
        (None, True),
    ],
)
def test_exit_code_of_a_command_is_its_success(output, success):
    [made] = of_kind(ran("Shell", {"command": "ls"}, output), "tool_call")
    assert made.success is success


@pytest.mark.parametrize(("why", "decision"), [("permission_denied", "reject"), ("error", None)])
def test_failed_call_and_refused_call(why, decision):
    intake = read(
        "postToolUseFailure",
        tool_name="Shell",
        tool_input={"command": "git commit -m x"},
        tool_use_id="c1",
        failure_type=why,
    )
    [made] = of_kind(intake, "tool_call")
    assert (made.success, made.decision, of_kind(intake, "git_commit")) == (False, decision, [])


def test_arguments_may_be_json_in_a_text():
    intake = ran("Shell", json.dumps({"command": "git commit -m x"}), "[main 34c4d56] x")
    assert [e.commit_sha for e in of_kind(intake, "git_commit")] == ["34c4d56"]


def shell_hooks(command="ls", output="x"):
    answer = json.dumps({"output": output, "exitCode": 0})
    return [
        read("beforeShellExecution", command=command, cwd="/p"),
        read("afterShellExecution", command=command, output=output, duration=41.9),
        ran("Shell", {"command": command}, answer, duration=43),
    ]


def test_command_told_by_both_hooks_is_one_call():
    events = [e for intake in shell_hooks() for e in intake.events]
    [made] = [e for e in counted(events) if e.kind == "tool_call"]
    assert (made.source, made.duration_ms) == ("hook", 43)


def test_command_told_by_its_own_hook_alone_is_a_call():
    events = [e for intake in shell_hooks()[:2] for e in intake.events]
    [made] = [e for e in counted(events) if e.kind == "tool_call"]
    assert (made.source, made.tool, made.duration_ms) == ("hook_special", "shell", 41)


def test_commit_told_by_both_hooks_is_one():
    intakes = shell_hooks("git commit -m x", "[main 34c4d56] x\n")
    commits = [e for intake in intakes for e in of_kind(intake, "git_commit")]
    assert len(commits) == 2
    assert len({e.event_id for e in commits}) == 1


def test_same_command_run_twice_in_a_turn_is_two_calls():
    runs = [
        read("afterShellExecution", command="make", output=output, duration=5)
        for output in ("red", "green")
    ]
    assert len({e.event_id for intake in runs for e in of_kind(intake, "tool_call")}) == 2


@pytest.mark.parametrize(
    ("result", "success"),
    [('{"isError": true}', False), ('{"content": []}', True), ("{broken", None), (None, None)],
)
def test_call_of_a_servers_tool_is_told_by_its_own_hook(result, success):
    intake = read(
        "afterMCPExecution", tool_name="echo", tool_input='{"a": 1}', result_json=result, duration=3
    )
    [made] = intake.events
    assert (made.source, made.tool_raw, made.tool_kind) == ("hook_special", "MCP:echo", "mcp")
    assert (made.success, made.duration_ms) == (success, 3)


def test_edit_is_a_change_of_its_file_and_a_call_only_where_no_other_hook_tells():
    edits = [{"old_string": "a\nb\n", "new_string": "a\nc\nd\n"}]
    intake = read("afterFileEdit", file_path="/p/a.py", edits=edits)
    [change] = of_kind(intake, "file_change")
    assert (change.source, change.file_op, change.file_ext) == ("hook", "edited", "py")
    assert (change.lines_added, change.lines_removed) == (2, 1)
    [call] = of_kind(intake, "tool_call")
    assert (call.source, call.tool) == ("hook_special", "edit")


def test_write_told_by_the_hook_of_any_tool_changes_no_file_a_second_time():
    intake = ran("Write", {"path": "/p/a.py", "contents": "x"})
    assert of_kind(intake, "file_change") == []
    [made] = of_kind(intake, "tool_call")
    assert made.file_ext == "py"


@pytest.mark.parametrize("edits", [None, 7, "x", [], [7], [{"old_string": 7}]])
def test_edit_without_readable_lines_is_a_change_still(edits):
    intake = read("afterFileEdit", file_path="/p/a.py", edits=edits)
    assert [(e.lines_added, e.lines_removed) for e in of_kind(intake, "file_change")] == [(0, 0)]
    assert read("afterFileEdit", edits=edits).drops == {"not_counted": 1}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("preToolUse", "redundant"),
        ("beforeShellExecution", "redundant"),
        ("beforeMCPExecution", "redundant"),
        ("beforeReadFile", "not_counted"),
        ("afterTabFileEdit", "not_counted"),
        ("stop", "not_counted"),
        ("subagentStop", "not_counted"),
        ("brandnew", "unknown_record"),
    ],
)
def test_other_hooks_tell_nothing(event, reason):
    assert read(event).drops == {reason: 1}


@pytest.mark.parametrize(
    ("address", "email"),
    [("dev@example.com", "dev@example.com"), ("", None), ("nobody", None), ("a b@c", None)],
)
def test_person_is_an_address(address, email):
    [made] = of_kind(ran("Read", user_email=address), "tool_call")
    assert made.user_email == email


def test_session_is_the_conversation_else_the_session_that_is_named():
    [made] = of_kind(ran("Read", conversation_id=None, session_id="s2"), "tool_call")
    assert made.session_id == "s2"
    [made] = of_kind(ran("Read", conversation_id=None), "tool_call")
    assert (made.session_id, made.quality) == (None, "no_session")


def test_time_of_the_json_is_preferred():
    [made] = of_kind(ran("Read", timestamp=AT), "tool_call")
    assert (made.ts, made.ts_source) == (AT_MS, "event")
