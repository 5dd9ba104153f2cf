"""What the invented sessions say comes out of every source that tells it, and once."""

from __future__ import annotations

import random

import pytest

from tests.agents import filed, otlp_reader
from tests.agents.counting import AUTONOMY, counted, facts, truth
from tests.support.recordings import bodies, expected

SESSIONS = [pytest.param(session, id=session["run"]) for session in expected("droid")]
NO_TOKENS = {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0}


def true(session):
    """What is so, but for who sits before a terminal, which no source says."""
    found = truth(session, AUTONOMY["droid", session["run"]])
    is_headless = found["clients"] == ["non-interactive-cli"]
    return {**found, "clients": found["clients"] if is_headless else []}


def journal(session):
    return filed.of_files("droid", filed.files("droid", f"{session['session_id']}.jsonl"))


def journals_of_people(session):
    paths = filed.files("droid", f"{session['session_id']}.jsonl")
    return filed.of_files("droid", [path for path in paths if "sessions" in path.parts])


def settings(session):
    paths = filed.files("droid", f"{session['session_id']}.settings.json")
    return filed.of_files("droid", paths)


def hooks(session):
    return filed.of_hooks("droid", session["run"])


def metrics(session):
    return otlp_reader.read(bodies("droid", session["run"])).events


def told(events, session):
    return facts(counted(events, session["session_id"]))


@pytest.mark.parametrize("session", SESSIONS)
def test_session_file_and_settings_tell_the_session(session):
    assert told(journals_of_people(session) + settings(session), session) == true(session)


@pytest.mark.parametrize("session", SESSIONS)
def test_session_file_alone_tells_all_but_the_tokens(session):
    assert told(journals_of_people(session), session) == {**true(session), **NO_TOKENS}


@pytest.mark.parametrize("session", SESSIONS)
def test_settings_alone_tell_tokens_and_autonomy(session):
    found, so = told(settings(session), session), true(session)
    for fact in (*NO_TOKENS, "autonomy", "clients"):
        assert found[fact] == so[fact]
    assert (found["tools"], found["user_messages"], found["assistant_messages"]) == ({}, 0, 0)


@pytest.mark.parametrize("session", SESSIONS)
def test_hooks_alone_tell_neither_tokens_nor_answers_nor_failed_calls(session):
    failed = {call["runs_as"] for call in session["tool_calls"] if call["outcome"] == "failed"}
    so = {**true(session), **NO_TOKENS, "assistant_messages": 0, "clients": []}
    so["tools"] = {
        tool: count - (tool in failed)
        for tool, count in so["tools"].items()
        if count > (tool in failed)
    }
    assert told(hooks(session), session) == so


@pytest.mark.parametrize("session", SESSIONS)
def test_metrics_alone_tell_tools_commits_and_how_many_files(session):
    found, so = told(metrics(session), session), true(session)
    assert found["tools"] == so["tools"]
    assert found["commits"] == so["commits"]
    # Created and edited files are one counter.
    assert found["files"] == ({"edited": sum(so["files"].values())} if so["files"] else {})
    for fact in ("user_messages", "assistant_messages", "output"):
        assert found[fact] == 0
    assert (found["autonomy"], found["clients"]) == ([], [])


def test_stream_alone_tells_all_but_the_level_and_answers_without_a_text():
    session = next(session for session in expected("droid") if session["run"] == "short")
    paths = [path for path in filed.files("droid", "*.jsonl") if "projects" in path.parts]
    so = {**true(session), "autonomy": [], "assistant_messages": 1}
    assert told(filed.of_files("droid", paths), session) == so


@pytest.mark.parametrize("session", SESSIONS)
def test_all_sources_together_count_once_in_any_order_and_twice(session):
    events = [*journal(session), *settings(session), *hooks(session), *metrics(session)] * 2
    random.Random(7).shuffle(events)
    assert told(events, session) == true(session)


def test_skills_and_hooks_are_told_by_the_session_file_and_by_metrics():
    session = next(session for session in expected("droid") if session["run"] == "mcp")
    for events in (journal(session), metrics(session)):
        skills = {e.skill: e.count for e in events if e.kind == "skill"}
        ran = {e.hook_event: e.count for e in events if e.kind == "hook"}
        assert (skills, ran) == (session["skills"], session["hooks"])
    [hook] = [e for e in journal(session) if e.kind == "hook"]
    assert (hook.hook_matcher, hook.hook_command, hook.hook_outcome) == (
        "Create",
        "format.sh",
        "success",
    )


@pytest.mark.parametrize("session", SESSIONS)
def test_created_and_changed_lines_agree_with_the_files(session):
    in_files = sorted(
        (file["what"], file["lines_added"], file["lines_removed"]) for file in session["files"]
    )
    for events in (journals_of_people(session), hooks(session)):
        changes = [e for e in events if e.kind == "file_change"]
        assert in_files == sorted((e.file_op, e.lines_added, e.lines_removed) for e in changes)


@pytest.mark.parametrize("session", SESSIONS)
def test_every_commit_has_the_id_git_gave_it(session):
    shas = [commit["sha"][:7] for commit in session["git_commits"]]
    for events in (journals_of_people(session), hooks(session)):
        assert [e.commit_sha for e in events if e.kind == "git_commit"] == shas


def test_refused_edit_is_a_rejected_call_and_changes_nothing():
    session = next(session for session in expected("droid") if session["run"] == "denied")
    events = journal(session)
    assert [e.decision for e in events if e.tool_raw == "Edit"] == ["reject"]
    assert [e for e in events if e.kind == "file_change"] == []
