"""Other programs' databases: read as of one commit, left alone, and believed in nothing."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stationmaster.agents import interface, sqlite


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "d.db"
    with closing(sqlite3.connect(made)) as writer:
        writer.execute("CREATE TABLE t (a TEXT)")
        writer.execute("INSERT INTO t VALUES ('one')")
        writer.commit()
    return made


@pytest.fixture
def logged(path: Path) -> Iterator[sqlite3.Connection]:
    """A program that has the database open, and has written to its log."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO t VALUES ('two')")
        yield writer


def values(path: Path, query: str = "SELECT a FROM t") -> list[object]:
    with sqlite.reading(str(path)) as connection:
        return [row[0] for row in connection.execute(query)]


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_what_is_in_the_log_alone_is_read(path: Path, logged: sqlite3.Connection) -> None:
    assert values(path) == ["one", "two"]


def test_what_is_not_committed_is_not_read(path: Path, logged: sqlite3.Connection) -> None:
    logged.execute("BEGIN")
    logged.execute("INSERT INTO t VALUES ('three')")
    assert values(path) == ["one", "two"]


def test_one_commit_is_read_while_others_are_made_and_put_away(
    path: Path, logged: sqlite3.Connection
) -> None:
    with sqlite.reading(str(path)) as connection:
        logged.execute("INSERT INTO t VALUES ('three')")
        logged.execute("PRAGMA wal_checkpoint(PASSIVE)")
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
    assert values(path) == ["one", "two", "three"]


def test_a_database_that_nobody_has_open_is_left_without_another_file(path: Path) -> None:
    for mode in ("DELETE", "WAL"):
        with closing(sqlite3.connect(path)) as writer:
            writer.execute(f"PRAGMA journal_mode = {mode}")
        before = path.read_bytes(), path.stat().st_mtime_ns
        assert values(path) == ["one"]
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert names(path) == ["d.db"]


