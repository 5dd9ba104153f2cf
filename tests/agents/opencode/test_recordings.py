"""What truly happened in every recorded session comes out of every source that tells it."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake
from stationmaster.agents.opencode.agent import AGENT
from stationmaster.events.model import Event
from tests.agents import otlp_reader
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.support.recordings import bodies, expected, transcript_files
from tests.support.talks import Talk, forwarded, hooked, told

SESSIONS = [pytest.param(session, id=session["run"]) for session in expected("opencode")]


def exported(*signals: str) -> list[Event]:
    intake = otlp_reader.read(bodies("opencode", signals=signals))
    assert intake.invalid == []
    return intake.events


def stored() -> list[Event]:
    [path] = transcript_files("opencode")
    assert recognition.find_transcript(str(path), path.read_bytes()[:65_536]) is AGENT
    intake: Intake = told(AGENT.transcript(str(path)))
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return intake.events


def stored_truth(session: dict[str, Any]) -> dict[str, Any]:
    """All but what may be done unasked, which lies in a configuration that no source carries."""
    return {**truth(session, AUTONOMY["opencode", session["run"]]), "autonomy": []}


@pytest.mark.parametrize("session", SESSIONS)
def test_the_database_alone_tells_all_of_the_session_but_its_level(session):
    assert facts(counted(stored(), session["session_id"])) == stored_truth(session)


def forwarded_of(session: dict[str, Any]) -> list[dict[str, Any]]:
    """What our plugin would have forwarded of a recorded session, with what was configured."""
    [path] = transcript_files("opencode")
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    of_session = (session["session_id"],)
    select = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created"
    messages = [
        (
            {"id": identity, **json.loads(data)},
            [
                {"id": part, **json.loads(content)}
                for part, content in database.execute(
                    "SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (identity,)
                )
            ],
        )
        for identity, data in database.execute(select, of_session)
    ]
    select = "SELECT permission, time_created FROM session WHERE id = ?"
    [(rules, created)] = database.execute(select, of_session)
    info = {"id": session["session_id"], "permission": json.loads(rules)}
    events = forwarded(Talk({**info, "time": {"created": created}}, messages))
    return [{**event, "permission": CONFIGURED[session["approval_mode"]]} for event in events]


CONFIGURED = {
    "permission allow": "allow",
    "edit+bash allow": {"edit": "allow", "bash": "allow"},
    "edit+bash deny": {"edit": "deny", "bash": "deny"},
}


@pytest.mark.parametrize("session", SESSIONS)
def test_what_our_plugin_forwards_alone_tells_all_of_the_session(session):
    events = counted(hooked(forwarded_of(session)).events, session["session_id"])
    assert facts(events) == truth(session, AUTONOMY["opencode", session["run"]])


@pytest.mark.parametrize("session", SESSIONS)
def test_everything_together_counts_once(session):
    everything = exported("logs", "traces") + stored() + hooked(forwarded_of(session)).events
    assert facts(counted(everything, session["session_id"])) == truth(
        session, AUTONOMY["opencode", session["run"]]
    )


@pytest.mark.parametrize("session", SESSIONS)
def test_all_signals_and_the_database_together_count_once(session):
    everything = exported("logs", "traces") + stored()
    assert facts(counted(everything, session["session_id"])) == stored_truth(session)


def test_the_logs_are_the_programs_own_and_tell_nothing_of_a_session():
    assert exported("logs") == []


@pytest.mark.parametrize(
    ("run", "figures"),
    [
        ("basic", {"input": 4356, "output": 339, "cache_read": 4329, "assistant_messages": 3}),
        ("mcp", {"input": 4072, "output": 217, "cache_read": 4751, "assistant_messages": 3}),
        ("short", {"input": 3546, "output": 114, "cache_read": 1601, "assistant_messages": 2}),
        ("denied", {"input": 3626, "output": 114, "cache_read": 1801, "assistant_messages": 2}),
    ],
)
def test_spans_alone_lack_the_last_calls_of_each_process_and_what_a_person_did(run, figures):
    session = next(s for s in expected("opencode") if s["run"] == run)
    true = stored_truth(session)
    lacking = {**figures, "user_messages": 0, "clients": []}
    # The title's call is in no other source.
    lacking["input"] += session["side_call_tokens"]["input"]
    lacking["output"] += session["side_call_tokens"]["output"]
    if run == "basic":
        # The process ended before the span of its last tool call was sent.
        assert true["tools"].pop("bash") == true["commits"] == 1
        lacking["commits"] = 0

    assert facts(counted(exported("traces"), session["session_id"])) == {**true, **lacking}


def test_the_calls_that_write_titles_are_the_programs_own():
    titles = [e for e in exported("traces") if e.kind == "model_call" and e.is_auxiliary]
    assert [(e.input_tokens, e.output_tokens, e.model) for e in titles] == [
        (40, 6, "stub-small")
    ] * 4


def test_spans_and_the_database_know_the_same_tool_calls():
    by_id = {event.event_id: event for event in stored()}
    spans = [event for event in exported("traces") if event.kind != "model_call"]
    assert len(spans) == 16
    for event in spans:
        known = by_id[event.event_id]
        for field in ("kind", "tool", "tool_raw", "mcp_server", "mcp_tool", "decision", "file_op"):
            assert getattr(event, field) == getattr(known, field)
        for field in ("file_path_hash", "lines_added", "lines_removed", "commit_sha", "language"):
            assert getattr(event, field) == getattr(known, field)


@pytest.mark.parametrize("source", [stored, lambda: exported("traces")])
def test_created_and_changed_lines_agree_with_git(source):
    session = next(s for s in expected("opencode") if s["run"] == "basic")
    changes = [
        (e.file_op, e.file_ext, e.language, e.lines_added, e.lines_removed)
        for e in source()
        if e.kind == "file_change" and e.session_id == session["session_id"]
    ]
    assert changes == [("created", "py", "Python", 9, 0), ("edited", "py", "Python", 2, 2)]


@pytest.mark.parametrize("source", [stored, lambda: exported("traces")])
def test_a_refused_call_is_a_rejected_call_of_the_tool_that_was_wanted(source):
    session = next(s for s in expected("opencode") if s["run"] == "denied")
    refused = [
        (e.tool_raw, e.success, e.decision_source)
        for e in source()
        if e.decision == "reject" and e.session_id == session["session_id"]
    ]
    assert refused == [("write", False, "auto")]


def test_every_commit_of_the_database_has_the_id_git_gave_it():
    made = [e.commit_sha for e in stored() if e.kind == "git_commit"]
    true = [c["sha"] for s in expected("opencode") for c in s["git_commits"]]
    assert sorted(made) == sorted(sha[:7] for sha in true)


def test_exported_records_name_their_person_and_version():
    senders = {(e.user_email, e.team, e.product_version) for e in exported("logs", "traces")}
    assert senders == {("dev@example.com", "platform", "1.18.33")}
