"""`repos`: the repositories of an organization."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from stationmaster import settings
from stationmaster.cli import asking, groups
from stationmaster.cli.api import Api
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.errors import BadRequest, StationmasterError

repos = groups.group()

_PAGE = 100


def _short(commit: object) -> str:
    return str(commit or "")[:12]


Repo = Annotated[str, typer.Argument(metavar="URL|ID", help="Its address, or its id.")]
_PATH = "/api/platform/v1/repositories"
_COLUMNS = {
    "url": Column("repository"),
    "defaultBranch": Column("branch"),
    "headCommit": Column("commit", _short),
    "fetchedAt": table.moment("fetched"),
    "fetchError": Column("error"),
    "hasCredential": table.wide("own credential"),
    "repoId": table.wide("id"),
}


def register(app: typer.Typer) -> None:
    """Add the group `repos`."""
    app.add_typer(repos, name="repos")


@repos.command("add")
def add(
    connection: Connection,
    address: Annotated[str, typer.Argument(metavar="URL", help="As `git clone` takes it.")],
    token_env: Annotated[
        str | None, typer.Option(help="The variable that holds a token or a password.")
    ] = None,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read it from standard input instead.")
    ] = False,
    username: Annotated[str | None, typer.Option(help="The user whose password it is.")] = None,
    json: Json = False,
) -> None:
    """Register a repository; nothing is fetched yet. A given token replaces an earlier one."""
    body: dict[str, Any] = {"url": address}
    if (secret := _secret(token_env, token_stdin)) is not None:
        kind = "token" if username is None else "basic"
        body["credential"] = {"kind": kind, "secret": secret, "username": username}
    elif username is not None:
        raise BadRequest("--username goes with --token-env or --token-stdin", code="usage")
    _show([connection.api().send("POST", _PATH, body)], json)


@repos.command("list")
def list_repositories(connection: Connection, wide: Wide = False, json: Json = False) -> None:
    """List the registered repositories by address."""
    found = _all(connection.api())
    empty = "No repositories are registered: `stationmaster repos add ADDRESS`."
    output.as_list("repositories", _COLUMNS, found, json, wide=wide, empty=empty)


@repos.command("show")
def show(connection: Connection, repository: Repo, json: Json = False) -> None:
    """Show one repository."""
    api = connection.api()
    _show([api.get(f"{_PATH}/{_id(api, repository)}")], json)


@repos.command("remove")
def remove(connection: Connection, repository: Repo, yes: Yes = False, json: Json = False) -> None:
    """Forget a repository, its token, and everything that was fetched of it."""
    api = connection.api()
    repo_id = _id(api, repository)
    asking.confirm(
        f"Remove {repository}, its credential and its mirror? The repository itself and its token "
        "at the forge stay valid.",
        yes,
    )
    api.send("DELETE", f"{_PATH}/{repo_id}")
    if json:
        output.as_json({"repoId": repo_id})
    else:
        output.say(f"{repository} is removed.")


@repos.command("refresh")
def refresh(connection: Connection, repository: Repo, json: Json = False) -> None:
    """Fetch a repository's default branch now."""
    api = connection.api()
    _show([api.send("POST", f"{_PATH}/{_id(api, repository)}/refresh")], json)


def addresses(api: Api) -> dict[str, str]:
    """The address of each registered repository by its id; {} for a caller who may not see them."""
    try:
        return {repo["repoId"]: repo["url"] for repo in _all(api)}
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
    found = api.get(_PATH, url=wanted)["repositories"]
    if not found:
        raise BadRequest(f"{wanted} is not registered", code="no_repository")
    return str(found[0]["repoId"])


def _all(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.get(_PATH, limit=_PAGE, cursor=cursor)
        found += page["repositories"]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            return found


def _show(found: list[dict[str, Any]], json: bool) -> None:
    if json:
        output.as_json(found[0])
    else:
        output.as_record(_COLUMNS, found[0])
