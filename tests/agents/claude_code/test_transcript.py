from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import (
    AT,
    SESSION,
    agent,
    assistant,
    of_kind,
    result,
    tool_use,
    transcript,
    user,
)


def read(*lines, path=f"/p/{SESSION}.jsonl"):
    return transcript("claude-code", lines, path)


def totals(intake):
    calls = of_kind(intake, "model_call")
    return len(calls), sum(call.output_tokens for call in calls)


def test_lines_of_one_call_count_once_with_the_largest_output():
    intake = read(assistant("a", 2), assistant("a", 9), assistant("a", 9), assistant("b", 4))
    assert totals(intake) == (2, 13)
    assert sum(call.input_tokens for call in of_kind(intake, "model_call")) == 6


def test_lines_of_one_call_with_results_in_between_count_once():
    intake = read(
        assistant("a", 1, tool_use("t1", "Read")),
        result("t1", {"type": "text"}),
        assistant("a", 8, tool_use("t2", "Grep")),
        assistant("b", 1),
        assistant("a", 8),
    )
    assert totals(intake) == (2, 9)
    assert [call.tool for call in of_kind(intake, "tool_call")] == ["read", "search"]


@pytest.mark.parametrize(("reason", "quality"), [(None, "output_lower_bound"), ("end_turn", None)])
def test_output_without_a_stop_reason_is_a_lower_bound(reason, quality):
    [call] = of_kind(read(assistant("a", 2, stop_reason=reason)), "model_call")
    assert call.quality == quality


def test_synthetic_and_error_messages_are_no_calls():
    synthetic = assistant("a", 2)
    synthetic["message"]["model"] = "<synthetic>"
    assert totals(read(synthetic, assistant("b", 2, isApiErrorMessage=True))) == (0, 0)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        (user("do it"), 1),
        (user([{"type": "text", "text": "do it"}]), 1),
        (user([{"type": "image"}]), 1),
        (user([{"type": "text", "text": "<system-reminder>x"}, {"type": "text", "text": "y"}]), 1),
        (user([{"type": "text", "text": "<system-reminder>x"}]), 0),
        (user("do it", origin={"kind": "human"}), 1),
        (user("done", origin={"kind": "task-notification"}), 0),
        (user("x", isMeta=True), 0),
        (user("x", isSidechain=True), 0),
        (user("summary", isCompactSummary=True), 0),
        (user("<local-command-stdout>x</local-command-stdout>"), 0),
        (user("<bash-input>ls</bash-input>"), 0),
        (user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]), 0),
        (result("t1", "x"), 0),
    ],
)
def test_what_a_person_said(line, count):
    assert len(of_kind(read(line), "user_message")) == count


@pytest.mark.parametrize(
    ("text", "command", "messages"),
    [
        (
            "<command-message>x</command-message>\n<command-name>/orchestrator</command-name>",
            "orchestrator",
            1,
        ),
        ("<command-name>init</command-name>", "init", 1),
        ("<command-name>/quit</command-name>", "quit", 0),
    ],
)
def test_slash_commands(text, command, messages):
    intake = read(user(text))
    assert [event.slash_command for event in of_kind(intake, "slash_command")] == [command]
    assert len(of_kind(intake, "user_message")) == messages


def test_text_that_only_mentions_a_command_is_a_message():
    intake = read(user("what is <command-name>/init</command-name>?"))
    assert of_kind(intake, "slash_command") == []


def test_prompt_typed_while_the_agent_was_busy_counts():
    queued = {"type": "queued_command", "prompt": "and this", "commandMode": "prompt"}
    line = {
        "type": "attachment",
        "timestamp": AT,
        "sessionId": SESSION,
        "uuid": "u",
        "attachment": queued,
    }
    [message] = of_kind(read(line), "user_message")
    assert message.prompt_length == 8


