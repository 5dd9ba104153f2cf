"""`wiki`: uploading, reading and exporting wikis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import asking, groups, writable
from stationmaster.cli.api import Api
from stationmaster.cli.configure import Connection, configure
from stationmaster.cli.options import Json, Wide, Yes
from stationmaster.cli.printing import output, table
from stationmaster.cli.printing.table import Column
from stationmaster.cli.repositories import wiki_making
from stationmaster.cli.repositories.wiki_making import Layout
from stationmaster.cli.typed import renamed
from stationmaster.errors import NotFound, OperatorError, StationmasterError
from stationmaster.wiki import model
from stationmaster.wiki.outputs import layouts
from stationmaster.wiki.transfer import archives, layout, plain_files

wiki = groups.group()

Run = Annotated[str, typer.Argument(help="The id of a run.")]
_PATH = "/api/v0/wiki"
_FIELDS = {"repoUrl": "--repo", "commitHash": "--commit", "branch": "--branch"}
_COLUMNS = {
    "repoUrl": Column("repository"),
    "commitHash": Column("commit", lambda commit: str(commit or "")[:12]),
    "pageCount": Column("pages"),
    "createdAt": table.moment("created"),
    "wikiRunId": Column("run"),
    "privacyLevel": table.wide("visible to"),
    "branch": table.wide("branch"),
    "agentVersion": table.wide("written by"),
}
_FILE_NAME = re.compile(r'filename="([A-Za-z0-9._-]+\.zip)"')


def register(app: typer.Typer) -> None:
    """Add the group `wiki`, with the commands that make wikis."""
    wiki_making.register(wiki)
    app.add_typer(wiki, name="wiki")


@wiki.command("upload")
def upload(
    connection: Connection,
    source: Annotated[
        Path, typer.Argument(metavar="DIR|ZIP", exists=True, help="Pages, or an export of them.")
    ],
    repo: Annotated[
        str | None, typer.Option(help="The repository's address (that of the current folder).")
    ] = None,
    commit: Annotated[str | None, typer.Option(help="The commit that it describes.")] = None,
    branch: Annotated[str | None, typer.Option(help="The branch of that commit.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Show it to no one else.")] = False,
    json: Json = False,
) -> None:
    """Store a wiki as a new run, all of it or nothing."""
    is_file = source.is_file()
    archive = source.read_bytes() if is_file else archives.pack(plain_files.entries(source))
    told: dict[str, Any] = {}
    if repo is None and not is_file and not _names_repository(source / layout.MANIFEST):
        told = _of_folder(Path.cwd())
    given = {"repoUrl": repo, "commitHash": commit, "branch": branch}
    told |= {name: value for name, value in given.items() if value is not None}
    told["privacyLevel"] = "private" if private else "organization"
    try:
        answer = connection.api().request(
            "POST",
            _PATH,
            params={name: value for name, value in told.items() if value is not None},
            content=archive,
            headers={"Content-Type": archives.MEDIA_TYPE},
        )
    except StationmasterError as refused:
        raise renamed(refused, _FIELDS) from None
    run = answer.json()
    if json:
        output.as_json(run)
    else:
        output.say(f"{run['pageCount']} pages of {run['repoUrl']} are stored as:")
        typer.echo(run["wikiRunId"])


@wiki.command("list")
def list_runs(
    connection: Connection,
    repo: Annotated[str | None, typer.Option(help="All runs of this repository.")] = None,
    wide: Wide = False,
    json: Json = False,
) -> None:
    """List the newest run of each repository, or the history of one."""
    api = connection.api()
    found = _history(api, repo) if repo is not None else api.get(_PATH)["wikiRuns"]
    output.as_list("wikiRuns", _COLUMNS, found, json, wide=wide, empty="There are no wikis yet.")


@wiki.command("show")
def show(connection: Connection, run: Run, json: Json = False) -> None:
    """Show a run and its pages."""
    found = connection.api().get(_address(run))
    if json:
        output.as_json(found)
        return
    output.as_record(_COLUMNS, found)
    output.gap()
    output.as_table(("path", "title", "pageId"), list(_pages(found["pageTree"])))


@wiki.command("search")
def search(
    connection: Connection,
    run: Run,
    text: Annotated[str, typer.Argument(help="Words that a page should have.")],
    limit: Annotated[int, typer.Option(help="Pages at most.", min=1, max=model.RESULTS_MAX)] = 10,
    json: Json = False,
) -> None:
    """Find the pages that hold the words, or most of them, best first."""
    found = connection.api().get(f"{_address(run)}/search", q=text, limit=limit)
    if json:
        output.as_json(found)
        return
    columns = ("path", "title", "matchCount", "snippet")
    output.as_table(columns, [[hit[name] for name in columns] for hit in found["results"]])


@wiki.command("ask")
def ask(
    connection: Connection,
    run: Run,
    question: Annotated[str, typer.Argument(help="A question in words.")],
    limit: Annotated[
        int, typer.Option(help="Passages at most.", min=1, max=model.PASSAGES_MAX)
    ] = 3,
    answer: Annotated[
        bool, typer.Option(help="Also have the server's model answer from them, if it has one.")
    ] = True,
    json: Json = False,
) -> None:
    """Answer a question from a wiki: with the server's model, if it has one, and with passages."""
    address = f"/api/platform/v1/wiki/runs/{quote(run, safe='')}/ask"
    wanted = {"answer": "true"} if answer else {}
    found = connection.api().get(address, q=question, limit=limit, **wanted)
    if json:
        output.as_json(found)
        return
    if found["answer"] is not None:
        _show_answer(found["answer"], found["passages"])
    for passage in found["passages"]:
        output.line(f"{passage['title']} ({passage['path']})")
        output.gap()
        for line in passage["text"].splitlines():
            output.line(line)
        output.line("…" if passage["isCut"] else "")
    if not found["passages"]:
        output.say("No page of this wiki has any of these words.")


