"""Short hashes and steps back, of repositories whose own configuration git never sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.errors import NotFound
from stationmaster.repos.reading import open_path
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    for text in "abc":
        made.commit({"a": text})
    made.git("tag", "v1", "main~1")
    return made


@pytest.mark.parametrize(
    ("ref", "named"),
    [
        ("HEAD", "main"),
        ("HEAD~2", "main~2"),
        ("HEAD^^", "main~2"),
        ("main~", "main~1"),
        ("v1^", "main~2"),
    ],
)
def test_a_step_back_is_the_commit_that_git_means(
    repository: Repository, ref: str, named: str
) -> None:
    with open_path(repository.path, ref) as snapshot:
        assert snapshot.commit == repository.git("rev-parse", named)


@pytest.mark.parametrize("length", [7, 10, 39, 40])
def test_a_short_hash_is_its_commit(repository: Repository, length: int) -> None:
    oid = repository.git("rev-parse", "main~1")

    with open_path(repository.path, oid[:length]) as snapshot:
        assert snapshot.commit == oid


def test_a_branch_wins_over_a_hash_of_the_same_letters(repository: Repository) -> None:
    oid = repository.git("rev-parse", "main~1")
    repository.git("branch", oid[:7], "main")

    with open_path(repository.path, oid[:7]) as snapshot:
        assert snapshot.branch == oid[:7]
        assert snapshot.commit == repository.git("rev-parse", "main")


@pytest.mark.parametrize("ref", ["HEAD~3", "main^2", "v1~9", "deadbeef", "nobranch~1", "v2"])
def test_what_names_no_commit_is_not_found(repository: Repository, ref: str) -> None:
    with pytest.raises(NotFound):
        open_path(repository.path, ref)
