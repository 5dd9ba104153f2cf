"""What is remembered saves work and changes nothing, whatever becomes of the file."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.memo import Kept
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.written import Written
from tests.wiki.commits import facts_of

WRITTEN = Written("page", "Page", "One.", "# Page\n", ("a.py",))


@query
def size_of(facts: Facts, path: str) -> int:
    return facts.records[path].size


def write(page: Page, facts: Facts, path: str) -> None:
    page.summary(f"{size_of(facts, path)}")


PLANNED = Planned("page", "Page", write, "a.py")


def asked(facts: Facts) -> list[object]:
    with facts.noting() as noted:
        size_of(facts, "a.py")
    return list(noted)


def keep(path: Path, facts: Facts) -> None:
    with Kept(path) as memory:
        memory.keep_page(PLANNED, asked(facts), WRITTEN)  # type: ignore[arg-type] - objects above


def test_a_page_is_the_same_while_the_answers_are(tmp_path: Path) -> None:
    keep(tmp_path / "memory.db", facts_of({"a.py": "x = 1\n", "b.py": ""}))
    with Kept(tmp_path / "memory.db") as memory:
        assert memory.page(PLANNED, facts_of({"a.py": "y = 2\n", "c.py": ""})) == WRITTEN
        assert memory.page(PLANNED, facts_of({"a.py": "longer = 1\n"})) is None
        assert memory.page(PLANNED, facts_of({"c.py": ""})) is None
        assert memory.page(PLANNED._replace(version=2), facts_of({"a.py": "x = 1\n"})) is None
        assert memory.page(PLANNED._replace(title="P"), facts_of({"a.py": "x = 1\n"})) is None


def test_files_and_commits_are_known_by_what_they_are(tmp_path: Path) -> None:
    with Kept(tmp_path / "memory.db") as memory:
        memory.keep_file("1" * 40, "Python", b"facts")
        memory.keep_commit("2" * 40, b"changes")
        assert memory.file("1" * 40, "Python") == b"facts"
    with Kept(tmp_path / "memory.db") as memory:
        assert memory.file("1" * 40, "Python") == b"facts"
        assert memory.file("1" * 40, "Ruby") is None
        assert memory.commit("2" * 40) == b"changes"
        assert memory.commit("1" * 40) is None


def test_what_a_run_did_not_use_is_forgotten_once_it_came_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Kept(path) as memory:
        memory.keep_file("1", "Python", b"old")
        memory.keep_file("2", "Python", b"used")
    with suppress(OSError), Kept(path) as memory:
        memory.keep_file("3", "Python", b"new")
        raise OSError
    with Kept(path) as memory:
        assert memory.file("2", "Python") == b"used"
        assert memory.file("3", "Python") == b"new"
    with Kept(path) as memory:
        assert memory.file("1", "Python") is None
        assert memory.file("2", "Python") == b"used"


@pytest.mark.parametrize("spoil", ["text", "torn", "foreign", "values", "folder"])
def test_a_damaged_or_foreign_file_is_thrown_away_and_is_no_error(
    tmp_path: Path, spoil: str
) -> None:
    path = tmp_path / "memory.db"
    facts = facts_of({"a.py": "x = 1\n"})
    keep(path, facts)
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
            assert memory.page(PLANNED, facts) is None
            memory.file("1", "Python")
    if spoil != "folder":
        keep(path, facts)
        with Kept(path) as memory:
            assert memory.page(PLANNED, facts) == WRITTEN


def test_a_file_that_another_run_has_open_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Kept(path) as first:
        first.keep_file("1", "Python", b"kept")
        with Kept(path) as second:
            second.keep_file("2", "Python", b"lost")
            assert second.file("1", "Python") is None
    with Kept(path) as third:
        assert third.file("1", "Python") == b"kept"
        assert third.file("2", "Python") is None
