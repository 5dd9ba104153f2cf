"""A database that another program has open is read as of its last commit, and left alone."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from stationmaster.agents.sqlite_pages import Damaged, Snapshot
from stationmaster.agents.sqlite_rows import Database


def opened(path: Path, **pragmas: object) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    for name, value in {**pragmas, "journal_mode": "WAL", "wal_autocheckpoint": 0}.items():
        connection.execute(f"PRAGMA {name} = {value}")
    connection.execute("CREATE TABLE t (a TEXT)")
    return connection


def values(path: Path) -> list[object]:
    with Snapshot(str(path)) as snapshot:
        return [row[0] for _, row in Database(snapshot).rows("t", ["a"])]


def test_what_is_in_the_log_alone_is_read(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.execute("INSERT INTO t VALUES ('two')")

    assert values(tmp_path / "d.db") == [b"one", b"two"]


def test_a_database_without_a_log_is_read(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    writer.close()

    assert not (tmp_path / "d.db-wal").exists()
    assert values(tmp_path / "d.db") == [b"one"]


def test_what_is_not_committed_is_not_read(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db", cache_spill=0)
    writer.execute("INSERT INTO t VALUES ('one')")
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("PRAGMA cache_spill = 1")
    writer.execute("BEGIN")
    writer.executemany("INSERT INTO t VALUES (?)", [("x" * 3_000,)] * 200)

    assert (tmp_path / "d.db-wal").stat().st_size > 200_000
    assert values(tmp_path / "d.db") == [b"one"]

    writer.execute("ROLLBACK")
    writer.execute("INSERT INTO t VALUES ('two')")
    assert values(tmp_path / "d.db") == [b"one", b"two"]


def test_frames_of_an_earlier_round_of_the_log_are_not_read(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.executemany("INSERT INTO t VALUES (?)", [(f"old {n}" * 300,) for n in range(50)])
    writer.execute("DELETE FROM t")
    writer.execute("PRAGMA wal_checkpoint(FULL)")
    size = (tmp_path / "d.db-wal").stat().st_size
    writer.execute("INSERT INTO t VALUES ('new')")

    assert (tmp_path / "d.db-wal").stat().st_size == size
    assert values(tmp_path / "d.db") == [b"new"]


@pytest.mark.parametrize("cut", [1, 24, 100, 2_000, 4_119])
def test_a_torn_end_of_the_log_is_not_read(tmp_path: Path, cut: int) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    whole = (tmp_path / "d.db-wal").stat().st_size
    writer.execute("INSERT INTO t VALUES ('two')")
    copy = tmp_path / "copy.db"
    copy.write_bytes((tmp_path / "d.db").read_bytes())
    log = (tmp_path / "d.db-wal").read_bytes()
    frame = log[whole : whole + 24 + 4_096]
    torn = frame[: len(frame) - cut] + b"\0" * cut

    (tmp_path / "copy.db-wal").write_bytes(log[:whole] + torn)
    assert values(copy) == ([b"one"] if torn != frame else [b"one", b"two"])

    (tmp_path / "copy.db-wal").write_bytes(log[:whole] + frame[: len(frame) - cut])
    assert values(copy) == [b"one"]


def test_a_log_of_another_database_is_not_read(tmp_path: Path) -> None:
    opened(tmp_path / "d.db").execute("INSERT INTO t VALUES ('one')")
    writer = opened(tmp_path / "e.db", page_size=8_192)
    writer.execute("INSERT INTO t VALUES ('other')")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (tmp_path / "e.db-wal").unlink()
    os.link(tmp_path / "d.db-wal", tmp_path / "e.db-wal")

    assert values(tmp_path / "e.db") == [b"other"]


@pytest.mark.parametrize("page_size", [512, 1_024, 4_096, 65_536])
def test_pages_of_every_size_are_read(tmp_path: Path, page_size: int) -> None:
    writer = opened(tmp_path / "d.db", page_size=page_size)
    writer.executemany("INSERT INTO t VALUES (?)", [("x" * n,) for n in range(0, 3_000, 100)])

    assert values(tmp_path / "d.db") == [b"x" * n for n in range(0, 3_000, 100)]


def test_reading_writes_nothing_makes_nothing_and_holds_up_nobody(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}

    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        rows = Database(snapshot).rows("t", ["a"])
        assert next(rows)[1] == (b"one",)
        after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
        assert after == before
        # Neither a writer nor one who wants the whole log has to wait.
        writer.execute("PRAGMA busy_timeout = 0")
        writer.execute("INSERT INTO t VALUES ('two')")
        assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    writer.execute("PRAGMA locking_mode = EXCLUSIVE")
    writer.execute("INSERT INTO t VALUES ('three')")
    assert values(tmp_path / "d.db") == [b"one", b"two", b"three"]


def test_reading_a_closed_database_makes_no_files(tmp_path: Path) -> None:
    opened(tmp_path / "d.db").close()
    (tmp_path / "d.db").chmod(0o400)

    values(tmp_path / "d.db")

    assert [path.name for path in tmp_path.iterdir()] == ["d.db"]


def test_a_snapshot_knows_when_its_pages_are_written_over(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        writer.execute("INSERT INTO t VALUES ('two')")
        assert snapshot.is_intact()
        writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        assert not snapshot.is_intact()


def test_a_snapshot_knows_when_its_log_is_begun_anew(tmp_path: Path) -> None:
    writer = opened(tmp_path / "d.db")
    writer.execute("INSERT INTO t VALUES ('one')")
    writer.execute("PRAGMA wal_checkpoint(FULL)")
    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        assert snapshot.is_intact()
        writer.execute("INSERT INTO t VALUES ('two')")
        assert not snapshot.is_intact()


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    (tmp_path / "d.db").touch()

    with Snapshot(str(tmp_path / "d.db")) as snapshot:
        assert Database(snapshot).tables == {}


@pytest.mark.parametrize(
    "content",
    [b"x", b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 200, b"plain words" * 50],
)
def test_a_file_that_is_no_database_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.db").write_bytes(content)

    with pytest.raises(Damaged):
        values(tmp_path / "d.db")


def test_a_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Snapshot(str(tmp_path / "d.db"))
