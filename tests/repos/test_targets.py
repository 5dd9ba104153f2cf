"""What a person names: a folder, whatever its configuration wants to run, or an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.errors import BadRequest, NotFound
from stationmaster.repos import targets
from stationmaster.repos.model import FetchFailed
from stationmaster.repos.targets import WorkTreeState, opened
from stationmaster.settings import Settings
from tests.repos.conftest import settings_of
from tests.support.git_servers import GitServer
from tests.support.repositories import Repository

ORIGIN = "https://git.example/acme/shop"


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A clean work tree whose branch is known to its remote."""
    made = Repository(tmp_path / "shop")
    commit = made.commit({"a.txt": "one", "link": ("120000", "a.txt"), ".gitignore": "*.log\n"})
    made.git("reset", "--hard", "--quiet")
    made.git("remote", "add", "origin", "git@git.example:acme/shop.git")
    made.git("update-ref", "refs/remotes/origin/main", commit)
    return made


def standing(repository: Repository) -> WorkTreeState:
    with opened(str(repository.path), Settings()) as snapshot:
        return targets.standing(str(repository.path), snapshot)


def test_a_clean_checkout_of_a_pushed_commit_has_nothing_of_its_own(checkout: Repository) -> None:
    (checkout.path / "ignored.log").write_text("x")
    (checkout.path / ".git" / "info" / "exclude").write_text("mine\n")
    (checkout.path / "mine").write_text("x")

    assert standing(checkout) == WorkTreeState(ORIGIN, False, False)


@pytest.mark.parametrize("name", ["a.txt", "new.txt"])
def test_an_edited_and_an_untracked_file_are_local_changes(checkout: Repository, name: str) -> None:
    (checkout.path / name).write_text("two")
    assert standing(checkout).has_local_changes is True


def test_a_staged_file_is_a_local_change(checkout: Repository) -> None:
    (checkout.path / "a.txt").write_text("two")
    checkout.git("add", "a.txt")
    checkout.git("cat-file", "blob", ":a.txt")
    assert standing(checkout).has_local_changes is True


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_commit_that_no_remote_branch_has_is_told(checkout: Repository, is_packed: bool) -> None:
    if is_packed:
        checkout.git("pack-refs", "--all")
    assert standing(checkout).has_non_remote_commits is False
    checkout.commit({"a.txt": "two"})
    assert standing(checkout).has_non_remote_commits is True


def test_a_commit_behind_its_remote_is_told_as_known_there(checkout: Repository) -> None:
    before = checkout.git("rev-parse", "main")
    after = checkout.commit({"a.txt": "two"})
    checkout.git("update-ref", "refs/remotes/origin/main", after)
    checkout.git("update-ref", "refs/heads/main", before)
    assert standing(checkout).has_non_remote_commits is False


def test_a_bare_repository_without_remote_has_neither_address_nor_changes(tmp_path: Path) -> None:
    bare = Repository(tmp_path / "bare", "main", "--bare")
    bare.commit({"a": "b"})
    assert standing(bare) == WorkTreeState(None, False, True)


def test_nothing_that_a_repository_configures_runs(checkout: Repository) -> None:
    """Every key of git's that names a program and plays a part when a work tree is looked at."""
    trap = checkout.path.parent / "trapped"
    program = checkout.path.parent / "trap.sh"
    program.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.process", "diff.external",
                "core.sshCommand", "core.pager", "diff.x.textconv"):  # fmt: skip
        checkout.git("config", key, str(program))
    checkout.git("config", "include.path", str(checkout.path / "more"))
    (checkout.path / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")
    (checkout.path / ".gitattributes").write_text("* filter=x diff=x\n")
    (checkout.path / "a.txt").write_text("two")

    assert standing(checkout) == WorkTreeState(ORIGIN, True, False)
    assert not trap.exists()


def test_an_address_is_fetched_for_as_long_as_it_is_read(
    origin: Repository, server: GitServer, settings: Settings
) -> None:
    commit = origin.commit({"a": "b"})
    with opened(server.url("a"), settings) as snapshot:
        assert (snapshot.commit, snapshot.read("a", 9)) == (commit, b"b")
        assert targets.standing(server.url("a"), snapshot)[1:] == (False, False)
    assert not settings.repos_dir.exists()


def test_an_address_is_refused_by_the_rules_of_a_server(
    origin: Repository, server: GitServer, tmp_path: Path
) -> None:
    origin.commit({"a": "b"})
    with (
        pytest.raises(FetchFailed) as refused,
        opened(server.url("a"), Settings(data_dir=tmp_path)),
    ):
        pass
    assert refused.value.reason == "address_refused"
    small = settings_of(server, tmp_path)
    with pytest.raises(BadRequest), opened(server.url("a"), small, ref="main"):
        pass


def test_what_is_neither_folder_nor_address_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NotFound), opened(str(tmp_path / "nowhere"), Settings()):
        pass
