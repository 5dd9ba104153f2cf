"""What truly happened in every recorded session comes out of every source that tells it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake
from stationmaster.events.model import Event
from tests.agents import otlp_reader
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.support.recordings import bodies, expected, hooks, transcript_files

AGENTS = ("claude-code", "codex", "gemini-cli", "qwen-code")
SESSIONS = [
    pytest.param(agent, session, id=f"{agent}-{session['run']}")
    for agent in AGENTS
    for session in expected(agent)
]
HOOKED_SESSIONS = [
    pytest.param(agent, session, id=f"{agent}-{session['run']}")
    for agent in ("gemini-cli", "qwen-code")
    for session in expected(agent)
]
EXPORTS_SIDE_CALLS = frozenset({"gemini-cli", "qwen-code"})
"""The agents that export their own model calls as part of the person's session."""
NOT_IN_SESSION_FILES: dict[str, dict[str, Any]] = {
    # Neither who sits before it nor what it may do unasked is in a chat file.
    "gemini-cli": {"clients": [], "autonomy": []},
    # A change of the mode would be.
    "qwen-code": {"clients": [], "autonomy": []},
}


def exported(agent: str, *signals: str) -> list[Event]:
    events: list[Event] = []
    # A delivery is of one signal.
    for signal in signals:
        intake = otlp_reader.read(bodies(agent, signals=(signal,)))
        assert intake.invalid == []
        events += intake.events
    return events


def transcribed(agent: str) -> list[Event]:
    known = recognition.by_product(agent)
    assert known is not None
    events: list[Event] = []
    for path in transcript_files(agent):
        assert recognition.find_transcript(str(path), path.read_bytes()[:65_536]) is known
        intake = Intake()
        reader = known.transcript(str(path))
        for line in otlp_reader.lines_of(path):
            reader.feed(line, intake)
        reader.finish(intake)
        assert intake.invalid == []
        assert "unknown_record" not in intake.drops
        events += intake.events
    return events


def hooked(agent: str) -> list[Event]:
    known = recognition.by_product(agent)
    assert known is not None
    intake = Intake()
    for given in hooks(agent):
        known.hook(None, given, otlp_reader.RECEIVED_MS, intake)
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return intake.events


def not_in_gemini_hooks(session: dict[str, Any]) -> dict[str, Any]:
    """A hook does not say how much of the input was cached, nor the approval mode; and whether a
    person sits there only where it asks them."""
    is_asked = session["run"] == "ask"
    return {
        "input": session["tokens"]["input_with_cache"],
        "cache_read": 0,
        "autonomy": [],
        "clients": ["terminal-ui"] if is_asked else [],
    }


def not_in_qwen_hooks(session: dict[str, Any]) -> dict[str, Any]:
    """No hook of a model call has figures of it."""
    is_asked = session["run"] == "ask"
    return {
        **dict.fromkeys(("input", "output", "cache_read", "assistant_messages"), 0),
        "clients": ["terminal-ui"] if is_asked else [],
    }


NOT_IN_HOOKS = {"gemini-cli": not_in_gemini_hooks, "qwen-code": not_in_qwen_hooks}


def exported_truth(agent: str, session: dict[str, Any]) -> dict[str, Any]:
    return truth(session, AUTONOMY[agent, session["run"]], agent in EXPORTS_SIDE_CALLS)


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_exported_logs_alone_tell_the_session(agent, session):
    events = counted(exported(agent, "logs"), session["session_id"])
    assert facts(events) == exported_truth(agent, session)


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_session_file_alone_tells_the_session(agent, session):
    events = counted(transcribed(agent), session["session_id"])
    true = truth(session, AUTONOMY[agent, session["run"]])
    assert facts(events) == {**true, **NOT_IN_SESSION_FILES.get(agent, {})}


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_all_signals_and_the_session_file_together_count_once(agent, session):
    everything = exported(agent, "logs", "metrics", "traces") + transcribed(agent)
    if (agent, session) in [tuple(known.values) for known in HOOKED_SESSIONS]:
        everything += hooked(agent)
    events = counted(everything, session["session_id"])
    assert facts(events) == exported_truth(agent, session)


@pytest.mark.parametrize(("agent", "session"), HOOKED_SESSIONS)
def test_hooks_alone_tell_the_session_but_for_what_they_do_not_say(agent, session):
    events = counted(hooked(agent), session["session_id"])
    true = truth(session, AUTONOMY[agent, session["run"]])
    assert facts(events) == {**true, **NOT_IN_HOOKS[agent](session)}