def test_written_files_are_created_or_overwritten_with_their_lines():
    patch = [{"lines": [" same", "-old", "+new", "+more"]}]
    intake = read(
        assistant("a", 1, tool_use("t1", "Write", file_path="/p/a.py", content="x")),
        result(
            "t1",
            {"type": "create", "filePath": "/p/a.py", "content": "1\n2\n", "structuredPatch": []},
        ),
        assistant("b", 1, tool_use("t2", "Write", file_path="/p/a.py", content="x")),
        result("t2", {"type": "update", "filePath": "/p/a.py", "structuredPatch": patch}),
        assistant("c", 1, tool_use("t3", "MultiEdit", file_path="/p/b.go")),
        result("t3", {"filePath": "/p/b.go", "structuredPatch": patch}),
        assistant("d", 1, tool_use("t4", "Edit", file_path="/p/b.go")),
        result("t4", "Error: String to replace not found", True),
    )
    changes = [
        (event.file_op, event.language, event.lines_added, event.lines_removed)
        for event in of_kind(intake, "file_change")
    ]
    assert changes == [
        ("created", "Python", 2, 0),
        ("edited", "Python", 2, 1),
        ("edited", "Go", 2, 1),
    ]


@pytest.mark.parametrize(
    ("line", "decision", "success"),
    [
        (result("t1", {"stdout": ""}), None, True),
        (result("t1", "Error: Exit code 1", True), None, False),
        (result("t1", "Error: Exit code 1", None), None, False),
        (result("t1", "Error: x", True, toolDenialKind="user-rejected"), "reject", False),
        (
            result(
                "t1",
                "Error: x",
                True,
                permissionDecision={"decision": "reject", "source": "config"},
            ),
            "reject",
            False,
        ),
        (result("t1", "Error: The user doesn't want to proceed with this", True), "reject", False),
        (
            result("t1", {}, permissionDecision={"decision": "accept", "source": "user_temporary"}),
            "accept",
            True,
        ),
    ],
)
def test_decision_and_success_of_a_call(line, decision, success):
    intake = read(assistant("a", 1, tool_use("t1", "Bash", command="ls")), line)
    [call] = of_kind(intake, "tool_call")
    assert (call.decision, call.success) == (decision, success)


def test_call_without_a_result_is_told_at_the_end():
    [call] = of_kind(read(assistant("a", 1, tool_use("t1", "Bash"))), "tool_call")
    assert call.success is None


def test_refused_calls_have_no_consequences():
    intake = read(
        assistant(
            "a",
            1,
            tool_use("t1", "Bash", command="git commit -m x"),
            tool_use("t2", "Skill", skill="deploy"),
        ),
        result("t1", "Error: x", True, toolDenialKind="user-rejected"),
        result("t2", "Error: x", True, toolDenialKind="user-rejected"),
    )
    assert of_kind(intake, "git_commit") == []
    assert of_kind(intake, "skill") == []


def test_server_tools_and_skills_and_subagents():
    intake = read(
        assistant(
            "a",
            1,
            tool_use("t1", "mcp__Lab__echo"),
            tool_use("t2", "Skill", skill="deploy"),
            tool_use("t3", "Task"),
            tool_use("t4", "mcp__plugin_a_b__c"),
        ),
        result("t1", [{"type": "text"}]),
        result("t2", {"success": True}),
    )
    calls = {call.tool_call_id: call for call in of_kind(intake, "tool_call")}
    assert (calls["t1"].mcp_server, calls["t1"].mcp_tool) == ("lab", "echo")
    assert calls["t4"].mcp_server == "plugin_a_b"
    assert [calls[f"t{n}"].tool_kind for n in (1, 2, 3)] == ["mcp", "skill", "subagent"]
    assert [event.skill for event in of_kind(intake, "skill")] == ["deploy"]


