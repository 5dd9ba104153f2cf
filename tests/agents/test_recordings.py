"""What truly happened in every recorded session comes out of every source that tells it."""

from __future__ import annotations

import pytest

from stationmaster.agents import registry
from stationmaster.agents.dialect import Intake
from stationmaster.events.model import Event
from tests.agents import otlp_reader
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.support.recordings import bodies, expected, transcript_files

SESSIONS = [
    pytest.param(agent, session, id=f"{agent}-{session['run']}")
    for agent in ("claude-code", "codex")
    for session in expected(agent)
]


def exported(agent: str, *signals: str) -> list[Event]:
    intake = otlp_reader.read(bodies(agent, signals=signals))
    assert intake.invalid == []
    return intake.events


def transcribed(agent: str) -> list[Event]:
    known = registry.by_product(agent)
    assert known is not None
    events: list[Event] = []
    for path in transcript_files(agent):
        assert registry.find_transcript(str(path), path.read_bytes()[:65_536]) is known
        intake = Intake()
        reader = known.transcript(str(path))
        for line in otlp_reader.lines_of(path):
            reader.feed(line, intake)
        reader.finish(intake)
        assert intake.invalid == []
        assert "unknown_record" not in intake.drops
        events += intake.events
    return events


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_exported_logs_alone_tell_the_session(agent, session):
    events = counted(exported(agent, "logs"), session["session_id"])
    assert facts(events) == truth(session, AUTONOMY[agent, session["run"]])


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_session_file_alone_tells_the_session(agent, session):
    events = counted(transcribed(agent), session["session_id"])
    assert facts(events) == truth(session, AUTONOMY[agent, session["run"]])


@pytest.mark.parametrize(("agent", "session"), SESSIONS)
def test_all_signals_and_the_session_file_together_count_once(agent, session):
    everything = exported(agent, "logs", "metrics", "traces") + transcribed(agent)
    events = counted(everything, session["session_id"])
    assert facts(events) == truth(session, AUTONOMY[agent, session["run"]])


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
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
    assert totals["cache_write"] == sum(t["cache_write"] for t in tokens)


def test_claude_metrics_alone_tell_the_commits():
    assert facts(counted(exported("claude-code", "metrics")))["commits"] == 3


def test_codex_metrics_alone_tell_the_tools_without_the_script_around_them():
    tools = facts(counted(exported("codex", "metrics")))["tools"]
    # One of the patches was refused, which a counter cannot tell.
    assert tools == {"exec_command": 7, "apply_patch": 6, "mcp__lab__lab_echo": 1}


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
    assert kinds == {"hook"}


def test_claude_quit_is_a_command_and_no_message():
    events = exported("claude-code", "logs")
    commands = [(e.slash_command, e.command_source) for e in events if e.kind == "slash_command"]
    assert commands == [("quit", "builtin")]


def test_created_and_changed_lines_of_claude_session_files_agree_with_git():
    session = next(s for s in expected("claude-code") if s["run"] == "basic")
    changes = [
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in transcribed("claude-code")
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


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_every_commit_of_a_session_file_has_the_id_git_gave_it(agent):
    made = [e.commit_sha for e in transcribed(agent) if e.kind == "git_commit"]
    true = [c["sha"] for s in expected(agent) for c in s["git_commits"]]
    assert sorted(made) == sorted(sha[:7] for sha in true)


def test_codex_session_file_names_repository_and_branch():
    contexts = [e for e in transcribed("codex") if e.kind == "session_context"]
    assert {(e.repo, e.branch) for e in contexts} == {("git.example.com/acme/calc", "main")}


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_exported_records_name_their_person_and_version(agent):
    versions = {"claude-code": "2.1.329", "codex": "0.169.0"}
    for event in exported(agent, "logs", "metrics", "traces"):
        assert (event.user_email, event.team) == ("dev@example.com", "platform")
        assert event.product_version == versions[agent]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize("cut", range(0, 80, 3))
def test_reading_resumed_after_any_line_gives_the_same_events(agent, cut):
    known = registry.by_product(agent)
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
