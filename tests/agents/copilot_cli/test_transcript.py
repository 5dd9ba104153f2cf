"""Lines of a session file: whose session, which mode, which repository, and what is refused."""

from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent, of_kind
from tests.agents.copilot_cli.transcripts import (
    PATH,
    figures,
    line,
    message,
    person,
    read,
    shutdown,
    start,
    tool_end,
    tool_start,
)
from tests.support import fixtures


@pytest.mark.parametrize(
    ("said", "is_persons"),
    [
        (person(), True),
        (person(source="user"), True),
        (person(source="skill-pdf"), False),
        (person(source="agent-x"), False),
        (person(is_autopilot_continuation=True), False),
        (person("<system_notification>done</system_notification>"), False),
        (line("user.message", agent_id="a1", content="do this part"), False),
    ],
)
def test_message_is_a_persons_or_it_is_none(said, is_persons):
    assert len(of_kind(read(start(), said), "user_message")) == is_persons


def test_messages_of_one_interaction_are_as_many_as_were_written():
    intake = read(
        start(),
        person("one", "u1", interaction_id="i1"),
        person("and also", "u2", interaction_id="i1", delivery="steering"),
        person("two", "u3", interaction_id="i2"),
    )
    messages = of_kind(intake, "user_message")
    assert [(e.turn_id, e.prompt_length) for e in messages] == [("i1", 3), ("i1", 8), ("i2", 3)]
    assert len({e.event_id for e in messages}) == 3


@pytest.mark.parametrize(
    ("changes", "levels"),
    [
        ([{"new_mode": "plan"}], ["spec"]),
        ([{"new_mode": "plan"}, {"new_mode": "interactive"}], ["spec", "manual"]),
        ([{"mode": "allow-all"}], ["auto-high"]),
        ([{"mode": "assisted"}], ["auto-medium"]),
        ([{"mode": "manual"}, {"new_mode": "autopilot"}], ["manual", "auto-low"]),
        ([{"allow_all_permissions": True}], ["auto-high"]),
        ([{"allow_all_permissions": False, "allow_all_permission_mode": "auto"}], ["auto-medium"]),
        ([{"allow_all_permission_mode": "on"}, {"new_mode": "plan"}], ["auto-high", "spec"]),
        ([{"new_mode": "autopilot"}], []),
        ([{"mode": "new"}], []),
    ],
)
def test_mode_and_permissions_together_are_a_level(changes, levels):
    kinds = {True: "session.mode_changed", False: "session.permissions_changed"}
    lines = [
        line(kinds["new_mode" in change], identity=f"change {number}", **change)
        for number, change in enumerate(changes)
    ]
    told = of_kind(read(start(), *lines), "mode_change")
    assert [event.autonomy for event in told] == levels


def test_mode_of_a_message_counts_unless_it_is_what_headless_runs_say():
    assert of_kind(read(start(), person(agent_mode="interactive")), "mode_change") == []
    [change] = of_kind(read(start(), person(agent_mode="plan")), "mode_change")
    assert change.autonomy == "spec"


def test_level_and_client_end_with_the_process():
    asked = line("permission.requested", agent_mode="interactive", permission_mode="manual")
    intake = read(
        start(),
        tool_start("a"),
        asked,
        tool_end("a"),
        line("session.resume", identity="r"),
        tool_start("b"),
        tool_end("b"),
    )
    told = {e.tool_call_id: (e.autonomy, e.client) for e in of_kind(intake, "tool_call")}
    assert told == {"a": ("manual", "terminal-ui"), "b": (None, None)}


@pytest.mark.parametrize(
    ("context", "repo"),
    [
        ({"repository": "acme/Calc", "repository_host": "github.com"}, "github.com/acme/calc"),
        ({"repository": "acme/calc", "repository_host": "x.ghe.com"}, "x.ghe.com/acme/calc"),
        ({"repository": "acme/calc", "host_type": "github"}, "github.com/acme/calc"),
        ({"repository": "o/p/calc", "host_type": "ado"}, "dev.azure.com/o/p/calc"),
        ({"repository": "acme/calc"}, None),
        ({}, None),
    ],
)
def test_repository_is_that_of_the_host(context, repo):
    [told] = of_kind(
        read(start(context={"cwd": "/x", "branch": "main", **context})), "session_context"
    )
    assert (told.repo, told.branch) == (repo, "main")


def test_change_of_folder_is_told_once_git_has_answered():
    changed = {"cwd": "/y", "branch": "next", "repository": "a/b", "host_type": "github"}
    intake = read(
        start(),
        line("session.context_changed", identity="1", cwd="/y", pending_git_context=True),
        line("session.context_changed", identity="2", **changed),
    )
    told = [(e.branch, e.repo) for e in of_kind(intake, "session_context")]
    assert told == [(None, None), ("next", "github.com/a/b")]


def test_session_that_the_program_began_for_itself_is_auxiliary():
    begun = start()
    begun["data"]["detachedFromSpawningParentSessionId"] = "parent"
    [context] = read(begun).events
    assert context.is_auxiliary


