"""Whatever stands in a field of any source: nothing breaks, and every event can be stored."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster.agents.interface import Intake, InvalidRecord
from stationmaster.agents.opencode.agent import AGENT
from tests.agents.builders import of_kind
from tests.agents.hostile import check, json_values, replaced
from tests.support.talks import (
    AT_MS,
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

pytestmark = pytest.mark.attack

TALK = Talk(
    session(permission=[{"permission": "question", "pattern": "*", "action": "deny"}]),
    [
        prompt(parts=[{"type": "text", "text": "x"}, {"type": "subtask", "command": "c"}]),
        answer(
            call("edit", "c1", input={"filePath": "/a.py", "oldString": "", "newString": "x"}),
            call(
                "apply_patch",
                "c2",
                metadata={"files": [{"filePath": "/a", "type": "add", "additions": 1}]},
            ),
            call("multiedit", "c3", metadata={"results": [{"filediff": {"additions": 2}}]}),
            call("bash", "c4", input={"command": "git commit -m x"}, metadata={"exit": 0}),
            call("skill", "c5", input={"name": "s"}),
        ),
    ],
)
every_time = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def changed(data: st.DataObject) -> Talk:
    """A talk of which one to three values are others."""
    record = {"session": TALK.session, "messages": [list(one) for one in TALK.messages]}
    for _ in range(data.draw(st.integers(1, 3))):
        place, new = data.draw(st.integers(1, 160)), data.draw(json_values)
        record, _ = replaced(record, place, new)
    # What the writers below need to be able to write at all.
    first = record["session"] if isinstance(record["session"], dict) else {}
    talk = Talk({**TALK.session, **first, "id": TALK.session["id"], "time": TALK.session["time"]})
    messages = record["messages"] if isinstance(record["messages"], list) else []
    for known, one in zip(TALK.messages, messages, strict=False):
        if isinstance(one, list) and len(one) == 2 and isinstance(one[0], dict):
            parts = [p for p in one[1] if isinstance(p, dict)] if isinstance(one[1], list) else []
            kept = {"id": known[0]["id"], "role": known[0]["role"]}
            talk.messages.append(({**one[0], **kept}, parts))
    return talk


@every_time
@given(data=st.data())
def test_files_with_any_value_in_any_field(tmp_path, data):
    try:
        path = write_files(tmp_path, changed(data))
    except OSError:  # An id that no file can be called by was never written.
        return
    document = AGENT.transcript(str(path))
    check(told(document).events)
    json.dumps(document.state())


@every_time
@given(data=st.data())
def test_a_database_with_any_value_in_any_field(tmp_path_factory, data):
    database = Database(tmp_path_factory.mktemp("hostile") / "opencode.db")
    talk = changed(data)
    database.write(TALK)
    for message, parts in talk.messages:
        database.connection.execute(
            "UPDATE message SET data = ? WHERE id = ?", (json.dumps(message), message["id"])
        )
        for number, part in enumerate(parts):
            database.connection.execute(
                "UPDATE part SET data = ? WHERE message_id = ? AND id LIKE ?",
                (json.dumps(part), message["id"], f"%{number:02}"),
            )
    document = AGENT.transcript(str(database.path))
    check(told(document).events)
    json.dumps(document.state())
    database.connection.close()


@every_time
@given(data=st.data())
def test_forwarded_events_with_any_value_in_any_field(data):
    for event in forwarded(changed(data)):
        changed_event, _ = replaced(event, data.draw(st.integers(1, 30)), data.draw(json_values))
        with contextlib.suppress(InvalidRecord):
            check(hooked([changed_event]).events)


@every_time
@given(event=st.dictionaries(st.text(max_size=10), json_values, max_size=4), kind=json_values)
def test_forwarded_events_of_any_shape(event, kind):
    intake = Intake()
    with contextlib.suppress(InvalidRecord):
        AGENT.hook("message.updated", {**event, "type": kind}, AT_MS, intake)
    check(intake.events)


def test_nesting_without_end_is_refused():
    deep: object = "x"
    for _ in range(20_000):
        deep = [deep]
    event = {"type": "message.updated", "info": {"role": "assistant", "tokens": deep}}
    assert hooked([event]).events == []


@pytest.mark.parametrize("tool", ["__proto__", "constructor", "a" * 1_000_000, "a_" * 500_000])
def test_names_of_any_kind_are_cut_and_kept(tool, tmp_path):
    talk = Talk(session(version="v" * 10_000), [answer(call(tool), modelID="m" * 10_000)])
    intake = told(AGENT.transcript(str(write_files(tmp_path, talk))))
    check(intake.events)
    [event] = of_kind(intake, "tool_call")
    assert event.tool_raw == tool[:200]
