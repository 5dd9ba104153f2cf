"""What truly happened in the recorded sessions comes out of every source of Copilot's."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake
from stationmaster.events.model import Event
from tests.agents import otlp_reader
from tests.agents.builders import agent
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.support import marking
from tests.support.hooks import named_hooks
from tests.support.recordings import Body, bodies, expected, transcript_files

AGENT = "copilot-cli"
SESSIONS = [pytest.param(session, id=session["run"]) for session in expected(AGENT)]
TOLD_LEVELS = {"ask": ["manual"]}
"""Only a session in which a person was asked says anywhere how much it may do."""


def exported(*signals: str) -> list[Event]:
    intake = otlp_reader.read(bodies(AGENT, signals=signals))
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return intake.events


def transcribed() -> list[Event]:
    events: list[Event] = []
    for path in transcript_files(AGENT):
        assert recognition.find_transcript(str(path), path.read_bytes()[:65_536]) is agent(AGENT)
        intake = read(str(path), path.read_bytes())
        assert intake.invalid == []
        assert "unknown_record" not in intake.drops
        events += intake.events
    return events


def read(path: str, data: bytes) -> Intake:
    intake = Intake()
    reader = agent(AGENT).transcript(path)
    reader.feed_lines(data, intake)
    reader.finish(intake)
    return intake


def hooked() -> list[Event]:
    intake = Intake()
    for event, given in named_hooks(AGENT):
        agent(AGENT).hook(event, given, otlp_reader.RECEIVED_MS, intake)
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return intake.events


def true(session: dict[str, Any], **unknown: Any) -> dict[str, Any]:
    """What happened, with the level as far as it is told, and with what else a source lacks."""
    told = truth(session, AUTONOMY[AGENT, session["run"]])
    return told | {"autonomy": TOLD_LEVELS.get(session["run"], [])} | unknown


@pytest.mark.parametrize("session", SESSIONS)
def test_session_file_alone_tells_the_session(session):
    assert facts(counted(transcribed(), session["session_id"])) == true(session)


@pytest.mark.parametrize("session", SESSIONS)
def test_spans_alone_tell_the_session_but_its_level_and_the_client_of_a_headless_run(session):
    clients = ["terminal-ui"] if session["run"] == "ask" else []
    told = facts(counted(exported("traces"), session["session_id"]))
    assert told == true(session, autonomy=[], clients=clients)


@pytest.mark.parametrize("session", SESSIONS)
def test_hooks_alone_tell_the_session_but_its_level_and_its_model_calls(session):
    figures = ("input", "output", "cache_read", "cache_write", "assistant_messages")
    told = facts(counted(hooked(), session["session_id"]))
    assert told == true(session, autonomy=[], **dict.fromkeys(figures, 0))


@pytest.mark.parametrize("session", SESSIONS)
def test_all_sources_together_count_once(session):
    everything = exported("traces", "metrics") + transcribed() + hooked()
    assert facts(counted(everything, session["session_id"])) == true(session)


@pytest.mark.parametrize("session", SESSIONS)
def test_sources_in_any_order_count_once(session):
    everything = hooked() + transcribed() + exported("metrics", "traces")
    assert facts(counted(everything[::-1], session["session_id"])) == true(session)


def test_metrics_alone_tell_the_tokens_of_all_sessions():
    totals = facts(counted(exported("metrics")))
    for fact in ("input", "output", "cache_read", "cache_write"):
        assert totals[fact] == sum(true(session)[fact] for session in expected(AGENT))


def test_metrics_alone_tell_the_tools_with_the_one_that_was_refused():
    tools = facts(counted(exported("metrics")))["tools"]
    assert tools == {"view": 2, "create": 5, "edit": 1, "bash": 5, "lab-lab_echo": 1}


def test_metrics_that_are_told_again_count_once():
    once, twice = Intake(), Intake()
    for intake, times in ((once, 1), (twice, 2)):
        for _ in range(times):
            for event in exported("metrics"):
                intake.add(event)
    assert twice.events == once.events


def test_spans_without_content_tell_that_a_file_was_created_but_not_which(monkeypatch):
    monkeypatch.setattr(otlp_reader, "Noted", without_content)
    session = next(s for s in expected(AGENT) if s["run"] == "basic")
    events = counted(exported("traces"), session["session_id"])
    changes = {
        (e.file_op, e.file_path_hash, e.lines_added) for e in events if e.kind == "file_change"
    }
    assert changes == {("created", None, None), ("edited", None, None)}
    assert facts(events)["commits"] == 0


def without_content(attributes):
    content = ("gen_ai.tool.call.", "github.copilot.tool.parameters.")
    return {
        key: value
        for key, value in attributes.items()
        if not key.startswith(content) or key == "gen_ai.tool.call.id"
    }


@pytest.mark.parametrize("session", SESSIONS)
def test_spans_without_content_join_the_session_file(session, monkeypatch):
    monkeypatch.setattr(otlp_reader, "Noted", without_content)
    everything = exported("traces") + transcribed()
    assert facts(counted(everything, session["session_id"])) == true(session)


@pytest.mark.parametrize("source", [transcribed, lambda: exported("traces"), hooked])
def test_created_and_changed_lines_agree_with_git(source):
    session = next(s for s in expected(AGENT) if s["run"] == "basic")
    changes = {
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in source()
        if e.kind == "file_change" and e.session_id == session["session_id"]
    }
    assert changes == {("created", "py", "Python", 9, 0), ("edited", "py", "Python", 2, 2)}


@pytest.mark.parametrize("source", [transcribed, lambda: exported("traces"), hooked])
def test_every_commit_has_the_id_git_gave_it(source):
    made = [e.commit_sha for e in source() if e.kind == "git_commit"]
    shas = [c["sha"] for s in expected(AGENT) for c in s["git_commits"]]
    assert sorted(made) == sorted(sha[:7] for sha in shas)


def test_failing_command_has_failed_in_every_source():
    for source in (transcribed, lambda: exported("traces"), hooked):
        shells = [e for e in source() if e.kind == "tool_call" and e.tool == "shell"]
        assert sum(e.success is False for e in shells) == 1


def test_server_and_tool_are_known_from_every_source():
    for source in (transcribed, lambda: exported("traces"), hooked):
        [call] = [e for e in source() if e.tool_kind == "mcp"]
        named = (call.tool_raw, call.tool, call.mcp_server, call.mcp_tool)
        assert named == ("lab-lab_echo", "mcp__lab__lab_echo", "lab", "lab_echo")


def test_session_file_says_who_approved_and_who_was_refused():
    decided = {
        (e.tool_raw, e.decision, e.decision_source)
        for e in transcribed()
        if e.kind == "tool_call" and e.decision is not None
    }
    assert decided == {
        ("create", "accept", "user"),
        ("bash", "accept", "user"),
        ("create", "reject", None),
    }


def test_session_file_names_version_and_branch():
    contexts = [e for e in transcribed() if e.kind == "session_context"]
    assert {(e.product_version, e.branch) for e in contexts} == {("1.0.102", "main")}
    assert len(contexts) == 6


def test_exported_records_name_their_person_and_version():
    senders = {(e.user_email, e.team, e.product_version) for e in exported("traces", "metrics")}
    assert senders == {("dev@example.com", "platform", "1.0.102")}


def test_hooks_that_ran_are_counted_by_the_session_file_under_their_shared_names():
    names = {e.hook_event for e in transcribed() if e.kind == "hook"}
    assert names == {
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
        *("Notification", "Stop", "SessionEnd", "errorOccurred"),
    }


@pytest.mark.parametrize("cut", range(0, 90, 4))
def test_reading_resumed_after_any_line_gives_the_same_events(cut):
    for path in transcript_files(AGENT):
        lines = path.read_bytes().splitlines()
        halves = Intake()
        first = agent(AGENT).transcript(str(path))
        first.feed_lines(b"\n".join(lines[:cut]), halves)
        first.finish(halves)
        second = agent(AGENT).transcript(str(path), first.state())
        second.feed_lines(b"\n".join(lines[cut:]), halves)
        second.finish(halves)
        whole = read(str(path), path.read_bytes())
        told = {event.event_id: event for event in halves.events}
        for event in whole.events:
            # A call that waited for its outcome was told without it, and is told again.
            resumed = told.pop(event.event_id)
            for field in ("kind", "input_tokens", "output_tokens", "tool_raw", "file_op"):
                assert getattr(resumed, field) == getattr(event, field)
        assert told == {}


def test_no_content_of_any_source_reaches_an_event_or_the_state():
    events: list[Event] = []
    for path in transcript_files(AGENT):
        intake = Intake()
        reader = agent(AGENT).transcript(f"/home/{marking.MARK}/{path.parent.name}/events.jsonl")
        for line in marking.transcript(path.read_bytes()).splitlines():
            reader.feed(line, intake)
            assert marking.MARK not in str(reader.state())
        reader.finish(intake)
        events += intake.events
    for body in bodies(AGENT):
        data, content_type = marking.body(body)
        marked = Body(body.run, body.signal, content_type, "", data)
        events += otlp_reader.read([marked]).events
    intake = Intake()
    for event, given in named_hooks(AGENT):
        agent(AGENT).hook(event, marking.members(given), otlp_reader.RECEIVED_MS, intake)
    events += intake.events
    assert {"model_call", "tool_call", "file_change", "git_commit", "hook", "session_end"} <= {
        event.kind for event in events
    }
    assert marking.MARK.lower() not in msgspec.json.encode(events).decode().lower()
