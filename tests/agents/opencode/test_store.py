"""The database as a document: what changed is told once, in pieces, and nothing is ever lost."""

from __future__ import annotations

import json
from pathlib import Path

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
    Talk,
    answer,
    call,
    message_id,
    prompt,
    session,
    told,
)


def ids(intake: Intake) -> set[str]:
    return {event.event_id for event in intake.events}


def test_the_next_read_tells_what_is_new_alone(database):
    database.write(Talk(session(), [prompt(), answer(call("read"))]))
    first = reader(database)
    assert len(told(first).events) == 4

    database.write(Talk(session(), [prompt("more", after=5_000)]))
    second = reader(database, first.state())
    again = told(second)
    assert sorted(event.kind for event in again.events) == ["session_context", "user_message"]
    assert len(told(reader(database, second.state())).events) == 0


def test_the_same_reader_may_read_again(database):
    database.write(Talk(session(), [prompt()]))
    document = reader(database)
    told(document)
    database.write(Talk(session(), [prompt("more", after=5_000)]))

    assert len(of_kind(told(document), "user_message")) == 1
    assert told(document).events == []


def test_an_answer_is_told_again_until_it_is_complete(database):
    begun = {"created": AT_MS + 2_000}
    nothing = {"input": 0, "output": 0}
    running = call("bash", "c1", status="running", input={"command": "git commit -m x"})
    database.write(Talk(session(), [answer(running, time=begun, tokens=nothing)]))
    first = reader(database)
    assert [event.kind for event in told(first).events] == ["session_context", "tool_call"]
    assert first.state()["open"] == {message_id(AT_MS + 2_000): 1}

    # The part changed, and the message's own time did not.
    through = call("bash", "c1", input={"command": "git commit -m x"}, metadata={"exit": 0})
    database.write(Talk(session(), [answer(through, time=begun, tokens=nothing)]))
    second = reader(database, first.state())
    found = told(second)
    assert [event.success for event in of_kind(found, "tool_call")] == [True]
    assert len(of_kind(found, "git_commit")) == 1

    database.write(Talk(session(), [answer(through)]), updated=AT_MS + 9_000)
    third = reader(database, second.state())
    assert len(of_kind(told(third), "model_call")) == 1
    assert third.state()["open"] == {}
    assert told(reader(database, third.state())).events == []


def test_a_prompt_whose_text_comes_after_it_is_not_lost(database):
    database.write(Talk(session(), [prompt(parts=[])]))
    first = reader(database)
    assert of_kind(told(first), "user_message") == []

    database.write(Talk(session(), [prompt("here it is")]))
    assert len(of_kind(told(reader(database, first.state())), "user_message")) == 1


def test_an_answer_that_never_ends_is_waited_for_two_days(database):
    database.write(Talk(session(), [answer(time={"created": AT_MS})]))
    first = reader(database)
    told(first)
    assert len(first.state()["open"]) == 1

    later = 3 * 24 * 3_600_000
    database.write(Talk(session(), [prompt("much later", after=later)]))
    second = reader(database, first.state())
    told(second)
    assert second.state()["open"] == {}


def test_what_is_written_with_a_clock_set_back_is_not_lost(database):
    database.write(Talk(session(), [prompt(after=10_000_000)]))
    first = reader(database)
    told(first)

    database.write(Talk(session(), [prompt("earlier", after=1_000)]))
    assert len(of_kind(told(reader(database, first.state())), "user_message")) == 1


def test_what_is_written_in_the_rows_of_what_was_undone_is_not_lost(database):
    database.write(Talk(session(), [prompt(), prompt("undone", after=2_000)]))
    first = reader(database)
    told(first)

    database.connection.execute("DELETE FROM message WHERE time_created > ?", (AT_MS + 1_500,))
    database.connection.execute("DELETE FROM part WHERE time_created > ?", (AT_MS + 1_500,))
    database.write(Talk(session(), [prompt("instead", after=3_000)]))
    found = told(reader(database, first.state()))
    assert [event.ts for event in of_kind(found, "user_message")] == [AT_MS + 3_000]


def test_a_vacuumed_database_tells_what_is_new(database):
    for number in range(20):
        database.write(Talk(session(), [prompt(after=1_000 * number)]))
    first = reader(database)
    told(first)

    database.connection.execute("DELETE FROM message WHERE rowid < 15")
    database.connection.execute("VACUUM")
    database.write(Talk(session(), [prompt("new", after=90_000)]))
    assert len(of_kind(told(reader(database, first.state())), "user_message")) == 1


def test_nothing_is_looked_at_but_what_is_new(database, monkeypatch):
    many = [prompt(after=1_000 * n) for n in range(1, 300)]
    begun = answer(after=500, time={"created": AT_MS + 500})
    database.write(Talk(session(), [begun, *many]))
    first = reader(database)
    told(first)
    database.write(Talk(session(), [prompt("new", after=9_000_000)]))
    # Far fewer steps than there are rows.
    monkeypatch.setattr(sqlite, "_STEPS_MAX", 250)
    monkeypatch.setattr(sqlite, "_STEPS_AT_ONCE", 50)

    second = reader(database, first.state())
    assert len(of_kind(told(second), "user_message")) == 1


