"""Lines of a session file: whose they are, and which files are read."""

from __future__ import annotations

import pytest

from tests.agents.builders import (
    AT,
    SESSION,
    agent,
    assistant,
    of_kind,
    result,
    tool_use,
    user,
)
from tests.agents.claude_code.transcripts import read, totals


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
