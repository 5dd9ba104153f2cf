"""The events that our plugin forwards, one JSON object each."""

from __future__ import annotations

import pytest

from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.agents.opencode.agent import AGENT
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
    numbered,
    prompt,
    session,
)

RECEIVED_MS = AT_MS + 9_000


def chat(permission=None, agent="build", **more):
    [(message, parts)] = numbered(Talk(session(), [prompt(agent=agent)]))
    given = {"type": "chat.message", "sessionID": SESSION, "message": message, "parts": parts}
    return given if permission is None else {**given, "permission": permission, **more}


@pytest.mark.parametrize(
    ("permission", "level", "raw"),
    [
        ({}, "auto-high", "build/allow/allow"),
        ("allow", "auto-high", "build/allow/allow"),
        ("ask", "manual", "build/ask/ask"),
        ("deny", "spec", "build/deny/deny"),
        ({"*": "ask"}, "manual", "build/ask/ask"),
        ({"*": "ask", "edit": "allow"}, "auto-low", "build/allow/ask"),
        ({"bash": "ask"}, "auto-low", "build/allow/ask"),
        ({"bash": {"*": "ask", "git *": "allow"}}, "auto-medium", "build/allow/patterns"),
        ({"bash": {"*": "allow"}}, "auto-high", "build/allow/allow"),
        ({"edit": "deny", "bash": "deny"}, "spec", "build/deny/deny"),
        ({"edit": "deny"}, None, "build/deny/allow"),
        ({"edit": {"*": "deny", "docs/**": "allow"}}, None, "build/patterns/allow"),
        ({"edit": 5}, None, "build/unknown/allow"),
        (["x"], None, "build/unknown/unknown"),
    ],
)
def test_a_prompt_tells_the_level_that_is_configured(permission, level, raw):
    [event] = of_kind(hooked([chat(permission)]), "mode_change")
    assert (event.autonomy, event.autonomy_raw) == (level, raw)
    assert (event.ts, event.session_id) == (AT_MS + 1_000, SESSION)


def test_the_planning_agent_plans_whatever_is_configured():
    for given in (chat(agent="plan"), chat({}, agent="plan")):
        [event] = of_kind(hooked([given]), "mode_change")
        assert (event.autonomy, event.autonomy_raw) == ("spec", "plan")


def test_a_prompt_without_a_configuration_tells_no_level():
    assert of_kind(hooked([chat()]), "mode_change") == []


def test_a_prompt_has_the_id_that_the_hook_gives_where_the_message_has_none():
    given = chat()
    del given["message"]["id"]
    [event] = of_kind(hooked([{**given, "messageID": message_id(AT_MS + 1_000)}]), "user_message")
    assert event.event_id == of_kind(hooked([chat()]), "user_message")[0].event_id


def test_a_command_of_a_person_has_the_time_of_its_receipt():
    given = {
        "type": "command.executed",
        "name": "init",
        "sessionID": SESSION,
        "arguments": "words",
        "messageID": "msg_1",
    }
    [event] = hooked([given, given]).events
    assert (event.kind, event.slash_command) == ("slash_command", "init")
    assert (event.ts, event.ts_source) == (RECEIVED_MS, "received")


def test_what_has_no_time_has_that_of_its_receipt():
    info = {"id": "msg_1", "role": "assistant", "sessionID": SESSION, "tokens": {"input": 5}}
    part = {"type": "tool", "tool": "read", "callID": "c1", "state": {"status": "completed"}}
    found = hooked(
        [
            {"type": "message.updated", "info": info},
            {"type": "message.part.updated", "sessionID": SESSION, "part": part},
        ]
    )
    assert [(e.kind, e.ts, e.ts_source) for e in found.events] == [
        ("model_call", RECEIVED_MS, "received"),
        ("tool_call", RECEIVED_MS, "received"),
    ]


def test_an_answer_that_is_updated_is_told_with_its_last_figures():
    begun = answer(tokens={"input": 0, "output": 0}, time={"created": AT_MS + 2_000})
    events = [*forwarded(Talk(session(), [begun])), *forwarded(Talk(session(), [answer()]))]
    [call_] = of_kind(hooked(events), "model_call")
    assert call_.output_tokens == 23


def test_the_history_that_a_fork_copies_counts_where_it_happened():
    later = AT_MS + 3_600_000
    copied = answer(call("read"), id=message_id(later))
    events = forwarded(Talk(session(created=later), [copied]))
    found = hooked(events)
    assert [event.kind for event in found.events] == ["session_context"]
    assert found.drops == {"redundant": 2}


def test_an_id_that_the_client_made_a_little_earlier_is_no_copys():
    events = forwarded(Talk(session(), [answer(id=message_id(AT_MS - 5_000))]))
    assert len(of_kind(hooked(events), "model_call")) == 1


def test_a_session_below_another_is_told_from_its_parent_or_from_the_top():
    info = session(parentID="ses_parent")
    [event] = hooked([{"type": "session.created", "info": info}]).events
    assert event.root_session_id == "ses_parent"
    given = {"type": "session.updated", "info": info, "rootSessionID": "ses_top"}
    [event] = hooked([given]).events
    assert (event.root_session_id, event.is_subagent) == ("ses_top", True)


def test_what_is_told_twice_is_one_event():
    events = forwarded(Talk(session(), [prompt(), answer(call("read"))]))
    assert len(hooked(events + events).events) == 4


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("session.idle", "not_counted"),
        ("permission.replied", "not_counted"),
        ("todo.updated", "not_counted"),
        ("tool.execute.after", "redundant"),
        ("session.diff", "redundant"),
        ("hologram.shown", "unknown_record"),
        ("", "unknown_record"),
    ],
)
def test_other_events_are_dropped_for_a_reason(kind, reason):
    assert hooked([{"type": kind, "sessionID": SESSION}]).drops == {reason: 1}


def test_the_name_that_the_configuration_gives_is_used_where_the_json_has_none():
    intake = Intake()
    AGENT.hook("session.created", {"info": session()}, RECEIVED_MS, intake)
    assert [event.kind for event in intake.events] == ["session_context"]


def test_impossible_figures_are_refused():
    info = {"id": "m", "role": "assistant", "tokens": {"input": -5}}
    with pytest.raises(InvalidRecord):
        hooked([{"type": "message.updated", "info": info}])
