"""What is made of one file is made once for all runs in which the file is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.wiki.facts.model import QUERIES, Facts, of_file, of_texts
from stationmaster.wiki.making.generate import write
from stationmaster.wiki.making.memo import Kept, Nothing
from tests.support.trees import Content
from tests.wiki.commits import facts_of
from tests.wiki.making.test_refresh_random import GO, PYTHON, WEB

COUNTED: list[str] = []
FILES: dict[str, Content] = {
    "a.py": "def one(): ...\n",
    "b.py": "def two(): ...\n",
    "README.md": "# Shop\n",
}


@of_file
def lines(facts: Facts, path: str, first: int) -> tuple[str, ...]:
    COUNTED.append(path)
    return tuple(facts.tree.text(path).split("\n")[first - 1 :])


def letters(text: str) -> int:
    COUNTED.append(text)
    return len(text)


def asked(memory: Path, files: dict[str, Content], first: int = 1) -> list[str]:
    """Of which files a run made something anew."""
    COUNTED.clear()
    with Kept(memory) as kept:
        facts = facts_of(files, memory=kept)
        for path in files:
            answer = lines(facts, path, first)
            assert answer == tuple(facts.tree.text(path).split("\n")[first - 1 :])
        facts.remembered.keep()
    return list(COUNTED)


def test_a_file_that_stays_the_same_is_asked_once(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    assert asked(memory, FILES) == [*FILES]
    assert asked(memory, FILES) == []
    assert asked(memory, FILES | {"b.py": "def other(): ...\n"}) == ["b.py"]
    assert asked(memory, {"c.py": FILES["a.py"], "b.py": FILES["b.py"]}) == ["c.py", "b.py"]


def test_another_argument_is_another_question(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    assert asked(memory, FILES) == [*FILES]
    assert asked(memory, FILES, 2) == [*FILES]
    assert asked(memory, FILES, 2) == []


def test_what_nobody_asked_is_forgotten_with_the_next_change(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    for first in (1, 2, 3):
        assert asked(memory, FILES, first) == [*FILES]
    assert asked(memory, FILES, 1) == [*FILES]


@pytest.mark.parametrize("content", [b"", b"\x81", b"\x81\xc4\x01a\xc1"])
def test_a_damaged_memory_is_no_answer(tmp_path: Path, content: bytes) -> None:
    memory = tmp_path / "memory.db"
    record = facts_of(FILES).records["a.py"]
    with Kept(memory) as kept:
        kept.keep(content, "answers", record.path, record.oid, record.language)
    assert "a.py" in asked(memory, FILES)


def test_an_answer_of_another_type_is_made_anew(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    with Kept(memory) as kept:
        facts = facts_of(FILES, memory=kept)
        facts.remembered.put("a.py", 7, lines.__wrapped__.__wrapped__, (1,))  # type: ignore[attr-defined]
        facts.remembered.keep()
    assert "a.py" in asked(memory, FILES)


def test_of_a_link_and_of_a_file_that_was_not_read_nothing_is_remembered(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    files: dict[str, Content] = FILES | {"same.md": ("120000", "README.md")}
    for _ in range(2):
        assert "same.md" in asked(memory, files)
    with Kept(memory) as kept:
        facts = facts_of(FILES, memory=kept)
        head = facts.heads["a.py"]
        failed = type(head)("timeout", head.lines, head.language)
        facts.remembered.heads = {**facts.heads, "a.py": failed}
        COUNTED.clear()
        lines(facts, "a.py", 1)
        facts.remembered.keep()
    assert COUNTED == ["a.py"]


def test_texts_are_read_once(tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    for expected in ([*FILES.values()], [], ["new\n"]):
        COUNTED.clear()
        files = FILES | ({"a.py": "new\n"} if expected == ["new\n"] else {})
        with Kept(memory) as kept:
            facts = facts_of(files, memory=kept)
            answers = dict(of_texts(facts, letters, [*files], 1_000))
            facts.remembered.keep()
        assert answers == {path: len(str(text)) for path, text in files.items()}
        assert sorted(COUNTED) == sorted(map(str, expected))


@pytest.mark.parametrize("files", [PYTHON, GO, WEB])
def test_what_is_remembered_of_a_file_is_the_same_where_it_is_alone(
    files: dict[str, Content],
) -> None:
    facts = facts_of(files)
    write(facts, facts.commit, Nothing())
    of_files = {name for name, ask in QUERIES.items() if hasattr(ask, "__wrapped__")}
    questions = [key for key in facts.answers if key[0] in of_files]
    alone = {path: facts_of({path: content}) for path, content in files.items()}
    assert len({name for name, _ in questions}) > 10
    for name, arguments in questions:
        path = str(arguments[0])
        assert alone[path].answer((name, arguments)) == facts.answer((name, arguments)), name
