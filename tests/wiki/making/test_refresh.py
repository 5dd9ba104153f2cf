"""A refresh gives the bytes of a rebuild, and works out only what stands above a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from stationmaster.wiki.facts import model
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, Key, code_query, query
from stationmaster.wiki.making import refresh
from stationmaster.wiki.making.memo import Kept
from stationmaster.wiki.making.written import Written
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.page import Page
from tests.support.trees import Content
from tests.wiki.commits import facts_of

COUNTED: list[str] = []


class Thing:
    """No data: nobody knows what it reads when it is used."""


@query
def symbols_of(facts: Facts, path: str) -> tuple[str, ...]:
    COUNTED.append(path)
    return tuple(each.name for each in facts.code[path].symbols)


@query
def all_symbols(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    COUNTED.append("all")
    return {path: symbols_of(facts, path) for path in facts.code}


@query
def readme(facts: Facts) -> str:
    COUNTED.append("readme")
    return facts.tree.text("README.md")


@query
def thing(facts: Facts) -> Thing:
    return Thing()


@query
def of_thing(facts: Facts) -> int:
    assert thing(facts)
    COUNTED.append("thing")
    return 1


class Names:
    """No data, and filled by whoever asks first."""

    def __init__(self) -> None:
        self.of_a: tuple[str, ...] = ()

    def fill(self, facts: Facts) -> tuple[str, ...]:
        if not self.of_a:
            COUNTED.append("names")
            self.of_a = tuple(symbol.name for symbol in facts.code["a.py"].symbols)
        return self.of_a


@code_query
def names(facts: Facts) -> Names:
    assert not all_links(facts).unresolved
    return Names()


@query
def first_asker(facts: Facts) -> tuple[str, ...]:
    return names(facts).fill(facts)


@query
def second_asker(facts: Facts) -> tuple[str, ...]:
    return names(facts).fill(facts)


WRITERS: dict[str, Callable[[Facts], Any]] = {
    "one": lambda facts: symbols_of(facts, "a.py"),
    "all": lambda facts: sorted(all_symbols(facts).items()),
    "readme": readme,
    "thing": of_thing,
    "first": first_asker,
    "second": second_asker,
    "raw": lambda facts: facts.records["b.py"].size,
    "name": lambda facts: facts.commit.name,
}


def write(page: Page, facts: Facts, subject: str) -> None:
    COUNTED.append(f"page {subject}")
    page.summary(str(WRITERS[subject](facts)))


def run(path: Path, contents: Mapping[str, Content], commit: str = "c") -> list[str]:
    """What was worked out anew for a commit with these files."""
    COUNTED.clear()
    facts = facts_of(contents)
    facts.raw.commit = facts.raw.commit._replace(hash=commit * 40)
    with Kept(path / "memory.db") as memory:
        refresh.recall(facts, memory)
        noted: dict[Key, None] = {}
        bodies: dict[str, str] = {}
        for name in WRITERS:
            planned = Planned(name, name, write, name)
            kept = refresh.page(planned, facts, memory)
            if kept is None:
                with facts.noting() as asked:
                    page = Page(facts, name, name)
                    write(page, facts, name)
                    written = Written(name, name, "", page.body(), ())
                refresh.keep(planned, written, asked, facts, memory)
                kept = written, list(asked)
            bodies[name] = kept[0].body
            noted.update(dict.fromkeys(kept[1]))
        refresh.note(facts, memory, noted)
    told = list(COUNTED)
    for name, body in bodies.items():
        fresh = Page(facts, name, name)
        write(fresh, facts_of(contents), name)
        assert body == fresh.body()
    return told


FILES: dict[str, Content] = {
    "a.py": "def a(): ...\n", "b.py": "def b(): ...\n", "README.md": "# One\n",
}  # fmt: skip


def pages(path: Path, contents: Mapping[str, Content], commit: str = "d") -> set[str]:
    return {each for each in run(path, contents, commit) if each.startswith("page ")}


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        ({}, set()),
        ({"a.py": "def a():\n    return 1\n"}, set()),
        ({"a.py": "def other(): ...\n"}, {"one", "all", "first", "second"}),
        ({"b.py": "def c(): ...\n"}, {"all", "raw"}),
        ({"b.py": "def b(): ...\n# longer\n"}, {"raw"}),
        ({"c.py": "def c(): ...\n"}, {"all"}),
        ({"README.md": "# Two\n"}, {"readme"}),
        ({"notes.md": "# Two\n"}, set()),
    ],
)
def test_only_pages_whose_questions_have_other_answers_are_written_anew(
    tmp_path: Path, change: dict[str, Content], anew: set[str]
) -> None:
    run(tmp_path, FILES)
    told = run(tmp_path, FILES | change, "d")
    assert {each for each in told if each.startswith("page ")} == {f"page {each}" for each in anew}


def test_a_removed_file_and_a_second_refresh_are_no_different(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    assert "page all" in pages(tmp_path, {"a.py": FILES["a.py"], "b.py": "", "x.py": "x = 1\n"})
    assert pages(tmp_path, FILES, "e") >= {"page all"}
    assert pages(tmp_path, FILES, "e") == set()


def test_notes_that_cannot_be_read_are_as_good_as_none(tmp_path: Path) -> None:
    with Kept(tmp_path / "memory.db") as memory:
        memory.keep(b"\x93\x01\x02\x03", "notes")
    facts = facts_of(FILES)
    with Kept(tmp_path / "memory.db") as memory:
        refresh.recall(facts, memory)
    assert not facts.known.asked


def test_an_answer_that_is_no_data_holds_for_one_commit_alone(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    assert "thing" not in run(tmp_path, FILES, "c")
    assert "thing" in run(tmp_path, FILES, "d")


@pytest.mark.parametrize(
    ("change", "is_anew"),
    [
        ({"README.md": "# Two\n"}, False),
        ({"b.py": "def c(): ...\n"}, True),
        ({"c.py": ""}, True),
        ({".gitattributes": "b.py linguist-vendored\n"}, True),
    ],
)
def test_an_answer_that_is_no_data_and_reads_code_holds_while_all_code_is_as_it_was(
    tmp_path: Path, change: dict[str, Content], is_anew: bool
) -> None:
    run(tmp_path, FILES)
    assert ("names" in run(tmp_path, FILES | change, "d")) == is_anew


def test_a_kept_answer_outlasts_a_refresh_that_did_not_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "SLOW_S", 0.0)
    run(tmp_path, FILES)
    second = FILES | {"README.md": "# Two\n"}
    assert "a.py" not in run(tmp_path, second, "d")
    third = run(tmp_path, second | {"b.py": "def c(): ...\n"}, "e")
    assert "b.py" in third
    assert "a.py" not in third