@pytest.mark.parametrize("agent", AGENTS)
def test_metrics_alone_tell_the_tokens_of_all_sessions(agent):
    totals = facts(counted(exported(agent, "metrics")))
    sessions = expected(agent)
    tokens = [session["tokens"] for session in sessions]
    side = [session["side_call_tokens"] for session in sessions]
    assert totals["input"] == sum(t["input_not_cached"] for t in tokens) + sum(
        s["input"] for s in side
    )
    assert totals["output"] == sum(t["output_with_reasoning"] for t in tokens) + sum(
        s["output"] for s in side
    )
    assert totals["cache_read"] == sum(t["cache_read"] for t in tokens)
    assert totals["cache_write"] == sum(t["cache_write"] or 0 for t in tokens)


def test_claude_metrics_alone_tell_the_commits():
    assert facts(counted(exported("claude-code", "metrics")))["commits"] == 3


def test_codex_metrics_alone_tell_the_tools_without_the_script_around_them():
    tools = facts(counted(exported("codex", "metrics")))["tools"]
    # One of the patches was refused, which a counter cannot tell.
    assert tools == {"exec_command": 7, "apply_patch": 6, "mcp__lab__lab_echo": 1}


def test_gemini_metrics_alone_tell_tools_and_written_files_of_a_session():
    for session in expected("gemini-cli"):
        told = facts(counted(exported("gemini-cli", "metrics"), session["session_id"]))
        # Replacing text in a file counts none.
        written = {kind: n for kind, n in told["files"].items() if kind == "created"}
        assert told["tools"] == truth(session, "manual")["tools"]
        assert told["files"] == written
        assert sum(written.values()) == sum(f["what"] == "created" for f in session["files"])


def test_gemini_spans_alone_tell_the_tools_of_a_session_and_guess_its_tokens():
    session = next(s for s in expected("gemini-cli") if s["run"] == "mcp")
    events = counted(exported("gemini-cli", "traces"), session["session_id"])
    told, true = facts(events), truth(session, "auto-high")
    assert told["tools"] == true["tools"]
    assert told["input"] == session["tokens"]["input_with_cache"]
    flags = {event.quality for event in events if event.kind == "model_call"}
    assert flags == {"estimated,output_lower_bound"}


def test_gemini_spans_and_chat_file_know_the_same_calls():
    spanned = {e.event_id for e in exported("gemini-cli", "traces") if e.kind == "tool_call"}
    # Calls of tools that the mode does not offer have no span.
    written = {
        e.event_id
        for e in transcribed("gemini-cli")
        if e.kind == "tool_call" and e.decision != "reject"
    }
    assert spanned == written


def test_gemini_summary_of_another_session_is_auxiliary():
    calls = [e for e in exported("gemini-cli", "logs") if e.is_auxiliary]
    assert [(e.kind, e.model, e.input_tokens) for e in calls] == [
        ("model_call", "gemini-3.5-flash-lite", 40)
    ]


@pytest.mark.parametrize("agent", ["gemini-cli", "qwen-code"])
def test_quit_is_a_command_and_no_message(agent):
    events = exported(agent, "logs")
    commands = [e.slash_command for e in events if e.kind == "slash_command"]
    assert commands == ["quit"]


def test_qwen_metrics_alone_tell_tools_and_files_of_all_sessions():
    told = facts(counted(exported("qwen-code", "metrics")))
    sessions = expected("qwen-code")
    ran = sum((Counter(truth(session, "manual")["tools"]) for session in sessions), Counter())
    changed = Counter(file["what"] for session in sessions for file in session["files"])
    assert told["tools"] == ran
    assert told["files"] == changed


def test_qwen_spans_alone_tell_the_session_but_for_files_and_commits():
    for session in expected("qwen-code"):
        told = facts(counted(exported("qwen-code", "traces"), session["session_id"]))
        true = exported_truth("qwen-code", session)
        assert told == {**true, "files": {}, "commits": 0, "clients": []}


def test_qwen_exports_hooks_and_chat_file_know_the_same_calls():
    sources = (exported("qwen-code", "logs"), exported("qwen-code", "traces"))
    told = [
        {e.event_id for e in events if e.kind == "tool_call" and e.decision != "reject"}
        for events in (*sources, hooked("qwen-code"), transcribed("qwen-code"))
    ]
    assert told == [told[0]] * 4 != [set()] * 4
    calls = [
        {e.event_id for e in events if e.kind == "model_call" and not e.is_auxiliary}
        for events in (*sources, transcribed("qwen-code"))
    ]
    assert calls == [calls[0]] * 3 != [set()] * 3


def test_qwen_suggestion_is_auxiliary():
    calls = [e for e in exported("qwen-code", "logs") if e.is_auxiliary]
    assert [(e.kind, e.turn_id, e.input_tokens) for e in calls] == [
        ("model_call", "forked_query", 40)
    ]