def _show_answer(answer: dict[str, Any], passages: list[dict[str, Any]]) -> None:
    if not answer["sentences"]:
        why = answer["fault"] or "no sentence was proved by the passages"
        output.say(f"No answer from {answer['model']}: {why}.")
    for sentence in answer["sentences"]:
        pages = [passages[at]["path"] for at in sentence["passages"]]
        places = [citation["place"] for citation in sentence["citations"]]
        output.line(f"{sentence['text']} ({', '.join(pages + places)})")
    if answer["sentences"]:
        dropped = f", {answer['dropped']} sentences dropped" if answer["dropped"] else ""
        output.line(f"— {answer['model']}, from these passages{dropped}:")
        output.gap()


@wiki.command("export")
def export(
    connection: Connection,
    run: Run,
    out: Annotated[
        Path | None, typer.Option(help="A file, replaced if it is there; a folder of a layout.")
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option(help="Not an archive, but pages in a folder, or a GitHub wiki.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a run as a zip archive, or into a folder."""
    api = connection.api()
    if layout is not None:
        repository = api.get(_address(run))["repoUrl"]
        writable.check_folder("--out", out or Path("wiki"))
    else:
        writable.check_file("--out", out)
    answer = api.request("GET", f"{_address(run)}/export")
    if layout is not None:
        page = wiki_making.written(
            layouts.of_export(answer.content, layout.value), out or Path("wiki"), run, repository
        )
        if json:
            output.as_json({"page": str(page)})
        else:
            typer.echo(str(page))
        return
    target = out or _new_file(answer.headers.get("content-disposition", ""))
    target.write_bytes(answer.content)
    if json:
        output.as_json({"file": str(target), "bytes": len(answer.content)})
    else:
        output.say(f"{target}: {len(answer.content)} bytes.")


@wiki.command("delete")
def delete(connection: Connection, run: Run, yes: Yes = False, json: Json = False) -> None:
    """Delete a run for good."""
    api = connection.api()
    asking.confirm(f"Delete the run {run} and its pages? Exported copies and other runs stay.", yes)
    api.send("DELETE", _address(run))
    if json:
        output.as_json({"wikiRunId": run})
    else:
        output.say(f"{run} is deleted.")


def _address(run: str) -> str:
    return f"{_PATH}/{quote(run, safe='')}"


def _history(api: Api, repo: str) -> list[dict[str, Any]]:
    """All pages of it."""
    path = f"{_PATH}/history/{quote(repo, safe='')}"
    answer = api.get(path)
    found: list[dict[str, Any]] = answer["wikiRuns"]
    while answer["pagination"]["hasMore"]:
        answer = api.get(path, cursor=answer["pagination"]["nextCursor"])
        found += answer["wikiRuns"]
    return found


def _of_folder(folder: Path) -> dict[str, Any]:
    """What a wiki written in this folder is of, as query parameters; {} without a commit there."""
    from stationmaster.repos import targets

    try:
        with targets.opened(str(folder), configure()) as snapshot:
            standing = targets.standing(str(folder), snapshot)
    except NotFound:
        return {}
    if standing.url is None:
        return {}
    return {
        "repoUrl": standing.url,
        "commitHash": snapshot.commit,
        "branch": snapshot.branch,
        "hasLocalChanges": standing.has_local_changes,
        "hasNonRemoteCommits": standing.has_non_remote_commits,
    }


def _names_repository(manifest: Path) -> bool:
    try:
        told = msgspec.json.decode(manifest.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return False
    return told.get("repoUrl") is not None


def _new_file(disposition: str) -> Path:
    """A file of the current folder, by the name that the server gives it."""
    match = _FILE_NAME.search(disposition)
    target = Path(match[1] if match else "wiki.zip")
    if target.exists():
        raise OperatorError(f"{target} is there already; name a file with --out", code="exists")
    return target


def _pages(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, str, str | None]]:
    for node in nodes:
        depth = node["path"].count("/")
        yield node["path"], "  " * depth + node["title"], node["pageId"]
        yield from _pages(node["children"])
