"""Calls of tools in session files: what they changed, and how they ended."""

from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import (
    agent,
    of_kind,
    rollout,
)
from tests.agents.codex.rollouts import HISTORY, call, item, meta, output, read


def patch_call(call_id, text):
    return rollout(
        "response_item", type_="custom_tool_call", call_id=call_id, name="apply_patch", input=text
    )


def test_item_settles_the_call_it_belongs_to():
    intake = read(
        meta(),
        call("c1", "shell"),
        item(
            type="CommandExecution",
            id="c1",
            command=["bash", "-lc", "git commit -m x"],
            exit_code=0,
            status="completed",
            aggregated_output="[main cb55855] x\n",
            duration={"secs": 1, "nanos": 5_000_000},
        ),
        output("c1", "Process exited with code 0"),
    )
    [ran] = of_kind(intake, "tool_call")
    assert (ran.tool_raw, ran.tool, ran.success, ran.duration_ms) == ("shell", "shell", True, 1005)
    assert [event.commit_sha for event in of_kind(intake, "git_commit")] == ["cb55855"]


def test_older_events_settle_calls():
    lines = [
        call("c1", "shell", json.dumps({"command": ["bash", "-lc", "false"]})),
        rollout("event_msg", type_="exec_command_end", call_id="c1", exit_code=1),
        call("c2", "apply_patch"),
        rollout(
            "event_msg",
            type_="patch_apply_end",
            call_id="c2",
            success=True,
            changes={
                "/p/a.py": {"type": "add", "content": "1\n2"},
                "/p/b.py": {"type": "update", "unified_diff": "--- a\n+++ b\n-x\n+y\n+z"},
                "/p/c.py": {"type": "delete", "content": "1\n"},
            },
        ),
        rollout(
            "event_msg",
            type_="mcp_tool_call_end",
            call_id="c3",
            invocation={"server": "lab", "tool": "echo"},
            result={"Err": "no"},
        ),
    ]
    intake = read(meta(), *lines)
    assert [(e.tool_raw, e.success) for e in of_kind(intake, "tool_call")] == [
        ("shell", False),
        ("apply_patch", True),
        ("mcp__lab__echo", False),
    ]
    assert [
        (e.file_op, e.lines_added, e.lines_removed) for e in of_kind(intake, "file_change")
    ] == [("created", 2, 0), ("edited", 2, 1), ("deleted", 0, 1)]


PATCH = "*** Begin Patch\n*** Add File: notes.txt\n+one line\n*** End Patch\n"


def test_refused_patch_is_known_from_its_output_alone():
    refused = "patch rejected: writing is blocked by read-only sandbox"
    intake = read(meta(), patch_call("c1", PATCH), output("c1", refused, "custom_tool_call_output"))
    [ran] = of_kind(intake, "tool_call")
    assert (ran.decision, of_kind(intake, "file_change")) == ("reject", [])


def test_patch_without_an_item_counts_by_its_text():
    done = json.dumps({"output": "Success.", "metadata": {"exit_code": 0}})
    intake = read(meta(), patch_call("c1", PATCH), output("c1", done, "custom_tool_call_output"))
    assert [event.file_ext for event in of_kind(intake, "file_change")] == ["txt"]


def test_declined_item_is_a_rejected_call():
    intake = read(meta(), item(type="CommandExecution", id="c1", status="declined"))
    [refused] = of_kind(intake, "tool_call")
    assert refused.decision == "reject"


def test_script_around_calls_is_no_call():
    script = rollout(
        "response_item",
        type_="custom_tool_call",
        call_id="c1",
        name="exec",
        input="await tools.x()",
    )
    inner = item(type="McpToolCall", id="exec-1", server="lab", tool="echo", status="completed")
    intake = read(meta(), script, inner, output("c1", "Script completed"))
    assert [event.tool_raw for event in of_kind(intake, "tool_call")] == ["mcp__lab__echo"]


def test_web_search_is_a_call_of_its_own():
    line = rollout("response_item", type_="web_search_call", id="w1", status="completed")
    assert [event.tool for event in of_kind(read(meta(), line), "tool_call")] == ["web_search"]


def test_call_without_an_outcome_is_told_at_the_end():
    [ran] = of_kind(read(meta(), call("c1")), "tool_call")
    assert ran.success is None


@pytest.mark.parametrize("cut", range(6))
def test_reading_resumed_between_call_and_outcome_gives_the_same_events(cut):
    lines = [
        json.dumps(line).encode()
        for line in (
            meta(),
            call("c1", "shell", '{"cmd": "git commit -m x"}'),
            *HISTORY,
            output("c1", "Exit code: 0"),
        )
    ]
    whole, halves = Intake(), Intake()
    reader = agent("codex").transcript("/p/rollout.jsonl")
    reader.feed_lines(b"\n".join(lines), whole)
    reader.finish(whole)
    first = agent("codex").transcript("/p/rollout.jsonl")
    for line in lines[:cut]:
        first.feed(line, halves)
    first.finish(halves)
    state = json.loads(json.dumps(first.state()))
    second = agent("codex").transcript("/p/rollout.jsonl", state)
    for line in lines[cut:]:
        second.feed(line, halves)
    second.finish(halves)
    assert {e.event_id: e for e in halves.events} == {e.event_id: e for e in whole.events}


@pytest.mark.parametrize(
    ("arguments", "decision"),
    [
        ({"cmd": "ls", "sandbox_permissions": "require_escalated"}, "reject"),
        ({"command": ["ls"], "with_escalated_permissions": True}, "reject"),
        ({"cmd": "ls"}, None),
    ],
)
def test_a_call_that_was_broken_off_while_it_waited_for_leave_was_refused(arguments, decision):
    intake = read(
        rollout(
            "response_item",
            type_="function_call",
            name="exec_command",
            call_id="c1",
            arguments=json.dumps(arguments),
        ),
        rollout(
            "response_item",
            type_="function_call_output",
            call_id="c1",
            output="aborted by user after 4.1s",
        ),
    )
    [call] = of_kind(intake, "tool_call")
    assert (call.success, call.decision) == (False, decision)