def test_a_long_database_is_told_in_pieces(database, monkeypatch):
    monkeypatch.setattr(store, "_MESSAGES_IN_A_PIECE", 10)
    database.write(Talk(session(), [prompt(after=1_000 * n) for n in range(1, 65)]))
    document = reader(database)
    pieces = []
    while not pieces or not document.is_read:
        intake = Intake()
        document.read(intake)
        pieces.append(ids(intake))
        if not document.is_read:
            assert document.state() == Store(str(database.path)).state()

    assert [len(piece) for piece in pieces] == [11, 10, 10, 10, 10, 10, 4]
    assert len(set.union(*pieces)) == 65
    assert told(reader(database, document.state())).events == []


def test_what_is_written_between_two_pieces_is_told_too(database, monkeypatch):
    monkeypatch.setattr(store, "_MESSAGES_IN_A_PIECE", 10)
    database.write(Talk(session(), [prompt(after=1_000 * n) for n in range(1, 31)]))
    document = reader(database)
    intake = Intake()
    document.read(intake)
    database.write(Talk(session(), [prompt(after=1_000 * n) for n in range(31, 41)]))
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    while not document.is_read:
        document.read(intake)

    assert len(of_kind(intake, "user_message")) == 40


def test_a_piece_ends_where_its_rows_are_large(database, monkeypatch):
    monkeypatch.setattr(store, "_BYTES_IN_A_PIECE", 1_000)
    database.write(Talk(session(), [prompt("x" * 400, after=1_000 * n) for n in range(1, 11)]))
    document = reader(database)
    intake, pieces = Intake(), 0
    while not pieces or not document.is_read:
        document.read(intake)
        pieces += 1

    assert pieces == 5
    assert len(of_kind(intake, "user_message")) == 10


def test_rows_that_are_looked_at_and_not_told_are_looked_at_in_pieces(database, monkeypatch):
    database.write(Talk(session(), [prompt(after=1_000 * n) for n in range(1, 41)]))
    first = reader(database)
    told(first)
    database.connection.execute("DELETE FROM message WHERE rowid = 40")
    database.connection.execute("UPDATE message SET time_updated = ? WHERE rowid = 30", (2**50,))

    monkeypatch.setattr(store, "_ROWS_LOOKED_AT", 7)
    second = reader(database, first.state())
    pieces = []
    while not pieces or not second.is_read:
        intake = Intake()
        second.read(intake)
        pieces.append(len(of_kind(intake, "user_message")))
    assert pieces == [0, 0, 0, 0, 1, 0]


def test_reading_leaves_the_files_as_they_are(database):
    database.write(Talk(session(), [prompt(), answer()]))

    def files() -> dict[Path, object]:
        # The log's index is where readers say what they are reading.
        return {
            path: path.name.endswith("-shm") or (path.read_bytes(), path.stat().st_mtime_ns)
            for path in database.path.parent.iterdir()
        }

    before = files()
    told(reader(database))
    assert files() == before
    database.connection.close()
    before = files()
    assert len(before) == 1
    told(reader(database))
    assert files() == before


def test_the_program_goes_on_writing_while_its_database_is_read(database):
    database.write(Talk(session(), [prompt()]))
    with sqlite.reading(str(database.path)) as connection:
        database.connection.execute("PRAGMA busy_timeout = 0")
        database.write(Talk(session(), [prompt("more", after=5_000)]))
        assert connection.execute("SELECT count(*) FROM message").fetchone() == (1,)
    assert len(of_kind(told(reader(database)), "user_message")) == 2


def test_nothing_is_told_of_a_database_that_was_written_to_without_its_log(database, monkeypatch):
    database.write(Talk(session(), [prompt()]))
    path = database.path
    database.connection.close()
    piece = store._Rows.piece

    def interrupted(rows, mark, row):
        found = piece(rows, mark, row)
        path.touch()
        return found

    document = Store(str(path))
    with monkeypatch.context() as patched:
        patched.setattr(store._Rows, "piece", interrupted)
        intake = Intake()
        with pytest.raises(OSError, match="was written to"):
            document.read(intake)
    assert intake.events == []
    assert document.state() == Store(str(path)).state()
    assert len(told(document).events) == 2


def test_the_stamp_changes_with_what_is_written_and_not_by_itself(database):
    document = reader(database)
    first = document.stamp()
    assert document.stamp() == first

    database.write(Talk(session(), [prompt()]))
    second = document.stamp()
    assert second != first

    database.connection.close()
    assert not Path(f"{database.path}-wal").exists()
    third = document.stamp()
    assert third != second
    # A program that opens the database and writes nothing makes an empty log.
    Path(f"{database.path}-wal").touch()
    assert document.stamp() == third


def test_a_large_output_is_read_and_not_kept(database):
    output = "y" * 10_000_000
    told_of = call("bash", input={"command": "git commit -m x"}, output=output)
    database.write(Talk(session(), [answer(told_of)]))
    document = reader(database)
    intake = told(document)
    assert len(of_kind(intake, "tool_call")) == 1
    assert len(msgspec.json.encode(intake.events)) < 5_000
    assert len(json.dumps(document.state())) < 500
