"""The newest part of a commit's history."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from stationmaster.repos import history
from stationmaster.repos.history import Commit, History
from stationmaster.repos.reading import open_path
from tests.support.repositories import SECONDS, Repository

DAY = 86_400


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def read(path: Path) -> History:
    with open_path(path) as snapshot:
        return history.read(snapshot)


def test_history_tells_who_changed_what_and_when(repository: Repository) -> None:
    repository.commit({"a\nb.md": "1", "c.py": "1"}, author="Ada\x1b[31m", at=SECONDS)
    newest = repository.commit({"c.py": "2"}, author="renovate[bot]", at=SECONDS + DAY)

    found = read(repository.path)

    assert [(each.author, each.at // 1000 - SECONDS, each.paths) for each in found.commits] == [
        ("renovate[bot]", DAY, ("c.py",)),
        ("Ada[31m", 0, ("a\nb.md", "c.py")),
    ]
    assert found.commits[0].oid == newest
    assert [each.is_by_bot for each in found.commits] == [True, False]
    assert found.is_complete


def test_no_address_of_a_person_is_kept(repository: Repository) -> None:
    repository.commit({"a": "1"})
    message = "Do it\n\nCo-authored-by: Claude <noreply@anthropic.com>\nSigned-off-by: A <a@b.de>\n"
    tree = repository.git("rev-parse", "main^{tree}")
    commit = repository.git("commit-tree", "-F", "-", tree, stdin=message.encode())
    repository.git("update-ref", "refs/heads/main", commit)

    (found,) = read(repository.path).commits

    assert found.email_domain == "example.com"
    assert found.message.endswith(
        "Co-authored-by: Claude <@anthropic.com>\nSigned-off-by: A <@b.de>\n"
    )


def test_history_ends_a_year_before_its_newest_commit(repository: Repository) -> None:
    for days in (0, 100, 400, 460):
        repository.commit({"a": str(days)}, at=SECONDS + days * DAY)

    found = read(repository.path)

    assert [each.at // 1000 - SECONDS for each in found.commits] == [
        460 * DAY,
        400 * DAY,
        100 * DAY,
    ]
    assert found.is_complete


def test_a_limit_and_a_shallow_copy_make_history_incomplete(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        repository.commit({"a": str(number)}, at=SECONDS + number)
    clone = ["git", "clone", "-q", "--bare", "--depth=2", f"file://{repository.path}"]
    subprocess.run([*clone, str(tmp_path / "copy")], check=True)
    assert not read(tmp_path / "copy").is_complete

    monkeypatch.setattr(history, "COMMITS_MAX", 3)
    found = read(repository.path)
    assert (len(found.commits), found.is_complete) == (3, False)


def test_tags_have_the_time_of_what_they_name(repository: Repository) -> None:
    repository.commit({"a": "1"}, at=SECONDS)
    repository.git("tag", "v1")
    repository.commit({"a": "2"}, at=SECONDS + DAY)
    repository.git("tag", "v2")
    repository.git("pack-refs", "--all")
    repository.git("update-ref", "refs/tags/tree", repository.git("rev-parse", "main^{tree}"))

    found = read(repository.path)

    assert [(each.name, each.at // 1000 - SECONDS) for each in found.tags] == [
        ("v2", DAY),
        ("v1", 0),
    ]


@pytest.mark.parametrize(
    ("author", "is_bot"),
    [
        ("dependabot[bot]", True),
        ("github-actions", True),
        ("pre-commit-ci[bot]", True),
        ("copilot-swe-agent[bot]", False),
        ("devin-ai-integration[bot]", False),
        ("Abbot Smith", False),
        ("Claude Monet", False),
    ],
)
def test_a_bot_is_known_by_its_name_and_an_agent_is_none(author: str, is_bot: bool) -> None:
    assert Commit("", author, "", 0, "", ()).is_by_bot is is_bot


def test_what_the_last_commit_of_a_shallow_copy_changed_is_not_known(
    repository: Repository, tmp_path: Path
) -> None:
    for number in range(3):
        repository.commit({f"{number}.md": "1"}, at=SECONDS + number)
    repository.git("clone", "-q", "--depth=2", f"file://{repository.path}", str(tmp_path / "clone"))

    found = read(tmp_path / "clone")

    assert [each.paths for each in found.commits] == [("2.md",), ()]
    assert found.is_cut
    assert not read(repository.path).is_cut