def test_mode_of_the_session_is_on_its_events_and_told_when_it_changes():
    intake = read(
        {"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION},
        user("x", promptId="p1"),
        assistant("a", 1, tool_use("t1", "Read")),
        user("y", promptId="p2", permissionMode="acceptEdits"),
        assistant("b", 1, tool_use("t2", "Read")),
    )
    assert [event.autonomy for event in of_kind(intake, "mode_change")] == ["spec", "auto-low"]
    assert [event.autonomy for event in of_kind(intake, "tool_call")] == ["spec", "auto-low"]


def test_subagent_file_belongs_to_the_session_above_it():
    path = f"/p/{SESSION}/subagents/agent-a1b2.jsonl"
    intake = read(
        user("go", sessionId="other", isSidechain=True),
        assistant("a", 2, sessionId="other", isSidechain=True),
        path=path,
    )
    [call] = of_kind(intake, "model_call")
    assert (call.root_session_id, call.agent_id, call.is_subagent) == (SESSION, "a1b2", True)
    assert of_kind(intake, "user_message") == []


def test_sidechain_line_in_the_parents_file_is_a_subagents_call():
    [call] = of_kind(read(assistant("a", 2, isSidechain=True, agentId="x")), "model_call")
    assert (call.is_subagent, call.agent_id) == (True, "x")


def test_hooks_are_commands_by_their_programs_name_and_count_once():
    def attached(event, command):
        return {
            "type": "attachment",
            "timestamp": AT,
            "sessionId": SESSION,
            "attachment": {
                "type": "hook_success",
                "hookEvent": event,
                "hookName": f"{event}:Bash",
                "command": command,
                "toolUseID": "t1",
                "durationMs": 5,
            },
        }

    summary = {
        "type": "system",
        "subtype": "stop_hook_summary",
        "timestamp": AT,
        "sessionId": SESSION,
        "toolUseID": "t1",
        "hookInfos": [{"command": "/opt/notify secret"}],
    }
    intake = read(
        attached("PreToolUse", "/opt/check.sh secret"),
        attached("Stop", "/opt/notify secret"),
        summary,
    )
    hooks = of_kind(intake, "hook")
    assert [(hook.hook_event, hook.hook_matcher, hook.hook_command) for hook in hooks] == [
        ("PreToolUse", "Bash", "check.sh"),
        ("Stop", "Bash", "notify"),
    ]
    assert [hook.success for hook in hooks] == [True, True]


def test_link_to_a_pull_request_fills_the_address_of_the_one_made():
    link = {
        "type": "pr-link",
        "timestamp": AT,
        "sessionId": SESSION,
        "prUrl": "https://github.com/acme/calc/pull/7",
    }
    made = read(
        assistant("a", 1, tool_use("t1", "Bash", command="gh pr create --fill")),
        result("t1", {"stdout": "done"}),
        link,
    )
    [request] = of_kind(made, "git_pull_request")
    assert request.pr_url == "https://github.com/acme/calc/pull/7"
    assert of_kind(read(link), "git_pull_request") == []


def test_oldest_exports_have_no_type():
    intake = read(
        {
            "timestamp": "2026-02-03T08:00:00.000Z",
            "sessionId": "s",
            "requestId": "r",
            "version": "1.0.0",
            "costUSD": 0.03,
            "message": {
                "role": "assistant",
                "id": "m",
                "model": "claude-haiku-4-5-20251001",
                "usage": {
                    "input_tokens": 50,
                    "output_tokens": 25,
                    "cache_creation_input_tokens": 5,
                    "cache_read_input_tokens": 15,
                },
            },
        }
    )
    [call] = of_kind(intake, "model_call")
    assert (call.input_tokens, call.output_tokens) == (50, 25)
    assert (call.session_id, call.product_version) == ("s", "1.0.0")


def test_copied_lines_of_a_resumed_session_have_the_same_identities():
    lines = [user("x", uuid="u1"), assistant("a", 2, tool_use("t1", "Read"))]
    copied = [{**line, "sessionId": "second"} for line in lines]
    kinds = ("user_message", "model_call", "tool_call")
    ids = [
        {event.event_id for event in read(*some).events if event.kind in kinds}
        for some in (lines, copied)
    ]
    assert ids[0] == ids[1]


def test_impossible_tokens_reject_their_line_only():
    wrong = assistant("a", -5)
    intake = read(wrong, assistant("b", 2))
    assert (totals(intake), intake.drops["invalid"]) == ((1, 2), 1)


@pytest.mark.parametrize(
    "line", [b"{not json", b"[1, 2]", b'"text"', b"null", b"\xff\xfe", b"[" * 100_000, b"", b"  "]
)
def test_lines_that_are_no_records_stop_nothing(line):
    assert totals(read(line, assistant("a", 2))) == (1, 2)


@pytest.mark.parametrize(
    ("path", "head", "is_ours"),
    [
        ("/p/a.jsonl", b'{"type":"summary","leafUuid":"x"}\n', True),
        ("/p/a.jsonl", b'{"parentUuid":null,"isSidechain":false}\n', True),
        ("/p/a.jsonl", b'{"type":"session_meta","payload":{"id":"x"}}\n', False),
        ("/p/a.json", b'{"sessionId":"x"}', False),
        ("/p/a.jsonl", b"", False),
        ("/p/a.jsonl", b'{"hello":1}', False),
    ],
)
def test_which_files_are_session_files(path, head, is_ours):
    assert agent("claude-code").is_transcript(path, head) is is_ours


def test_usage_says_what_a_call_is_priced_by():
    line = assistant("a", 2)
    line["message"]["usage"] |= {
        "cache_creation_input_tokens": 900,
        "cache_creation": {"ephemeral_1h_input_tokens": 600, "ephemeral_5m_input_tokens": 300},
        "speed": "fast",
        "service_tier": "priority",
        "inference_geo": "us",
    }
    [call] = of_kind(read(line), "model_call")
    assert (call.cache_write_tokens, call.cache_write_1h_tokens) == (900, 600)
    assert (call.speed, call.service_tier, call.region) == ("fast", "priority", "us")


def test_ordinary_usage_names_no_speed_and_no_region():
    line = assistant("a", 2)
    line["message"]["usage"] |= {"speed": "standard", "inference_geo": "", "cache_creation": None}
    [call] = of_kind(read(line), "model_call")
    assert (call.speed, call.region, call.cache_write_1h_tokens) == (None, None, None)


def test_bedrock_model_id_names_its_region():
    line = assistant("a", 2)
    line["message"]["model"] = "jp.anthropic.claude-opus-5-5"
    [call] = of_kind(read(line), "model_call")
    assert (call.model, call.region) == ("claude-opus-5-5", "jp")


REQUEST = "req_011CVG7wsYBiuQpsxqKFHzdh"
OTHER_SESSION = "99999999-2222-4333-8444-555555555555"


def ids_of(intake):
    return {call.event_id for call in of_kind(intake, "model_call")}


def test_requests_that_a_gateway_counts_are_told_apart_by_their_answers():
    first = read(assistant("a", 2, requestId="req_001"), assistant("b", 3, requestId="req_001"))
    second = read(
        assistant("c", 5, requestId="req_001", sessionId=OTHER_SESSION),
        path=f"/p/{OTHER_SESSION}.jsonl",
    )
    assert totals(first) == (2, 5)
    assert len(ids_of(first) | ids_of(second)) == 3


@pytest.mark.parametrize("request_id", [REQUEST, "req_001", None])
def test_an_answer_that_a_resumed_session_repeats_is_one_call(request_id):
    first = read(assistant("a", 2, requestId=request_id))
    second = read(
        assistant("a", 2, requestId=request_id, sessionId=OTHER_SESSION),
        assistant("b", 2, requestId=None, sessionId=OTHER_SESSION),
        path=f"/p/{OTHER_SESSION}.jsonl",
    )
    assert len(ids_of(first) | ids_of(second)) == 2


def test_two_answers_under_one_id_of_something_larger_are_two_calls():
    lines = [assistant(answer, 2, requestId=REQUEST) for answer in ("a", "b", "a", "b")]
    assert totals(read(*lines)) == (2, 4)
    resumed = transcript_resumed(lines[:1], lines[1:])
    assert len(ids_of(resumed)) == 2


def transcript_resumed(first, second):
    """What a reader tells that stopped between two parts of a file and went on from its state."""
    intake = Intake()
    reader = agent("claude-code").transcript(f"/p/{SESSION}.jsonl")
    for part in (first, second):
        state = json.loads(json.dumps(reader.state()))
        reader = agent("claude-code").transcript(f"/p/{SESSION}.jsonl", state)
        for line in part:
            reader.feed(json.dumps(line).encode(), intake)
        reader.finish(intake)
    return intake


def progress(line, agent_id="a1"):
    """A line of the waiting session that repeats one of its subagent."""
    inner = {key: value for key, value in line.items() if key != "sessionId"}
    data = {"type": "agent_progress", "agentId": agent_id, "message": inner}
    return {"type": "progress", "sessionId": SESSION, "timestamp": AT, "data": data}


SUBAGENT = [
    assistant("s1", 2, tool_use("t1", "Read"), requestId=REQUEST),
    result("t1", {"type": "text"}),
    assistant("s1", 9, requestId=REQUEST),
    assistant("s2", 4, tool_use("t2", "Write"), requestId=None),
    result("t2", {"type": "create", "filePath": "/p/x.py", "content": "a\n"}),
]


def test_calls_known_only_from_progress_count_once():
    repeated = [progress(line) for line in SUBAGENT for _ in range(2)]
    intake = read(assistant("m", 1), *repeated, assistant("m", 3))
    assert totals(intake) == (3, 16)
    subagent = [call for call in of_kind(intake, "model_call") if call.is_subagent]
    assert {call.agent_id for call in subagent} == {"a1"}
    assert [call.tool_raw for call in of_kind(intake, "tool_call")] == ["Read", "Write"]
    assert len(of_kind(intake, "file_change")) == 1
    assert of_kind(intake, "user_message") == []


def test_progress_has_the_ids_of_the_subagents_own_file():
    lines = [line | {"isSidechain": True, "agentId": "a1"} for line in SUBAGENT]
    own = read(*lines, path=f"/p/{SESSION}/subagents/agent-a1.jsonl")
    repeated = read(*[progress(line) for line in SUBAGENT])
    assert {event.event_id for event in repeated.events} == {event.event_id for event in own.events}


@pytest.mark.parametrize("data", [None, {}, {"type": "agent_progress"}, {"message": 3}])
def test_progress_of_any_shape_is_read(data):
    line = {"type": "progress", "sessionId": SESSION, "timestamp": AT, "data": data}
    assert totals(read(line)) == (0, 0)


@pytest.mark.parametrize(
    ("effort", "tier"), [(None, None), ("none", "standard"), ("high", "thinking")]
)
def test_an_effort_that_is_not_reported_is_not_a_standard_one(effort, tier):
    [call] = of_kind(read(assistant("a", 2, effort=effort)), "model_call")
    assert call.model_tier == tier


def local_command(name, at):
    content = f"<command-name>/{name}</command-name>"
    return {
        "type": "system",
        "subtype": "local_command",
        "sessionId": SESSION,
        "timestamp": at,
        "content": content,
    }


@pytest.mark.parametrize(
    ("second", "count"),
    [
        (local_command("mcp", "2026-11-21T02:06:17.182Z"), 1),
        (local_command("cost", "2026-11-21T02:06:17.182Z"), 2),
        (local_command("mcp", "2026-11-21T02:09:17.182Z"), 2),
        (user("<command-name>/mcp</command-name>", timestamp="2026-11-21T02:06:17.182Z"), 2),
    ],
)
def test_a_command_and_what_it_printed_are_one(second, count):
    intake = read(user("<command-name>/mcp</command-name>"), second)
    assert len(of_kind(intake, "slash_command")) == count


def test_a_hook_of_the_program_itself_is_not_the_persons():
    hooks = [
        {"type": "hook_progress", "hookEvent": "PostToolUse", "command": command}
        for command in ("callback", "python3 check.py")
    ]
    lines = [
        {"type": "progress", "sessionId": SESSION, "timestamp": AT, "toolUseID": "t1", "data": hook}
        for hook in hooks
    ]
    [event] = of_kind(read(*lines), "hook")
    assert event.hook_event == "PostToolUse"