def test_qwen_chat_file_names_the_branch():
    contexts = [e for e in transcribed("qwen-code") if e.kind == "session_context"]
    assert {(e.branch, e.product_version) for e in contexts} == {("main", "0.24.4")}


def test_claude_spans_alone_tell_tokens_and_tools_of_a_session():
    session = next(s for s in expected("claude-code") if s["run"] == "ask")
    told = facts(counted(exported("claude-code", "traces"), session["session_id"]))
    true = truth(session, "manual")
    for fact in ("input", "output", "cache_read", "cache_write", "tools", "user_messages"):
        assert told[fact] == true[fact]


def test_codex_spans_alone_tell_the_tokens_of_a_session():
    session = next(s for s in expected("codex") if s["run"] == "mcp")
    told = facts(counted(exported("codex", "traces"), session["session_id"]))
    true = truth(session, "auto-high")
    for fact in ("input", "output", "cache_read", "cache_write"):
        assert told[fact] == true[fact]


def test_codex_title_conversation_is_auxiliary_and_its_message_does_not_count():
    events = counted(exported("codex", "logs"))
    helpers = {e.root_session_id for e in events if e.kind == "session_context" and e.is_auxiliary}
    assert helpers == {"01a1fbdd-a337-7092-8efc-2b1b7abf3e79"}
    calls = [e for e in events if e.kind == "model_call" and e.root_session_id in helpers]
    assert [(e.input_tokens, e.output_tokens) for e in calls] == [(40, 6)]


def test_claude_resumed_process_creates_no_session_of_its_own():
    fresh = "e8c06947-63da-4c2e-98f1-4134685d0826"
    kinds = {e.kind for e in exported("claude-code", "logs", "metrics") if e.session_id == fresh}
    # Its first hooks have the id of the session that it resumes.
    assert kinds == set()


def test_claude_quit_is_a_command_and_no_message():
    events = exported("claude-code", "logs")
    commands = [(e.slash_command, e.command_source) for e in events if e.kind == "slash_command"]
    assert commands == [("quit", "builtin")]


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code"])
def test_created_and_changed_lines_of_session_files_agree_with_git(agent):
    session = next(s for s in expected(agent) if s["run"] == "basic")
    changes = [
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in transcribed(agent)
        if e.kind == "file_change" and e.session_id == session["session_id"]
    ]
    assert changes == [("created", "py", "Python", 9, 0), ("edited", "py", "Python", 2, 2)]


def test_created_and_changed_lines_of_codex_patches_agree_with_git():
    session = next(s for s in expected("codex") if s["run"] == "basic")
    for events in (exported("codex", "logs"), transcribed("codex")):
        changes = [
            (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
            for e in events
            if e.kind == "file_change" and e.session_id == session["session_id"]
        ]
        assert changes == [("created", "py", "Python", 9, 0), ("edited", "py", "Python", 2, 2)]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_commit_of_a_session_file_has_the_id_git_gave_it(agent):
    made = [e.commit_sha for e in transcribed(agent) if e.kind == "git_commit"]
    true = [c["sha"] for s in expected(agent) for c in s["git_commits"]]
    assert sorted(made) == sorted(sha[:7] for sha in true)


def test_codex_session_file_names_repository_and_branch():
    contexts = [e for e in transcribed("codex") if e.kind == "session_context"]
    assert {(e.repo, e.branch) for e in contexts} == {("git.example.com/acme/calc", "main")}


@pytest.mark.parametrize("agent", AGENTS)
def test_exported_records_name_their_person_and_version(agent):
    # What Gemini CLI exports as its version is that of its runtime.
    versions = {"claude-code": "2.1.329", "codex": "0.169.0", "gemini-cli": None}
    versions["qwen-code"] = "0.24.4"
    events = exported(agent, "logs", "metrics", "traces")
    senders = {(e.user_email, e.team, e.product_version) for e in events}
    assert senders == {("dev@example.com", "platform", versions[agent])}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("cut", range(0, 80, 3))
def test_reading_resumed_after_any_line_gives_the_same_events(agent, cut):
    known = recognition.by_product(agent)
    assert known is not None
    for path in transcript_files(agent):
        lines = list(otlp_reader.lines_of(path))
        whole, halves = Intake(), Intake()
        reader = known.transcript(str(path))
        reader.feed_lines(b"\n".join(lines) + b"\n", whole)
        reader.finish(whole)
        first = known.transcript(str(path))
        for line in lines[:cut]:
            first.feed(line, halves)
        first.finish(halves)
        second = known.transcript(str(path), first.state())
        for line in lines[cut:]:
            second.feed(line, halves)
        second.finish(halves)
        by_id = {event.event_id: event for event in halves.events}
        assert by_id == {event.event_id: event for event in whole.events}
