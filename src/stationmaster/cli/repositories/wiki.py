"""`wiki`: uploading, reading and exporting wikis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import groups
from stationmaster.cli.configuring import check_file, check_folder, configure
from stationmaster.cli.options import Connection, Json, Wide, Yes, confirm
from stationmaster.cli.printing import output
from stationmaster.cli.repositories import wiki_making
from stationmaster.cli.typed import renamed
from stationmaster.errors import NotFound, OperatorError, StationmasterError
from stationmaster.repos import targets
from stationmaster.wiki import model
from stationmaster.wiki.transfer import archives, layout, plain_files

wiki = groups.group()

Run = Annotated[str, typer.Argument(help="The id of a run.")]
_PATH = "/api/v0/wiki"
_FIELDS = {"repoUrl": "--repo", "commitHash": "--commit", "branch": "--branch"}
_COLUMNS = (
    "repoUrl: repository, commitHash: commit (commit), pageCount: pages, "
    "createdAt: created (moment), wikiRunId: run, privacyLevel: visible to (wide), branch (wide), "
    "agentVersion: written by (wide)"
)
_FILE_NAME = re.compile(r'filename="([A-Za-z0-9._-]+\.zip)"')


@wiki.command("upload")
def upload(
    connection: Connection,
    source: Annotated[
        Path,
        typer.Argument(metavar="DIR|ZIP", exists=True, help="A folder of pages, or an export."),
    ],
    repo: Annotated[
        str | None, typer.Option(help="The repository's address (that of the current folder).")
    ] = None,
    commit: Annotated[str | None, typer.Option(help="The commit that it describes.")] = None,
    branch: Annotated[str | None, typer.Option(help="The branch of that commit.")] = None,
    private: Annotated[
        bool, typer.Option("--private", help="Make it visible only to you.")
    ] = False,
) -> output.Shown:
    """Store a wiki as a new run, completely or not at all."""
    is_file = source.is_file()
    archive = source.read_bytes() if is_file else archives.pack(plain_files.entries(source))
    origin: dict[str, Any] = {}
    if repo is None and not is_file and not _names_repository(source / layout.MANIFEST):
        origin = _of_folder(Path.cwd())
    options = {"repoUrl": repo, "commitHash": commit, "branch": branch}
    origin |= {name: value for name, value in options.items() if value is not None}
    origin["privacyLevel"] = "private" if private else "organization"
    try:
        answer = connection.api().request(
            "POST",
            _PATH,
            params={name: value for name, value in origin.items() if value is not None},
            content=archive,
            headers={"Content-Type": archives.MEDIA_TYPE},
        )
    except StationmasterError as refused:
        raise renamed(refused, _FIELDS) from None
    run = answer.json()
    yield run
    output.remark(f"{run['pageCount']} pages of {run['repoUrl']} are stored as:")
    typer.echo(run["wikiRunId"])


@wiki.command("list")
def list_runs(
    connection: Connection,
    repo: Annotated[str | None, typer.Option(help="All runs of this repository.")] = None,
    wide: Wide = False,
) -> output.Shown:
    """List the newest run of each repository, or the history of one."""
    api = connection.api()
    if repo is None:
        runs = api.get(_PATH)["wikiRuns"]
    else:
        runs = api.rows(f"{_PATH}/history/{quote(repo, safe='')}", "wikiRuns")
    yield from output.as_list(
        "wikiRuns", _COLUMNS, runs, wide=wide, empty="There are no wikis yet."
    )


@wiki.command("show")
def show(connection: Connection, run: Run) -> output.Shown:
    """Show a run and its pages."""
    record = connection.api().get(_address(run))
    yield record
    output.as_record(_COLUMNS, record)
    output.gap()
    output.as_table(("path", "title", "pageId"), list(_pages(record["pageTree"])))


@wiki.command("search")
def search(
    connection: Connection,
    run: Run,
    text: Annotated[str, typer.Argument(help="Words that a page should have.")],
    limit: Annotated[int, typer.Option(help="Pages at most.", min=1, max=model.RESULTS_MAX)] = 10,
) -> output.Shown:
    """Search the pages of a run for words, best match first."""
    answer = connection.api().get(f"{_address(run)}/search", q=text, limit=limit)
    yield answer
    output.as_rows("path, title, matchCount, snippet", answer["results"])


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
) -> output.Shown:
    """Answer a question from a wiki: with the server's model, if it has one, and with passages of
    its pages and of the code."""
    address = f"/api/platform/v1/wiki/runs/{quote(run, safe='')}/ask"
    parameters = {"answer": "true"} if answer else {}
    answered = connection.api().get(address, q=question, limit=limit, **parameters)
    yield answered
    if answered["answer"] is not None:
        _show_answer(answered["answer"], answered["passages"])
    titles = [f"{passage['title']} ({passage['path']})" for passage in answered["passages"]]
    titles += [
        f"{passage['name']} ({passage['path']}:{passage['first']}-{passage['last']})"
        for passage in answered["code"]
    ]
    for title, passage in zip(titles, answered["passages"] + answered["code"], strict=True):
        output.line(title)
        output.gap()
        for line in passage["text"].splitlines():
            output.line(line)
        output.line("…" if passage["isCut"] else "")
    if not titles:
        output.remark("No page of this wiki has any of these words.")


def _show_answer(answer: dict[str, Any], passages: list[dict[str, Any]]) -> None:
    if not answer["sentences"]:
        why = answer["fault"] or "no sentence was proved by the passages"
        output.remark(f"No answer from {answer['model']}: {why}.")
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
        Path | None,
        typer.Option(help="The file to write, which is replaced; with --layout a folder."),
    ] = None,
    layout: Annotated[
        wiki_making.Layout | None,
        typer.Option(help="Write a folder instead: pages, or a GitHub wiki."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a run as a zip archive, or into a folder."""
    api = connection.api()
    if layout is not None:
        repository = api.get(_address(run))["repoUrl"]
        check_folder("--out", out or Path("wiki"))
    else:
        check_file("--out", out)
    answer = api.request("GET", f"{_address(run)}/export")
    if layout is not None:
        page = wiki_making.exported(answer.content, layout, out or Path("wiki"), run, repository)
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
        output.remark(f"{target}: {len(answer.content)} bytes.")


@wiki.command("delete")
def delete(connection: Connection, run: Run, yes: Yes = False) -> output.Shown:
    """Delete a run permanently."""
    api = connection.api()
    confirm(f"Delete the run {run} and its pages? Exported copies and other runs stay.", yes)
    api.send("DELETE", _address(run))
    yield from output.as_answer({"wikiRunId": run}, f"{run} is deleted.")


def _address(run: str) -> str:
    return f"{_PATH}/{quote(run, safe='')}"


def _of_folder(folder: Path) -> dict[str, Any]:
    """What a wiki written in this folder is of, as query parameters; {} without a commit there."""
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
        manifest_members = msgspec.json.decode(manifest.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return False
    return manifest_members.get("repoUrl") is not None


def _new_file(disposition: str) -> Path:
    """A file of the current folder, by the name that the server gives it."""
    match = _FILE_NAME.search(disposition)
    target = Path(match[1] if match else "wiki.zip")
    if target.exists():
        raise OperatorError(f"{target} already exists; name another file with --out", code="exists")
    return target


def _pages(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, str, str | None]]:
    for node in nodes:
        depth = node["path"].count("/")
        yield node["path"], "  " * depth + node["title"], node["pageId"]
        yield from _pages(node["children"])


wiki_making.add_to(wiki)
