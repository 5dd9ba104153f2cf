"""What a conversation is counted as: the same from the database, the files and our plugin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stationmaster.agents.interface import Intake
from stationmaster.agents.opencode.agent import AGENT
from stationmaster.events.model import Event
from tests.agents.builders import of_kind
from tests.support.talks import (
    AT_MS,
    SESSION,
    Talk,
    answer,
    call,
    forwarded,
    hooked,
    message_id,
    of_database,
    prompt,
    session,
    told,
    write_files,
)

SOURCES = ("database", "files", "plugin")
RUN = [
    {"permission": name, "pattern": "*", "action": "deny"}
    for name in ("question", "plan_enter", "plan_exit")
]


def heard(source: str, folder: Path, *messages: Any, **of_session: Any) -> Intake:
    """What one source tells of a session with these messages."""
    talk = Talk(session(**of_session), list(messages))
    if source == "database":
        return of_database(folder / "opencode.db", talk)
    if source == "files":
        return told(AGENT.transcript(str(write_files(folder / "storage", talk))))
    return hooked(forwarded(talk, of_session.get("parentID")))


def only(intake: Intake, kind: str) -> Event:
    [event] = of_kind(intake, kind)
    return event


every_source = pytest.mark.parametrize("source", SOURCES)


def test_every_source_tells_the_same_events(tmp_path):
    messages = [
        prompt("add a file"),
        answer(
            {"type": "step-start"},
            {"type": "text", "text": "yes"},
            call(
                "write",
                "c1",
                input={"filePath": f"{FILE}.py", "content": "a\nb\n"},
                metadata={"exists": False},
            ),
            call("bash", "c2", input={"command": "git commit -m x"}, metadata={"exit": 0}),
            call("skill", "c3", input={"name": "deploy"}),
            call("github_create_pull_request", "c4"),
            call("bash", "c5", status="error", error="Tool execution aborted"),
            {"type": "step-finish", "tokens": {"input": 10, "output": 20}},
        ),
    ]
    found = {}
    for source in SOURCES:
        events = heard(source, tmp_path, *messages).events
        found[source] = {
            (e.event_id, e.kind, e.ts, e.tool, e.success, e.input_tokens, e.file_op) for e in events
        }

    assert found["database"] == found["files"] == found["plugin"]
    assert sorted(kind for _, kind, *_ in found["plugin"]) == [
        "file_change",
        "git_commit",
        "git_pull_request",
        "model_call",
        "session_context",
        "skill",
        *["tool_call"] * 5,
        "user_message",
    ]


FILE = "/home/dev/project/a"


@every_source
def test_a_call_has_disjoint_tokens_and_reasoning_in_its_output(source, tmp_path):
    event = only(heard(source, tmp_path, answer()), "model_call")
    assert (event.input_tokens, event.output_tokens, event.reasoning_tokens) == (10, 23, 3)
    assert (event.cache_read_tokens, event.cache_write_tokens) == (40, 50)
    assert (event.model, event.provider, event.model_tier) == (
        "claude-sonnet-4-5",
        "anthropic",
        "thinking",
    )
    assert (event.cost_usd, event.cost_source) == (0.25, "vendor")
    assert (event.ts, event.ts_source) == (AT_MS + 2_000, "event")
    assert event.turn_id == message_id(AT_MS + 1_000)


@every_source
def test_a_cost_of_zero_is_no_cost(source, tmp_path):
    event = only(heard(source, tmp_path, answer(cost=0)), "model_call")
    assert (event.cost_usd, event.cost_source) == (None, None)


@every_source
@pytest.mark.parametrize(
    ("variant", "reasoning", "tier"),
    [
        ("high", 0, "thinking"),
        ("default", 0, "standard"),
        (None, 0, "standard"),
        ("none", 0, "standard"),
        (None, 1, "thinking"),
    ],
)
def test_a_call_with_an_effort_or_with_reasoning_is_thinking(
    source, variant, reasoning, tier, tmp_path
):
    tokens = {"input": 1, "output": 1, "reasoning": reasoning}
    event = only(heard(source, tmp_path, answer(tokens=tokens, variant=variant)), "model_call")
    assert event.model_tier == tier


@every_source
def test_an_answer_without_figures_is_no_call(source, tmp_path):
    nothing = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    failed = answer(tokens=nothing, error={"name": "APIError", "data": {"message": "no"}})
    assert of_kind(heard(source, tmp_path, failed), "model_call") == []


@every_source
@pytest.mark.parametrize("tokens", [{"input": -1}, {"output": 2**63}, {"input": "x"}])
def test_an_answer_with_impossible_figures_is_rejected_and_its_tool_calls_are_not(
    source, tokens, tmp_path
):
    if source == "plugin":
        return
    intake = heard(source, tmp_path, answer(call("read"), tokens=tokens))
    assert [event.kind for event in intake.events] == ["session_context", "tool_call"]
    assert len(intake.invalid) == 1


@every_source
@pytest.mark.parametrize("marks", [{"summary": True}, {"agent": "compaction", "mode": "x"}])
def test_the_summary_of_a_compaction_is_the_programs_own_work(source, marks, tmp_path):
    assert only(heard(source, tmp_path, answer(**marks)), "model_call").is_auxiliary


@every_source
@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"type": "text", "text": "Continue if you have next steps", "synthetic": True}],
        [{"type": "text", "text": "a plugin's note", "ignored": True}],
        [{"type": "text", "text": ""}],
        [{"type": "compaction", "auto": True}],
        [{"type": "file", "url": "file:///x", "mime": "text/plain"}],
    ],
)
def test_a_message_that_nobody_wrote_is_none(source, parts, tmp_path):
    assert of_kind(heard(source, tmp_path, prompt(parts=parts)), "user_message") == []


@every_source
def test_a_message_has_the_length_of_what_was_typed(source, tmp_path):
    parts = [
        {"type": "text", "text": "12345"},
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "text", "text": "678"},
    ]
    event = only(heard(source, tmp_path, prompt(parts=parts)), "user_message")
    assert (event.prompt_length, event.ts) == (8, AT_MS + 1_000)
    assert event.turn_id == message_id(AT_MS + 1_000)


@every_source
def test_a_commands_subtask_is_a_message_and_a_command(source, tmp_path):
    parts = [{"type": "subtask", "agent": "general", "command": "/review", "prompt": "p"}]
    intake = heard(source, tmp_path, prompt(parts=parts))
    assert only(intake, "user_message").prompt_length is None
    assert only(intake, "slash_command").slash_command == "review"


@every_source
def test_what_happens_in_a_subagents_session_belongs_to_the_session_above(source, tmp_path):
    messages = [prompt("do this"), answer(call("grep"), agent="explore", mode="explore")]
    intake = heard(source, tmp_path, *messages, parentID="ses_parent")
    assert of_kind(intake, "user_message") == []
    for event in intake.events:
        assert (event.session_id, event.root_session_id) == (SESSION, "ses_parent")
        assert event.is_subagent
    assert only(intake, "model_call").agent_type == "explore"


@pytest.mark.parametrize("source", ["database", "files"])
def test_the_history_that_a_fork_copies_counts_where_it_happened(source, tmp_path):
    later = AT_MS + 3_600_000
    copied = [prompt("old", id=message_id(later)), answer(call("read"), id=message_id(later, 2))]
    intake = heard(source, tmp_path, *copied, prompt("new", after=3_700_000), created=later)
    assert sorted(event.kind for event in intake.events) == ["session_context", "user_message"]


@every_source
def test_planning_is_a_level_of_its_own(source, tmp_path):
    intake = heard(source, tmp_path, answer(call("read"), agent="plan", mode="plan"))
    event = only(intake, "model_call")
    assert (event.autonomy, event.autonomy_raw) == ("spec", "plan")
    if source != "plugin":
        assert only(intake, "tool_call").autonomy == "spec"
    built = only(heard(source, tmp_path / "b", answer()), "model_call")
    assert (built.autonomy, built.autonomy_raw) == (None, None)


@every_source
def test_a_session_tells_its_version_its_folder_and_a_run_without_a_terminal(source, tmp_path):
    event = only(heard(source, tmp_path, prompt(), permission=RUN), "session_context")
    assert (event.product_version, event.client, event.surface) == (
        "1.18.33",
        "non-interactive-cli",
        "cli",
    )
    assert event.cwd_hash is not None
    assert event.ts == AT_MS
    other = only(heard(source, tmp_path / "b", prompt(), permission=RUN[:1]), "session_context")
    assert other.client is None


@every_source
def test_a_call_that_was_only_asked_for_is_none_and_one_that_runs_is_open(source, tmp_path):
    parts = [call("read", "c1", status="pending"), call("read", "c2", status="running")]
    found = of_kind(heard(source, tmp_path, answer(*parts)), "tool_call")
    expected = [] if source == "plugin" else [("c2", None)]
    assert [(event.tool_call_id, event.success) for event in found] == expected


@every_source
def test_records_of_unknown_kinds_pass(source, tmp_path):
    odd = answer({"type": "hologram", "text": "x"}, {"type": "tool"}, {"type": "tool", "state": 5})
    intake = heard(source, tmp_path, odd)
    assert sorted(event.kind for event in intake.events) == ["model_call", "session_context"]
    assert intake.invalid == []


@pytest.mark.parametrize(
    ("version", "total", "output"),
    [
        ("1.1.16", None, 20),
        ("1.3.9", None, 20),
        ("1.4.0", None, 23),
        ("1.18.33", None, 23),
        ("next", None, 23),
        # The total tells, whatever version began the session.
        ("1.18.33", 120, 20),
        ("1.1.16", 123, 23),
        ("1.18.33", 7, 23),
        ("1.1.16", "x", 20),
    ],
)
def test_reasoning_is_added_only_where_the_output_does_not_have_it(
    version, total, output, tmp_path
):
    tokens = {"input": 10, "output": 20, "reasoning": 3, "cache": {"read": 40, "write": 50}}
    talk = Talk(session(version=version), [answer(tokens=tokens | {"total": total})])
    event = only(told(AGENT.transcript(str(write_files(tmp_path, talk)))), "model_call")
    assert (event.output_tokens, event.reasoning_tokens) == (output, 3)
