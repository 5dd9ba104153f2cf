"""No text of a conversation reaches an event, a drop, a refusal or a state, from any source."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from stationmaster.agents.interface import Intake, InvalidRecord, Span
from stationmaster.agents.opencode.agent import AGENT
from tests.agents.builders import AT_MS, log, resource, span
from tests.agents.otlp_reader import Noted
from tests.support.talks import (
    Database,
    Talk,
    answer,
    call,
    forwarded,
    hooked,
    prompt,
    session,
    told,
    write_files,
)

MARK = "Xq7Secret"
TEXT = f"words {MARK} words"
PATH = f"/home/{MARK}/{MARK}.py"
COMMAND = f"A={MARK} git commit -m '{MARK}' && gh pr create --title {MARK}; echo {MARK}"
OUTPUT = f"[main 34c4d56] {TEXT}\nhttps://github.com/a/b/pull/1\n{TEXT}"


def marked_calls() -> list[dict[str, Any]]:
    """Calls of every kind with the mark wherever content may be; names and ids have none."""
    given = {
        "filePath": PATH,
        "content": TEXT,
        "oldString": TEXT,
        "newString": TEXT,
        "command": COMMAND,
        "description": TEXT,
        "prompt": TEXT,
        "patchText": f"*** Begin Patch\n*** Add File: {PATH}\n+{TEXT}\n*** End Patch",
        "text": TEXT,
        "url": TEXT,
    }
    patched = [{"filePath": PATH, "movePath": PATH, "type": "move", "patch": TEXT}]
    metadata = {
        "diff": TEXT,
        "filepath": PATH,
        "preview": TEXT,
        "output": TEXT,
        "exit": 0,
        "filediff": {"file": PATH, "patch": TEXT, "additions": 1, "deletions": 1},
        "results": [{"diff": TEXT}],
        "files": patched,
    }
    tools = ("read", "write", "edit", "multiedit", "patch", "apply_patch", "bash", "task")
    state = {"input": given, "output": OUTPUT, "metadata": metadata, "title": TEXT}
    calls = [call(tool, f"c{n}", **state) for n, tool in enumerate((*tools, "lab_echo"))]
    calls.append(call("skill", "c20", **{**state, "input": {**given, "name": "deploy"}}))
    calls.append(call("invalid", "c21", **{**state, "input": {"tool": "write", "error": TEXT}}))
    calls.append(call("write", "c22", input=given))
    calls.append(call("patch", "c23", input=given))
    refused = f"The user rejected permission to use this specific tool call: {MARK}"
    calls.append(call("bash", "c24", status="error", error=refused, input=given))
    calls.append(call("read", "c25", status="error", error=TEXT, input=given))
    return [{**one, "metadata": {"note": TEXT}, "unheardOf": {MARK: TEXT}} for one in calls]


def marked_talk() -> Talk:
    texts = [
        {"type": "text", "text": TEXT, "metadata": {"note": TEXT}},
        {"type": "file", "filename": PATH, "url": f"file://{PATH}", "source": {"text": TEXT}},
        {"type": "subtask", "command": "review", "prompt": TEXT, "description": TEXT},
        {"type": "agent", "name": TEXT, "source": {"value": TEXT}},
    ]
    others = [
        {"type": "text", "text": TEXT},
        {"type": "reasoning", "text": TEXT},
        {"type": "patch", "hash": TEXT, "files": [PATH]},
        {"type": "retry", "error": {"message": TEXT}},
        {"type": "snapshot", "snapshot": TEXT},
    ]
    summary = {"title": TEXT, "body": TEXT, "diffs": [{"file": PATH, "patch": TEXT}]}
    folder = {"cwd": f"/home/{MARK}", "root": f"/home/{MARK}"}
    failed = {"name": "APIError", "data": {"message": TEXT, "responseBody": TEXT}}
    return Talk(
        session(directory=f"/home/{MARK}", title=TEXT, slug=TEXT, share={"url": TEXT}),
        [
            prompt(parts=texts, summary=summary, system=TEXT, unheardOf=TEXT),
            answer(*marked_calls(), *others, path=folder),
            answer(after=3_000, path=folder, error=failed, tokens={"input": MARK}),
            answer(after=4_000, path=folder, time={"created": 4, "completed": MARK}),
        ],
    )


def nothing_of_it(intake: Intake, *more: Any) -> None:
    told_of = msgspec.json.encode([intake.events, intake.drops, intake.invalid, *more])
    assert MARK.lower() not in told_of.decode().lower()


KINDS = {
    *("user_message", "model_call", "tool_call", "slash_command", "skill", "file_change"),
    *("git_commit", "git_pull_request", "session_context"),
}


def test_nothing_of_the_database_is_told_but_counts_and_names(tmp_path):
    database = Database(tmp_path / "opencode.db")
    database.write(marked_talk())
    document = AGENT.transcript(str(database.path))
    intake = told(document)
    assert {event.kind for event in intake.events} == KINDS
    nothing_of_it(intake, document.state(), document.stamp())


def test_nothing_of_the_files_is_told_but_counts_and_names(tmp_path):
    document = AGENT.transcript(str(write_files(tmp_path, marked_talk())))
    intake = told(document)
    assert {event.kind for event in intake.events} == KINDS
    nothing_of_it(intake, document.state(), document.stamp())


def test_nothing_of_what_the_plugin_forwards_is_told_but_counts_and_names():
    talk = marked_talk()
    del talk.messages[2]
    command = {"type": "command.executed", "name": "init", "arguments": TEXT, "sessionID": "s"}
    permission = {"edit": {PATH: "allow"}, "bash": {COMMAND: "ask", "*": MARK}}
    prompts = [{**e, "permission": permission} for e in forwarded(talk)]
    intake = hooked([*prompts, command, {"type": MARK, "text": TEXT}])
    assert {event.kind for event in intake.events} == KINDS | {"mode_change"}
    nothing_of_it(intake)
    with pytest.raises(InvalidRecord) as raised:
        hooked([{"type": "message.updated", "info": marked_talk().messages[2][0]}])
    assert MARK not in str(raised.value)


def test_nothing_of_a_plugins_records_is_told_but_counts_and_names():
    intake = Intake()
    for name, given in {
        "user_prompt": {"prompt": TEXT, "prompt_length": 5, "agent": "build"},
        "api_request": {"input_tokens": 5, "error": TEXT, "model": "m"},
        "tool_result": {"tool_name": "bash", "error": TEXT, "tool_args": TEXT},
        "tool_decision": {"tool_name": f"Edit {PATH}", "source": "once"},
        "skill_invoked": {"skill_name": "deploy", "description": TEXT},
        "session.created": {"session.title": TEXT},
        TEXT: {"text": TEXT},
    }.items():
        record = log(name, AT_MS, **{"session.id": "s", **given})
        AGENT.log(resource("opencode"), record, intake)
    assert len(intake.events) == 5
    nothing_of_it(intake)


def test_nothing_of_the_spans_is_told_but_counts_and_names():
    intake = Intake()
    for number, one in enumerate(marked_calls()):
        state = one["state"]
        given = {
            "ai.toolCall.name": one["tool"],
            "ai.toolCall.id": f"c{number}",
            "ai.toolCall.args": json.dumps(state["input"]),
            "ai.toolCall.result": json.dumps(state),
            "session.id": "s",
        }
        AGENT.span(resource("opencode"), span("ai.toolCall", **given), intake)
    streamed = {"ai.usage.outputTokens": 5, "ai.prompt.messages": TEXT, "ai.response.text": TEXT}
    AGENT.span(resource("opencode"), span("ai.streamText.doStream", **streamed), intake)
    AGENT.span(resource("opencode"), span("sql.execute", **{"db.query.text": TEXT}), intake)
    assert {"tool_call", "file_change", "git_commit", "skill", "model_call"} <= {
        event.kind for event in intake.events
    }
    nothing_of_it(intake)


def test_of_a_model_call_no_attribute_is_read_that_holds_content(monkeypatch):
    monkeypatch.setattr(Noted, "asked", set())
    content = ("ai.prompt", "ai.prompt.messages", "ai.prompt.tools", "ai.response.text")
    attributes = Noted({"session.id": "s", "ai.usage.outputTokens": 5})
    called = Span("ai.streamText.doStream", 0, 1, attributes, "t", "s", False)
    AGENT.span(resource("opencode"), called, Intake())
    assert "ai.usage.inputTokens" in attributes.asked
    assert not attributes.asked & {*content, "ai.response.toolCalls", "gen_ai.tool.definitions"}
    assert not AGENT.span.knows("sql.execute")
    assert not AGENT.span.knows(TEXT)
