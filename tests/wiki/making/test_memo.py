"""What is remembered saves work and changes nothing, whatever becomes of the file."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from stationmaster.wiki.making import memo
from stationmaster.wiki.making.memo import Kept


def test_what_was_found_is_known_by_what_it_was_found_from(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Kept(path) as memory:
        memory.keep(b"facts", "file", "1" * 40, "Python")
        assert memory.get("file", "1" * 40, "Python") == b"facts"
    with Kept(path) as memory:
        assert memory.get("file", "1" * 40, "Python") == b"facts"
        assert memory.get("file", "1" * 40, "Ruby") is None
        assert memory.get("file", "1" * 40 + "Python") is None


def test_what_a_run_did_not_use_is_forgotten_once_it_came_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Kept(path) as memory:
        memory.keep(b"old", "1")
        memory.keep(b"used", "2")
    with suppress(OSError), Kept(path) as memory:
        memory.keep(b"new", "3")
        raise OSError
    with Kept(path) as memory:
        assert memory.get("2") == b"used"
        assert memory.get("3") == b"new"
    with Kept(path) as memory:
        assert memory.get("1") is None
        assert memory.get("2") == b"used"


def keep(path: Path) -> None:
    with Kept(path) as memory:
        memory.keep(b"kept", "1")


@pytest.mark.parametrize("spoil", ["text", "torn", "foreign", "values", "folder"])
def test_a_damaged_or_foreign_file_is_thrown_away_and_is_no_error(
    tmp_path: Path, spoil: str
) -> None:
    path = tmp_path / "memory.db"
    keep(path)
    if spoil == "text":
        path.write_bytes(b"no database at all" * 100)
    elif spoil == "torn":
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 5000)
    elif spoil == "foreign":
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE kept (other INTEGER)")
        connection.close()
    elif spoil == "values":
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE kept SET told = x'00'")
        connection.close()
    else:
        path.unlink()
        path.mkdir()
    for _ in range(2):
        with Kept(path) as memory:
            assert memory.get("1") in (None, b"\0")
    if spoil != "folder":
        keep(path)
        with Kept(path) as memory:
            assert memory.get("1") == b"kept"


def test_a_file_that_another_run_has_open_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Kept(path) as first:
        first.keep(b"kept", "1")
        with Kept(path) as second:
            second.keep(b"lost", "2")
            assert second.get("1") is None
    with Kept(path) as third:
        assert third.get("1") == b"kept"
        assert third.get("2") is None


@pytest.mark.parametrize("name", ["catalogue/rows.toml", "reading/calls.scm", "wiki/reader.py"])
def test_a_build_with_another_table_query_or_module_knows_nothing_of_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(memo, "__file__", str(tmp_path / "wiki" / "making" / "memo.py"))
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    known = []
    for text in ("one", "two", "two"):
        file.write_text(text)
        memo._build.cache_clear()
        with Kept(tmp_path / "memory.db") as memory:
            known.append(memory.get("facts"))
            memory.keep(b"kept", "facts")
    memo._build.cache_clear()
    assert known == [None, None, b"kept"]