@pytest.mark.parametrize(
    ("path", "session"),
    [
        (f"/h/.copilot/session-state/{SESSION}/events.jsonl", SESSION),
        (f"/h/.copilot/session-state/{SESSION}.jsonl", SESSION),
        ("C:\\h\\session-state\\s1\\events.jsonl", "s1"),
    ],
)
def test_session_of_a_file_without_a_start_is_that_of_its_place(path, session):
    [told] = read(person(), path=path).events
    assert told.session_id == session


def test_session_without_a_person_at_its_end_was_headless():
    for reason, client in (
        ("complete", "non-interactive-cli"),
        ("user_exit", "terminal-ui"),
        ("abort", None),
    ):
        end = line("hook.start", hook_type="sessionEnd", input={"reason": reason})
        [told] = of_kind(read(start(), end, line("session.shutdown")), "session_end")
        assert told.client == client


def test_lines_of_other_types_pass_and_are_counted():
    intake = read(start(), line("session.new"), line("new.kind"), {"a": 1}, b"", b"[]")
    assert intake.drops == {"not_counted": 1, "unknown_record": 3}


def test_lines_that_are_no_json_are_refused_and_the_rest_is_read():
    intake = read(start(), b'{"type": "user.mess', b"\xff\xfe", person())
    assert len(intake.invalid) == 2
    assert len(of_kind(intake, "user_message")) == 1


def test_field_of_another_type_is_left_out_and_its_line_is_read():
    end = tool_end()
    end["data"] |= {"error": "a text", "result": "a text", "toolTelemetry": [], "fileEdits": {}}
    [call] = of_kind(read(start(), tool_start(), end), "tool_call")
    assert call.success is True
    sums = shutdown(10, 2)
    sums["data"]["error"] = 5
    assert figures(read(start(), sums)) == (10, 2, 0, 0)


@pytest.mark.parametrize("time", [None, "yesterday", 5, "9" * 10_000])
def test_line_without_a_time_has_that_of_the_line_before_it(time):
    told = person() | {"timestamp": time}
    [event] = of_kind(read(start(), told), "user_message")
    assert event.ts == AT_MS
    assert read(told).invalid == ["a line has no time"]


def test_long_texts_and_deep_nesting_are_read_past_or_refused():
    huge = "n" * 10_000_000
    told = read(
        start(), person(huge), tool_start(tool=huge), tool_end(text=huge), person(identity=huge)
    )
    assert [e.prompt_length for e in of_kind(told, "user_message")] == [10_000_000, 2]
    assert len(of_kind(told, "tool_call")[0].tool_raw) == 200
    deep = json.dumps(tool_start()).replace("{}", "[" * 100_000 + "]" * 100_000)
    assert read(start(), deep.encode(), person()).events[1:] != []


def test_state_stays_small_whatever_is_asked_for():
    lines = [message(f"m{n}", 1, model=f"model {n}") for n in range(1_000)]
    lines += [tool_start(f"c{n}") for n in range(2_000)]
    lines += [line("tool.user_requested", tool_call_id=f"u{n}") for n in range(2_000)]
    intake, reader = Intake(), agent("copilot-cli").transcript(PATH)
    for one in [start(), *lines]:
        reader.feed(json.dumps(one).encode(), intake)
    state = reader.state()
    assert len(state["calls"]) == len(state["asked_by_person"]) == 1_000
    assert len(state["leg"]["told"]) == 200


def public(*names):
    path = fixtures.public("copilot-cli").joinpath("agent-sessions", *names)
    if not path.is_file():
        pytest.skip("the public sample files are not here")
    intake = Intake()
    reader = agent("copilot-cli").transcript(str(path))
    reader.feed_lines(path.read_bytes(), intake)
    reader.finish(intake)
    return intake


def counts(intake):
    kinds = [event.kind for event in intake.events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def test_public_file_of_an_early_build():
    intake = public("large.jsonl")
    assert counts(intake) == {"hook": 1, "session_context": 1, "tool_call": 2, "user_message": 3}


def test_public_file_whose_lines_are_out_of_order():
    intake = public("schema_drift.jsonl")
    assert counts(intake) == {
        "model_call": 1,
        "session_context": 1,
        "session_end": 1,
        "tool_call": 2,
    }
    assert figures(intake) == (200, 50, 800, 0)


def test_public_file_of_a_newer_build_with_fields_that_were_trimmed():
    intake = public("small.jsonl")
    assert figures(intake) == (0, 15, 0, 0)
    [context] = [e for e in of_kind(intake, "session_context") if e.repo is not None]
    assert (context.repo, context.branch) == ("github.com/example/repo", "main")
    assert intake.invalid == []


def test_public_file_in_a_folder_of_its_own():
    intake = public("subdir_v1", "aaaabbbb-1111-2222-3333-ccccddddeeee", "events.jsonl")
    assert figures(intake) == (0, 26, 0, 0)
    assert {e.session_id for e in intake.events} == {"aaaabbbb-1111-2222-3333-ccccddddeeee"}
    assert counts(intake)["tool_call"] == counts(intake)["user_message"] == 1
