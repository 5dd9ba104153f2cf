"""A refresh gives the bytes of a rebuild, and writes only pages again that have other answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from stationmaster.wiki.facts.model import Facts, Noted, commit as commit_of, query
from stationmaster.wiki.making import refresh
from stationmaster.wiki.making.memo import Kept
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.page import Page
from tests.support.trees import Content
from tests.wiki.commits import facts_of

COUNTED: list[str] = []


class Thing:
    """No data."""


@query
def symbols_of(facts: Facts, path: str) -> tuple[str, ...]:
    COUNTED.append(path)
    return tuple(each.name for each in facts.code[path].symbols)


@query
def all_symbols(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    return {path: symbols_of(facts, path) for path in facts.code}


@query
def readme(facts: Facts) -> str:
    return facts.tree.text("README.md")


@query
def among(facts: Facts, paths: tuple[str, ...]) -> int:
    return sum(path in facts.code for path in paths)


@query
def named(facts: Facts, pairs: tuple[tuple[str, str], ...]) -> int:
    return sum(name in symbols_of(facts, path) for path, name in pairs)


@query
def thing(_: Facts) -> Thing:
    return Thing()


def last_symbol(facts: Facts) -> tuple[str, ...]:
    """Asks of a file that there is only while the answer before it is the same."""
    last = sorted(all_symbols(facts))[-1]
    return symbols_of(facts, last)


WRITERS: dict[str, Callable[[Facts], Any]] = {
    "one": lambda facts: symbols_of(facts, "a.py"),
    "all": lambda facts: sorted(all_symbols(facts).items()),
    "last": last_symbol,
    "readme": readme,
    "several": lambda facts: among(facts, ("a.py", "b.py")),
    "named": lambda facts: named(facts, (("a.py", "a"), ("b.py", "x"))),
    "thing": lambda facts: isinstance(thing(facts), Thing),
    "read": lambda facts: facts.records["b.py"].size,
    "commit": lambda facts: commit_of(facts).hash,
}


def write(page: Page, facts: Facts, subject: str) -> None:
    COUNTED.append(f"page {subject}")
    page.summary(str(WRITERS[subject](facts)))


def run(path: Path, contents: Mapping[str, Content], commit: str = "c") -> list[str]:
    """What was worked out anew for a commit with these files."""
    COUNTED.clear()
    facts = facts_of(contents)
    facts.commit = facts.commit._replace(hash=commit * 40)
    bodies: dict[str, str] = {}
    with Kept(path / "memory.db") as memory:
        for name in WRITERS:
            planned = Planned(name, name, write, name)
            written = refresh.page(planned, facts, memory)
            if written is None:
                noted = Noted(facts)
                page = Page(cast("Facts", noted), name, name)
                write(page, cast("Facts", noted), name)
                written = Written(name, name, "", page.body())
                refresh.keep(planned, written, noted, facts, memory)
            bodies[name] = written.body
    told = list(COUNTED)
    fresh = facts_of(contents)
    fresh.commit = facts.commit
    for name, body in bodies.items():
        page = Page(fresh, name, name)
        write(page, fresh, name)
        assert body == page.body()
    return told


FILES: dict[str, Content] = {
    "a.py": "def a(): ...\n", "b.py": "def b(): ...\n", "README.md": "# One\n",
}  # fmt: skip


def pages(path: Path, contents: Mapping[str, Content], commit: str = "d") -> set[str]:
    return {each for each in run(path, contents, commit) if each.startswith("page ")}


ALWAYS = {"thing", "read", "commit"}
"""Pages that are written anew at every commit: their answers are no data or tell of the commit, or
they read what is no question."""


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        ({}, set()),
        ({"a.py": "def a():\n    return 1\n"}, set()),
        ({"a.py": "def other(): ...\n"}, {"one", "all", "last", "named"}),
        ({"b.py": "def c(): ...\n"}, {"all", "last"}),
        ({"b.py": "def b(): ...\n# longer\n"}, set()),
        ({"c.py": "def c(): ...\n"}, {"all", "last"}),
        ({"README.md": "# Two\n"}, {"readme"}),
        ({"notes.md": "# Two\n"}, set()),
    ],
)
def test_only_pages_whose_questions_have_other_answers_are_written_anew(
    tmp_path: Path, change: dict[str, Content], anew: set[str]
) -> None:
    run(tmp_path, FILES)
    assert pages(tmp_path, FILES | change) == {f"page {each}" for each in anew | ALWAYS}


def test_the_same_commit_is_written_once(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    assert pages(tmp_path, FILES, "c") == set()


def test_a_removed_file_and_a_second_refresh_are_no_different(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    assert "page all" in pages(tmp_path, {"a.py": FILES["a.py"], "b.py": "", "x.py": "x = 1\n"})
    assert pages(tmp_path, FILES, "e") >= {"page all"}
    assert pages(tmp_path, FILES, "e") == set()


def test_a_question_is_not_asked_behind_one_with_another_answer(tmp_path: Path) -> None:
    run(tmp_path, FILES | {"z.py": "z = 1\n"})
    assert "page last" in pages(tmp_path, FILES)
    assert "z.py" not in COUNTED


def test_a_page_that_cannot_be_read_is_as_good_as_none(tmp_path: Path) -> None:
    planned = Planned("one", "one", write, "one")
    with Kept(tmp_path / "memory.db") as memory:
        memory.keep(b"\x93\x01\x02\x03", *refresh.words_of(planned))
        assert refresh.page(planned, facts_of(FILES), memory) is None
