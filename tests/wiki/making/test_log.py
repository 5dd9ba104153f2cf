"""What the log proves, of real repositories made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stationmaster.repos.reading import Snapshot, open_path
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.making import log as logs
from stationmaster.wiki.making.gathering import gather
from stationmaster.wiki.making.memo import Nothing
from tests.support.repositories import SECONDS, Content, Repository

DAY = 86_400


def facts_of(repository: Repository) -> Facts:
    with open_path(repository.path) as snapshot:
        commit = Commit(snapshot.commit, snapshot.committed_at, "main", None, "made")
        return gather(snapshot, commit, Nothing())


def grown(path: Path, *steps: tuple[int, str, Mapping[str, Content]]) -> Facts:
    """Of a repository with a commit for each day before the last, author and change."""
    repository = Repository(path / "made")
    for days, author, files in steps:
        repository.commit(files, author=author, at=SECONDS - days * DAY)
    return facts_of(repository)


def test_only_the_last_two_years_before_the_head_count(tmp_path: Path) -> None:
    facts = grown(
        tmp_path, (800, "Ada", {"a.py": "1"}), (700, "Ada", {"a.py": "2"}), (0, "Ada", {"b.py": ""})
    )
    assert [[file.path for file in it.files] for it in facts.log] == [["b.py"], ["a.py"]]


class Remembers(Nothing):
    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], bytes] = {}

    def get(self, *words: str) -> bytes | None:
        return self.rows.get(words)

    def keep(self, content: bytes, *words: str) -> None:
        self.rows[words] = content


@pytest.mark.parametrize("one_by_one", [0, 300])
def test_remembered_commits_are_not_asked_for_again_and_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: int
) -> None:
    monkeypatch.setattr(logs, "_ONE_BY_ONE_MAX", one_by_one)
    asked: list[int] = []
    ask = logs._ask

    def counted(snapshot: Snapshot, missing: Sequence[str], count: int) -> Any:
        asked.append(len(missing))
        return ask(snapshot, missing, count)

    monkeypatch.setattr(logs, "_ask", counted)
    repository = Repository(tmp_path / "made")
    for number in range(4):
        repository.commit({"a.py": f"{number}", f"{number}/b.py": "x"}, at=SECONDS + number)
    memory = Remembers()
    with open_path(repository.path) as snapshot:
        first = logs.read(snapshot, memory)
    repository.commit({"a.py": None}, at=SECONDS + 9)
    with open_path(repository.path) as snapshot:
        again = logs.read(snapshot, memory)
        assert again == logs.read(snapshot, Nothing())
    assert asked == [4, 1, 5]
    assert again[1:] == first
