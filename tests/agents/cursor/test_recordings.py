"""What the invented sessions say comes out of every source that tells it, and once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.agents import filed
from tests.agents.counting import counted, facts, truth
from tests.support.recordings import expected

SESSIONS = [pytest.param(session, id=session["run"]) for session in expected("cursor")]
BY_RUN = {session["run"]: session for session in expected("cursor")}
NO_TOKENS = {"input_not_cached": 0, "output_with_reasoning": 0, "cache_read": 0, "cache_write": 0}


def true(session):
    """What is so, but for what no source says: tokens, a level other than planning, and whether a
    file was there before it was edited."""
    found = truth({**session, "tokens": NO_TOKENS}, "spec")
    is_planning = session["run"] == "denied"
    changed = sum(found["files"].values())
    return {
        **found,
        "files": {"edited": changed} if changed else {},
        "autonomy": ["spec"] if is_planning else [],
    }


def transcripts(session):
    paths = filed.files("cursor", "*.jsonl")
    return filed.of_files("cursor", [path for path in paths if session["session_id"] in path.parts])


def hooks(session):
    return filed.of_hooks("cursor", session["run"])


def store(session):
    paths = filed.files("cursor", "store.db")
    return filed.of_files("cursor", [path for path in paths if session["session_id"] in path.parts])


def told(events, session):
    return facts(counted(events, session["session_id"]))


def calls_of_people(session):
    """The calls, without those of an agent's own agents: `Grep` in these sessions."""
    return {tool: n for tool, n in true(session)["tools"].items() if tool != "Grep"}


def test_hooks_alone_tell_a_session_of_a_build_that_has_them_all():
    session = BY_RUN["basic"]
    assert told(hooks(session), session) == true(session)


def test_hooks_of_single_tools_alone_tell_a_session_of_an_older_build():
    session = BY_RUN["mcp"]
    # No hook of such a build says whether the agent runs in the vendor's cloud.
    assert told(hooks(session), session) == {**true(session), "clients": []}


def test_hooks_miss_answers_without_a_text_and_the_calls_of_an_agents_own_agents():
    session = BY_RUN["denied"]
    so = {**true(session), "tools": calls_of_people(session), "assistant_messages": 2}
    assert told(hooks(session), session) == so


@pytest.mark.parametrize("session", SESSIONS)
def test_transcript_alone_tells_calls_messages_and_commits(session):
    found, so = told(transcripts(session), session), true(session)
    # That a call was refused is not in it, nor who sits before the screen, nor the mode.
    refused = {"Shell": 1} if session["run"] == "denied" else {}
    assert found == {**so, "tools": {**so["tools"], **refused}, "clients": [], "autonomy": []}


def test_store_alone_tells_that_the_session_began_and_its_model():
    [event] = store(BY_RUN["basic"])
    assert (event.kind, event.model, event.session_id) == (
        "session_start",
        BY_RUN["basic"]["model"],
        BY_RUN["basic"]["session_id"],
    )


@pytest.mark.parametrize("run", ["basic", "mcp"])
def test_all_sources_together_count_once_in_any_order_and_twice(run):
    session = BY_RUN[run]
    events = [*hooks(session), *transcripts(session), *store(session)] * 2
    random.Random(7).shuffle(events)
    clients = {"clients": true(session)["clients"] if run == "basic" else []}
    assert told(events, session) == {**true(session), **clients}


def test_commands_are_counted_from_the_tools_or_from_the_commands_and_never_both():
    session = BY_RUN["basic"]
    events = hooks(session)
    told_twice = [e.source for e in events if e.kind == "tool_call" and e.tool == "shell"]
    assert sorted(told_twice) == ["hook", "hook_special"]
    ran = [e for e in counted(events) if e.kind == "tool_call" and e.tool == "shell"]
    assert [e.source for e in ran] == ["hook"]
    commits = {e.event_id: e.commit_sha for e in events if e.kind == "git_commit"}
    assert list(commits.values()) == [session["git_commits"][0]["sha"][:7]]


def test_changed_lines_of_edits_agree_with_the_files():
    for run in ("basic", "mcp"):
        session = BY_RUN[run]
        so = sorted((file["lines_added"], file["lines_removed"]) for file in session["files"])
        for events in (hooks(session), transcripts(session)):
            changes = [e for e in events if e.kind == "file_change"]
            assert so == sorted((e.lines_added, e.lines_removed) for e in changes)


def test_calls_of_an_agents_own_agent_are_part_of_the_session():
    session = BY_RUN["denied"]
    [call] = [e for e in transcripts(session) if e.tool_raw == "Grep"]
    assert (call.is_subagent, call.root_session_id) == (True, session["session_id"])


def test_hooks_name_their_person_and_version():
    events = [event for session in expected("cursor") for event in hooks(session)]
    assert {(e.user_email, e.product_version) for e in events} == {("dev@example.com", "2.4.21")}


def test_recorded_store_is_read_and_nothing_is_put_beside_it():
    [path] = filed.files("cursor", "store.db")
    before = sorted(Path(path.parent).iterdir()), path.read_bytes()
    filed.of_file("cursor", path)
    assert before == (sorted(Path(path.parent).iterdir()), path.read_bytes())
