"""Rows and databases of other forms: refused one by one, and read again when they are whole."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest

from stationmaster.agents import sqlite
from stationmaster.agents.interface import Intake
from stationmaster.agents.opencode import store
from stationmaster.agents.opencode.store import Store
from tests.agents.builders import of_kind
from tests.agents.opencode.stores import reader
from tests.support.talks import (
    AT_MS,
    SESSION,
    Talk,
    answer,
    call,
    of_database,
    prompt,
    session,
    told,
)


def test_a_value_that_is_too_long_is_refused_by_itself(database, monkeypatch):
    monkeypatch.setattr(store, "_DATA", sqlite.bounded("data", 2_000))
    database.write(Talk(session(), [prompt("x" * 3_000), prompt("y", after=2_000)]))
    intake = told(reader(database))
    assert [event.ts for event in of_kind(intake, "user_message")] == [AT_MS + 2_000]
    assert intake.invalid == ["a row is not JSON"]


def test_a_message_without_an_end_is_refused(database, monkeypatch):
    monkeypatch.setattr(store, "_BYTES_OF_A_MESSAGE", 2_000)
    many = [{"type": "text", "text": "x" * 400} for _ in range(10)]
    database.write(Talk(session(), [prompt(parts=many)]))
    assert told(reader(database)).invalid == ["a database cannot be read"]


def test_the_top_session_is_that_of_the_whole_tree(tmp_path):
    middle, below = session("ses_b", parentID="ses_a"), session("ses_c", parentID="ses_b")
    talks = [Talk(below, [prompt()]), Talk(middle), Talk(session("ses_a"))]
    intake = of_database(tmp_path / "opencode.db", *talks)
    assert {event.root_session_id for event in intake.events} == {"ses_a"}


def test_sessions_that_are_each_others_parents_end(tmp_path):
    one, other = session("ses_a", parentID="ses_b"), session("ses_b", parentID="ses_a")
    intake = of_database(tmp_path / "opencode.db", Talk(one, [prompt()]), Talk(other, []))
    assert len(intake.events) > 0


def test_a_parent_that_is_gone_is_still_the_top(tmp_path):
    talk = Talk(session(parentID="ses_gone"), [answer()])
    intake = of_database(tmp_path / "opencode.db", talk)
    assert {event.root_session_id for event in intake.events} == {"ses_gone"}


def test_a_message_of_a_session_that_is_gone_is_told(database):
    database.write(Talk(session(), [prompt(), answer()]))
    database.connection.execute("DELETE FROM session")
    intake = told(reader(database))
    assert sorted(event.kind for event in intake.events) == ["model_call", "user_message"]
    assert {event.root_session_id for event in intake.events} == {SESSION}


def test_rows_that_are_no_json_are_rejected_by_themselves(database):
    database.write(Talk(session(), [prompt(), answer(call("read", "c1"), call("read", "c2"))]))
    change = database.connection.execute
    change("UPDATE part SET data = '{' WHERE data LIKE '%c1%'")
    change("UPDATE message SET data = x'ff00' WHERE data LIKE '%\"user\"%'")
    intake = told(reader(database))
    assert [event.tool_call_id for event in of_kind(intake, "tool_call")] == ["c2"]
    assert of_kind(intake, "user_message") == []
    assert intake.invalid == ["a row is not JSON"] * 2


def test_columns_of_other_types_stop_nothing(database):
    database.write(Talk(session(), [prompt(), answer()]))
    change = database.connection.execute
    change("UPDATE session SET directory = 5, version = x'ff', permission = 'x', parent_id = 1.5")
    change("UPDATE message SET time_updated = 'never', time_created = x'00'")
    intake = told(reader(database))
    assert len(of_kind(intake, "model_call")) == 1


def test_a_message_without_a_time_has_that_of_its_row(database):
    database.write(Talk(session(), [answer(time=None)]))
    assert [event.ts for event in of_kind(told(reader(database)), "model_call")] == [AT_MS]


def test_a_database_of_other_tables_is_not_known(tmp_path):
    connection = sqlite3.connect(tmp_path / "opencode.db")
    connection.execute("CREATE TABLE message (id, session_id, data)")
    connection.commit()
    document = Store(str(tmp_path / "opencode.db"))
    intake = told(document)
    assert (intake.events, intake.drops) == ([], {"unknown_record": 1})


def test_a_damaged_database_is_said_to_be_and_read_when_it_is_whole(database):
    database.write(Talk(session(), [prompt()]))
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = database.path.read_bytes()
    database.path.write_bytes(whole[:4_096] + b"\xff" * (len(whole) - 4_096))
    document = reader(database)
    assert told(document).invalid == ["a database cannot be read"]

    database.path.write_bytes(whole)
    assert len(told(reader(database, document.state())).events) == 2


def test_a_database_that_is_gone_is_said_to_be(tmp_path):
    document = Store(str(tmp_path / "opencode.db"))
    with pytest.raises(FileNotFoundError):
        document.stamp()
    with pytest.raises(FileNotFoundError):
        document.read(Intake())


def test_the_state_of_another_version_is_refused(database):
    with pytest.raises(msgspec.ValidationError):
        reader(database, {"row": "x"})
