from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent

META = {
    "agentId": SESSION,
    "name": "A title that a person wrote",
    "mode": "default",
    "createdAt": AT_MS,
    "lastUsedModel": "claude-4-sonnet",
}


def write(folder: Path, *values: object, table: str = "meta") -> Path:
    path = folder / "store.db"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(f"create table {table} (key text, value)")
        store.executemany(f"insert into {table} values ('0', ?)", [(value,) for value in values])
    return path


def hexed(**fields):
    return json.dumps({**META, **fields}).encode().hex()


def read(path):
    intake = Intake()
    agent("cursor").transcript(str(path)).read(intake)
    return intake


def test_session_began_when_the_store_says_so(tmp_path):
    [event] = read(write(tmp_path, hexed())).events
    assert (event.kind, event.ts, event.ts_source) == ("session_start", AT_MS, "event")
    assert (event.session_id, event.model, event.autonomy_raw) == (
        SESSION,
        "claude-4-sonnet",
        "default",
    )


def test_start_is_that_of_the_hook(tmp_path):
    intake = Intake()
    hook = {"hook_event_name": "sessionStart", "conversation_id": SESSION}
    agent("cursor").hook(None, hook, AT_MS, intake)
    assert intake.events[0].event_id == read(write(tmp_path, hexed())).events[0].event_id


@pytest.mark.parametrize("value", [json.dumps(META), json.dumps(META).encode(), hexed().encode()])
def test_other_spellings_of_the_value_are_read(tmp_path, value):
    assert len(read(write(tmp_path, value)).events) == 1


def test_planning_is_a_known_level(tmp_path):
    [event] = read(write(tmp_path, hexed(mode="plan"))).events
    assert event.autonomy == "spec"


@pytest.mark.parametrize(
    "value",
    [None, 7, 1.5, "", "zz", b"\xff\x00", "[1]", "7b", hexed(createdAt="soon"), "x" * 70000],
)
def test_values_that_say_nothing_are_dropped(tmp_path, value):
    intake = read(write(tmp_path, value, hexed()))
    assert len(intake.events) == 1
    assert set(intake.drops) <= {"unknown_record"}


def test_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "store.db"
    for content in (b"", b"SQLite format 3\0" + b"\xff" * 2000):
        path.write_bytes(content)
        assert read(path).drops == {"invalid": 1}
    path.unlink()
    assert read(write(tmp_path, hexed(), table="other")).drops == {"invalid": 1}


def test_store_that_is_gone_is_told(tmp_path):
    reader = agent("cursor").transcript(str(tmp_path / "store.db"))
    with pytest.raises(FileNotFoundError):
        reader.read(Intake())
    with pytest.raises(FileNotFoundError):
        reader.stamp()


def test_a_table_without_an_end_is_refused(tmp_path):
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(
            "create view meta as with recursive n(value) as "
            "(select 70000 union all select value + 1 from n) "
            "select hex(zeroblob(value)) as value from n"
        )
    assert read(path).drops == {"invalid": 1}


def test_reading_writes_nothing_and_sees_what_a_writer_has_not_put_away(tmp_path):
    path = write(tmp_path, hexed())
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma journal_mode=wal")
        writer.execute("update meta set value = ?", [hexed(lastUsedModel="gpt-5")])
        writer.commit()
        before = {file: file.read_bytes() for file in tmp_path.iterdir() if "shm" not in file.name}
        assert [event.model for event in read(path).events] == ["gpt-5"]
        assert before == {
            file: file.read_bytes() for file in tmp_path.iterdir() if "shm" not in file.name
        }
    files = sorted(tmp_path.iterdir())
    assert [event.model for event in read(path).events] == ["gpt-5"]
    assert sorted(tmp_path.iterdir()) == files


def test_store_that_a_writer_keeps_to_itself_is_read_later(tmp_path):
    path = write(tmp_path, hexed())
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma locking_mode=exclusive")
        writer.execute("pragma journal_mode=wal")
        writer.execute("update meta set key = '1'")
        writer.commit()
        with pytest.raises(OSError, match="locked"):
            read(path)
    assert len(read(path).events) == 1


def test_folder_with_signs_in_its_name_is_read(tmp_path):
    folder = tmp_path / "50% of? #1"
    folder.mkdir()
    assert len(read(write(folder, hexed())).events) == 1


def test_stamp_changes_with_the_store_and_its_log(tmp_path):
    path = write(tmp_path, hexed())
    reader = agent("cursor").transcript(str(path))
    before = reader.stamp()
    assert reader.stamp() == before
    (tmp_path / "store.db-wal").write_bytes(b"x")
    assert reader.stamp() != before
    assert reader.state() == {}


def test_which_files_are_ours():
    known = agent("cursor")
    assert known.is_transcript("/c/store.db", b"SQLite format 3\0")
    assert not known.is_transcript("/c/store.db", b"text")
    assert not known.is_transcript("/c/other.db", b"SQLite format 3\0")
