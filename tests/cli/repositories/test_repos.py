"""`repos`: registering, fetching and forgetting repositories, beside a folder and from afar."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cast import Cast
from tests.support.commands import command, succeed
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import Repository
from tests.support.servers import running_server, settings_for

SECRET = "marked-secret-0451"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    """A server of the repository `a`, permitted by the environment."""
    folder = tmp_path / "served"
    folder.mkdir()
    with git_server(folder) as running:
        monkeypatch.setenv("STATIONMASTER_REPOS_PRIVATE_HOSTS", running.place)
        monkeypatch.setenv("STATIONMASTER_REPOS_HTTP_HOSTS", running.place)
        yield running


def repos(made: dict[str, str], verb: str, *more: str, env: dict[str, str] | None = None) -> Any:
    return succeed("repos", verb, *more, "--data-dir", made["data"], env=env)


def test_a_repository_is_added_fetched_shown_and_removed(
    made: dict[str, str], git: GitServer
) -> None:
    commit = Repository(git.folder / "a", "main", "--bare").commit({"a": "1"})
    url = git.url("a")

    added = repos(made, "add", url)
    fetched = repos(made, "refresh", url + ".git/")
    by_id = repos(made, "show", added["repoId"])
    listed = repos(made, "list")
    removed = repos(made, "remove", url)

    assert (added["url"], added["headCommit"]) == (url, None)
    assert (fetched["headCommit"], fetched["defaultBranch"]) == (commit, "main")
    assert by_id == fetched
    assert listed == {"repositories": [fetched]}
    assert removed == {"repoId": added["repoId"]}
    assert repos(made, "list") == {"repositories": []}


def test_a_token_comes_from_a_variable_or_from_standard_input(
    made: dict[str, str], git: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository(git.folder / "a", "main", "--bare").commit({"a": "1"})
    url = git.url("a")

    git.authorization = f"Bearer {SECRET}"
    added = repos(made, "add", url, "--token-env", "MY_TOKEN", env={"MY_TOKEN": SECRET})
    first = repos(made, "refresh", url)
    git.authorization = "Basic YWRhOm90aGVy"
    monkeypatch.setattr(sys, "stdin", io.StringIO("other\n"))
    repos(made, "add", url, "--token-stdin", "--username", "ada")
    second = repos(made, "refresh", url)

    assert added["hasCredential"]
    assert SECRET not in str(added)
    assert first["headCommit"] == second["headCommit"] is not None


def test_a_table_is_for_people(made: dict[str, str]) -> None:
    repos(made, "add", "git@git.example:acme/app.git")

    shown = command("repos", "list", "--data-dir", made["data"]).stdout.decode()

    assert "https://git.example/acme/app" in shown
    assert "[" not in shown


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("add", "nonsense"), "This is not a repository address"),
        (("add", "https://git.example/a", "--token-env", "MISSING_ONE"), "the variable MISSING"),
        (("add", "https://git.example/a", "--username", "x"), "--username needs"),
        (("add", "https://git.example/a", "--token-env", "A", "--token-stdin"), "choose one of"),
        (("show", "https://git.example/missing"), "https://git.example/missing is not registered"),
        (("show", "repo_missing"), "There is no such repository."),
        (("remove", "repo_missing"), "There is no such repository."),
    ],
)
def test_what_cannot_be_is_one_line(
    made: dict[str, str], arguments: tuple[str, ...], error: str
) -> None:
    done = command("repos", *arguments, "--data-dir", made["data"])

    assert done.error.startswith(error)


def test_a_failed_fetch_is_one_line_without_the_token(made: dict[str, str], git: GitServer) -> None:
    url = git.url("missing")
    repos(made, "add", url, "--token-env", "MY_TOKEN", env={"MY_TOKEN": SECRET})

    done = command("repos", "refresh", url, "--data-dir", made["data"])

    assert done.error.startswith("The repository does not exist or is not accessible")
    assert repos(made, "show", url)["fetchError"] == "not_found"


def test_a_server_is_asked_with_its_url_and_key(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite")) as server:
        cast = Cast(server.services.db, "acme")
        there = ("--url", server.url, "--key", cast.keys["manager"] or "")
        added = succeed("repos", "add", "https://git.example/a", *there)

        assert succeed("repos", "list", *there) == {"repositories": [added]}
        member = ("--url", server.url, "--key", cast.keys["member"] or "")
        assert command("repos", "remove", added["repoId"], *member).code == 1
