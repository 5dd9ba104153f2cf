"""`repos`: the repositories of an organization."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from stationmaster import settings
from stationmaster.cli import groups
from stationmaster.cli.api import Api
from stationmaster.cli.options import Connection, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, StationmasterError

repos = groups.group()


Repo = Annotated[str, typer.Argument(metavar="URL|ID", help="Its address, or its id.")]
_PATH = "/api/platform/v1/repositories"
_COLUMNS = (
    "url: repository, defaultBranch: branch, headCommit: commit (commit), "
    "fetchedAt: fetched (moment), fetchError: error, hasCredential: own credential (wide), "
    "repoId: id (wide)"
)


@repos.command("add")
def add(
    connection: Connection,
    address: Annotated[str, typer.Argument(metavar="URL", help="As for `git clone`.")],
    token_env: Annotated[
        str | None, typer.Option(help="The environment variable with a token or a password.")
    ] = None,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read it from standard input instead.")
    ] = False,
    username: Annotated[str | None, typer.Option(help="The user name of the password.")] = None,
) -> output.Shown:
    """Register a repository; nothing is fetched yet. A new token replaces the earlier one."""
    body: dict[str, Any] = {"url": address}
    if (secret := _secret(token_env, token_stdin)) is not None:
        kind = "token" if username is None else "basic"
        body["credential"] = {"kind": kind, "secret": secret, "username": username}
    elif username is not None:
        raise BadRequest("--username needs --token-env or --token-stdin", code="usage")
    yield from _show([connection.api().send("POST", _PATH, body)])


@repos.command("list")
def list_repositories(connection: Connection, wide: Wide = False) -> output.Shown:
    """List the registered repositories by address."""
    repositories = connection.api().rows(_PATH, "repositories")
    empty = "No repositories are registered: `stationmaster repos add ADDRESS`."
    yield from output.as_list("repositories", _COLUMNS, repositories, wide=wide, empty=empty)


@repos.command("show")
def show(connection: Connection, repository: Repo) -> output.Shown:
    """Show one repository."""
    api = connection.api()
    yield from _show([api.get(f"{_PATH}/{_id(api, repository)}")])


@repos.command("remove")
def remove(connection: Connection, repository: Repo, yes: Yes = False) -> output.Shown:
    """Delete a repository, its token, and everything that was fetched."""
    api = connection.api()
    repo_id = _id(api, repository)
    confirm(
        f"Remove {repository}, its credential and its mirror? The repository itself and its token "
        "at the forge stay valid.",
        yes,
    )
    api.send("DELETE", f"{_PATH}/{repo_id}")
    yield from output.as_answer({"repoId": repo_id}, f"{repository} is removed.")


@repos.command("refresh")
def refresh(connection: Connection, repository: Repo) -> output.Shown:
    """Fetch a repository's default branch now."""
    api = connection.api()
    yield from _show([api.send("POST", f"{_PATH}/{_id(api, repository)}/refresh")])


def addresses(api: Api) -> dict[str, str]:
    """The address of each registered repository by its id; {} for a caller who may not see them."""
    try:
        return {repo["repoId"]: repo["url"] for repo in api.rows(_PATH, "repositories")}
    except StationmasterError:
        return {}


def _secret(name: str | None, from_stdin: bool) -> str | None:
    """Not an option's value: arguments of a process are everyone's to see."""
    if name is not None and from_stdin:
        raise BadRequest("choose one of --token-env and --token-stdin", code="usage")
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if name is None:
        return None
    text = settings.variable(name)
    if not text:
        raise BadRequest(f"the variable {name} is not set", code="usage")
    return text


def _id(api: Api, wanted: str) -> str:
    if wanted.startswith("repo_"):
        return wanted
    repositories = api.get(_PATH, url=wanted)["repositories"]
    if not repositories:
        raise BadRequest(f"{wanted} is not registered", code="no_repository")
    return str(repositories[0]["repoId"])


def _show(repositories: list[dict[str, Any]]) -> output.Shown:
    yield repositories[0]
    output.as_record(_COLUMNS, repositories[0])