def test_a_folder_that_cannot_be_written_to_is_read(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
    path.parent.chmod(0o500)
    try:
        assert values(path) == ["one"]
    finally:
        path.parent.chmod(0o700)


def test_the_log_of_a_program_that_died_is_read_and_kept(path: Path) -> None:
    dying = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = WAL'); c.execute(\"INSERT INTO t VALUES ('two')\");"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", dying, str(path)], check=True)
    Path(f"{path}-shm").unlink()
    log = Path(f"{path}-wal").read_bytes()

    assert values(path) == ["one", "two"]
    assert Path(f"{path}-wal").read_bytes() == log
    # The index of the log is all that may be made, and goes with the log.
    assert set(names(path)) <= {"d.db", "d.db-shm", "d.db-wal"}
    with closing(sqlite3.connect(path)) as program:
        program.execute("SELECT * FROM t").fetchall()
    assert names(path) == ["d.db"]


def test_a_journal_is_waited_for_and_not_read_past(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        # Without room for its changes the program writes them before it commits.
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN EXCLUSIVE")
        writer.executemany("INSERT INTO t VALUES (?)", [("x" * 5_000,)] * 50)
        assert Path(f"{path}-journal").exists()
        with pytest.raises(OSError, match="locked"):
            values(path)
        writer.execute("ROLLBACK")
    assert values(path) == ["one"]


def test_a_database_that_a_program_keeps_to_itself_is_read_later(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA locking_mode = EXCLUSIVE")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO t VALUES ('two')")
        writer.commit()
        with pytest.raises(OSError, match="locked"):
            values(path)
    assert values(path) == ["one", "two"]


def test_what_was_written_meanwhile_without_a_log_is_said(path: Path) -> None:
    def read_while_it_is_written() -> None:
        with sqlite.reading(str(path)) as connection:
            connection.execute("SELECT a FROM t").fetchall()
            with closing(sqlite3.connect(path)) as writer:
                writer.execute("INSERT INTO t VALUES ('two')")
                writer.commit()

    with pytest.raises(OSError, match="was written to"):
        read_while_it_is_written()


def test_a_database_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        values(tmp_path / "d.db")
    with pytest.raises(FileNotFoundError):
        interface.stamp(str(tmp_path / "d.db"))
    assert names(tmp_path / "d.db") == []


def test_signs_in_a_path_and_links_to_it_are_read(path: Path, logged: sqlite3.Connection) -> None:
    folder = path.parent / "50% of? #1"
    folder.mkdir()
    (folder / "link.db").symlink_to(path)
    assert values(folder / "link.db") == ["one", "two"]
    assert interface.stamp(str(folder / "link.db")) == interface.stamp(str(path))


def test_the_stamp_changes_with_every_write_and_not_with_reading(
    path: Path, logged: sqlite3.Connection
) -> None:
    before = interface.stamp(str(path))
    values(path)
    assert interface.stamp(str(path)) == before
    logged.execute("INSERT INTO t VALUES ('three')")
    second = interface.stamp(str(path))
    logged.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert len({before, second, interface.stamp(str(path))}) == 3


def test_nothing_can_be_written(path: Path, logged: sqlite3.Connection) -> None:
    for statement in ("DELETE FROM t", "CREATE TABLE u (a)", "ATTACH 'other.db' AS other"):
        with pytest.raises((OSError, sqlite.Unreadable)):
            values(path, statement)
    assert values(path) == ["one", "two"]


def test_texts_that_are_no_utf_8_are_read_leniently(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE t SET a = CAST(x'61ff62' AS TEXT)")
        writer.commit()
    assert values(path) == ["a\ufffdb"]


ENDLESS = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n"


@pytest.mark.parametrize(
    "schema",
    [
        f"CREATE VIEW hostile AS {ENDLESS}",
        "CREATE VIEW hostile AS SELECT hex(zeroblob(60000000)) AS a",
        "CREATE VIRTUAL TABLE hostile USING fts5(a)",
        "CREATE TABLE hostile (rowid TEXT, a TEXT)",
        "CREATE TABLE hostile (b, a AS (hex(zeroblob(60000000))) VIRTUAL)",
    ],
)
def test_what_is_no_plain_table_has_no_such_column(path: Path, schema: str) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute(schema)
        writer.commit()
    with sqlite.reading(str(path)) as connection:
        assert "a" not in sqlite.columns(connection, "hostile")
        assert sqlite.columns(connection, "t") == {"a"}
        assert sqlite.columns(connection, "nothing") == frozenset()


def test_work_without_an_end_is_cut_off(path: Path) -> None:
    with pytest.raises(sqlite.Unreadable, match="interrupted"):
        values(path, f"SELECT count(*) FROM ({ENDLESS})")


def test_work_that_takes_few_steps_and_long_is_cut_off(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_CPU_MAX_S", 0.1)
    with pytest.raises(sqlite.Unreadable, match="interrupted"):
        values(path, f"SELECT max(length(hex(randomblob(1000000 + a % 2)))) FROM ({ENDLESS})")


def test_a_value_that_is_too_long_is_left_out(path: Path) -> None:
    with sqlite.reading(str(path)) as connection:
        query = f"SELECT {sqlite.bounded('a', 3)}, {sqlite.bounded('a', 2)} FROM t"
        assert connection.execute(query).fetchall() == [("one", None)]


def test_a_value_of_any_length_is_not_held(path: Path) -> None:
    with pytest.raises(sqlite.Unreadable, match="too big"):
        values(path, "SELECT zeroblob(1000000000)")


def test_triggers_and_expressions_of_indexes_do_not_run(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END")
        writer.execute("CREATE INDEX i ON t (length(a)) WHERE a > 'b'")
        writer.commit()
    assert values(path) == ["one"]


@pytest.mark.parametrize("seed", range(60))
def test_damaged_pages_are_read_or_refused(path: Path, seed: int) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.executemany("INSERT INTO t VALUES (?)", [("x" * n,) for n in range(0, 9_000, 90)])
        writer.execute("CREATE INDEX i ON t (a)")
        writer.commit()
    content = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 20, 400))):
        content[chance.randrange(16, len(content))] = chance.randrange(256)
    path.write_bytes(content[: chance.choice((len(content), len(content) // 2, 200))])
    try:
        with sqlite.reading(str(path)) as connection:
            if sqlite.columns(connection, "t"):
                connection.execute("SELECT rowid, a FROM t WHERE rowid > 5").fetchall()
                connection.execute("SELECT a FROM t WHERE a = 'xx' ORDER BY a").fetchall()
    except (sqlite.Unreadable, OSError):
        pass
    assert names(path) == ["d.db"]


@pytest.mark.parametrize(
    "content", [b"", b"no database", sqlite.HEAD, sqlite.HEAD + b"\xff" * 2000]
)
def test_a_file_that_is_no_database_tells_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "d.db"
    path.write_bytes(content)
    with pytest.raises(sqlite.Unreadable):
        values(path)
    assert os.listdir(tmp_path) == ["d.db"]
