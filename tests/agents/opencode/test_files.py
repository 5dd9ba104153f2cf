"""The older session files: a session with its messages and parts is one Document."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from stationmaster.agents.interface import Intake
from stationmaster.agents.opencode.agent import AGENT
from stationmaster.agents.opencode.files import SessionFiles
from tests.agents.builders import of_kind
from tests.support.fixtures import public
from tests.support.talks import (
    AT_MS,
    SESSION,
    Talk,
    answer,
    call,
    message_id,
    prompt,
    session,
    told,
    write_files,
)

PUBLIC = public("opencode")
with_samples = pytest.mark.skipif(not PUBLIC.exists(), reason="needs the public samples")


def reader(path, state=None) -> SessionFiles:
    return AGENT.transcript(str(path), state and json.loads(json.dumps(state)))


def test_the_next_read_tells_what_is_new_alone(tmp_path):
    path = write_files(tmp_path, Talk(session(), [prompt(), answer(call("read"))]))
    first = reader(path)
    assert len(told(first).events) == 4

    write_files(tmp_path, Talk(session(), [prompt("more", after=5_000)]))
    second = reader(path, first.state())
    assert sorted(e.kind for e in told(second).events) == ["session_context", "user_message"]
    assert [e.kind for e in told(reader(path, second.state())).events] == ["session_context"]


def test_messages_after_one_that_is_not_complete_are_told_again(tmp_path):
    begun = answer(time={"created": AT_MS + 2_000})
    path = write_files(tmp_path, Talk(session(), [prompt(), begun, prompt("b", after=5_000)]))
    first = reader(path)
    told(first)
    assert first.state() == {"message": f"{message_id(AT_MS + 1_000)}.json"}

    write_files(tmp_path, Talk(session(), [answer()]))
    second = reader(path, first.state())
    assert len(of_kind(told(second), "user_message")) == 1
    assert second.state() == {"message": f"{message_id(AT_MS + 5_000)}.json"}


def test_a_message_that_nobody_wrote_holds_nothing_up(tmp_path):
    asked = prompt(parts=[{"type": "text", "text": "Continue", "synthetic": True}])
    path = write_files(tmp_path, Talk(session(), [asked]))
    first = reader(path)
    told(first)
    assert first.state() == {"message": ""}

    write_files(tmp_path, Talk(session(), [answer()]))
    second = reader(path, first.state())
    told(second)
    assert second.state() == {"message": f"{message_id(AT_MS + 2_000)}.json"}


@pytest.mark.parametrize(
    "later",
    [
        Talk(session(title="another"), []),
        Talk(session(), [prompt("more", after=5_000)]),
        Talk(session(), [answer(call("read", output="longer"))]),
        Talk(session(), [answer(call("read"), call("grep"))]),
        Talk(session(), [answer(call("read"), cost=12.5)]),
    ],
    ids=["session", "message", "part", "another part", "last message"],
)
def test_the_stamp_changes_with_whatever_may_change(tmp_path, later):
    path = write_files(tmp_path, Talk(session(), [prompt(), answer(call("read"))]))
    for file in tmp_path.rglob("*"):
        os.utime(file, (1, 1))
    first = reader(path).stamp()
    assert reader(path).stamp() == first

    write_files(tmp_path, later)
    assert reader(path).stamp() != first


def test_a_session_without_messages_has_a_stamp_and_its_context(tmp_path):
    path = write_files(tmp_path, Talk(session()))
    assert reader(path).stamp()
    assert [event.kind for event in told(reader(path)).events] == ["session_context"]


def test_files_that_are_no_json_are_rejected_by_themselves_and_waited_for(tmp_path):
    path = write_files(tmp_path, Talk(session(), [prompt(), answer(call("read"))]))
    message = tmp_path / "message" / SESSION / f"{message_id(AT_MS + 2_000)}.json"
    whole = message.read_bytes()
    message.write_bytes(whole[:50])
    first = reader(path)
    intake = told(first)
    assert intake.invalid == ["a file is not JSON"]
    assert len(of_kind(intake, "user_message")) == 1

    message.write_bytes(whole)
    assert len(of_kind(told(reader(path, first.state())), "model_call")) == 1


def test_a_session_that_is_half_written_is_waited_for(tmp_path):
    path = write_files(tmp_path, Talk(session(), [prompt()]))
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    first = reader(path)
    assert told(first).events == []

    path.write_bytes(whole)
    assert len(told(reader(path, first.state())).events) == 2


def test_a_session_that_is_gone_is_said_to_be(tmp_path):
    path = write_files(tmp_path, Talk(session()))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        reader(path).read(Intake())


@pytest.mark.parametrize("identity", ["../../../secret", "..", "/etc", "", "a/b", "\0"])
def test_an_id_that_is_a_path_leads_nowhere(tmp_path, identity):
    path = write_files(tmp_path / "storage", Talk(session(), [prompt()]))
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "id": identity}))
    message = next((tmp_path / "storage" / "message").rglob("*.json"))
    message.write_text(json.dumps({**json.loads(message.read_text()), "id": identity}))
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.json").write_text('{"role": "user", "time": {"created": 5}}')

    kinds = {event.kind for event in told(reader(path)).events}
    assert kinds <= {"session_context", "user_message"}
    assert all(event.ts >= AT_MS for event in told(reader(path)).events)


@pytest.mark.parametrize("content", [b"[]", b"5", b"null", b'"x"', b"{}", b"[" * 100_000])
def test_json_of_other_shapes_stops_nothing(tmp_path, content):
    path = write_files(tmp_path, Talk(session(), [prompt(), answer(call("read"))]))
    for file in tmp_path.rglob("*.json"):
        file.write_bytes(content)
    assert told(reader(path)).events == []


@with_samples
def test_a_session_of_version_1_3_of_the_samples(tmp_path):
    path = PUBLIC / "agent-sessions/storage_v2/session/proj_test/ses_s_stage0_large.json"
    intake = told(reader(path))
    [call_] = of_kind(intake, "model_call")
    assert (call_.input_tokens, call_.output_tokens, call_.model) == (120, 16, "gpt-4o-mini")
    assert (call_.model_tier, call_.cost_usd) == ("thinking", None)
    [tool] = of_kind(intake, "tool_call")
    assert (tool.tool, tool.success, tool.duration_ms) == ("shell", False, 500)
    assert [event.prompt_length for event in of_kind(intake, "user_message")] == [6, 6]
    assert {event.product_version for event in intake.events} == {"1.3.17"}
    assert intake.invalid == []


@with_samples
def test_a_session_with_parts_in_one_folder_of_the_samples():
    path = PUBLIC / "agent-sessions/storage_legacy/session/proj_test/ses_s_stage0_drift.json"
    intake = told(reader(path))
    [tool] = of_kind(intake, "tool_call")
    assert (tool.tool_call_id, tool.success, tool.duration_ms) == ("call_legacy_1", True, 500)
    # The samples have no text of the person's message, and no figures of the answer.
    assert of_kind(intake, "user_message") == of_kind(intake, "model_call") == []


@with_samples
def test_a_message_of_the_samples_has_all_its_tokens(tmp_path):
    sample = PUBLIC / "tokscale/storage/message/test-project/msg_test001.json"
    folder = tmp_path / "message" / "ses_test001"
    folder.mkdir(parents=True)
    shutil.copy(sample, folder)
    path = write_files(tmp_path, Talk(session("ses_test001", created=1_733_011_100_000)))
    [event] = of_kind(told(reader(path)), "model_call")
    assert (event.input_tokens, event.output_tokens) == (1_000, 500)
    assert (event.cache_read_tokens, event.cache_write_tokens) == (200, 100)
    assert event.model == "claude-3-5-sonnet-20241022"


@with_samples
def test_every_session_of_the_samples_is_recognised():
    sessions = PUBLIC.glob("agent-sessions/*/session/*/*.json")
    assert {AGENT.is_transcript(str(path), path.read_bytes()) for path in sessions} == {True}
    messages = PUBLIC.glob("agent-sessions/*/message/*/*.json")
    assert {AGENT.is_transcript(str(path), path.read_bytes()) for path in messages} == {False}
