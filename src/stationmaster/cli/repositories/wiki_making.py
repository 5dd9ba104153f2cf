"""`wiki generate`, `check`, `request`, `cancel` and `compare`: wikis that Stationmaster writes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli.announcing import announce
from stationmaster.cli.configuring import check_file, check_folder, configure
from stationmaster.cli.options import Connection, DataDir, Json
from stationmaster.cli.printing import output
from stationmaster.errors import OperatorError
from stationmaster.repos import addresses, local, targets
from stationmaster.wiki.outputs import layouts, sync
from stationmaster.wiki.transfer import folders

if TYPE_CHECKING:
    from stationmaster.wiki.checks.links import Report
    from stationmaster.wiki.model import Details

_RUNS = "/api/platform/v1/wiki/runs"
_POLL_S = 0.5
_PROBLEMS_SHOWN = 40

Ref = Annotated[
    str | None,
    typer.Option("--ref", help="A branch, tag, hash or HEAD~2; by default what is checked out."),
]


class Layout(StrEnum):
    """The form of a wiki in a folder."""

    pages = "pages"
    github = "github"


def add_to(wiki: typer.Typer) -> None:
    """Add the commands that make, check, request, cancel and compare wikis to their group."""
    for command in (generate, check, request, cancel, compare):
        wiki.command(command.__name__)(command)


def generate(
    connection: Connection,
    target: Annotated[str, typer.Argument(help="A local repository, or the address of one.")],
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("wiki"),
    layout: Annotated[
        Layout, typer.Option(help="Pages in folders, or a clone of a GitHub wiki.")
    ] = Layout.pages,
    ref: Ref = None,
    memory: Annotated[
        Path | None, typer.Option(help="A cache file that makes the next run faster.")
    ] = None,
    to_upload: Annotated[
        bool, typer.Option("--upload", help="Store it in the organization, not in a folder.")
    ] = False,
) -> output.Shown:
    """Generate the wiki of a commit; a configured model adds explanations."""
    # Stored wikis are asked for without the server's libraries, which these need.
    from stationmaster.cli.repositories import wiki_generating
    from stationmaster.wiki.making import generated

    settings = configure(connection.data_dir)
    announce(target)
    if not to_upload:
        check_folder("--out", out)
        check_owner(out, _identity(target))
    check_file("--memory", memory)
    with targets.opened(target, settings, ref=ref) as snapshot:
        wiki = wiki_generating.generate(target, snapshot, settings, memory)
        details = generated.details(wiki, snapshot)
    output.remark(_outcome(details, wiki.missing))
    if to_upload:
        answer = wiki_generating.upload(wiki, connection.api())
        shown = answer["wikiRunId"]
    else:
        answer = {"commit": wiki.commit.hash, "stats": details.stats}
        answer |= {"isPartial": details.is_partial, "missing": wiki.missing}
        files = generated.files(wiki, layout.value)
        shown = answer["page"] = str(written(files, out, wiki.commit.hash, _identity(target)))
    yield answer
    typer.echo(shown)


def _outcome(details: Details, missing: str) -> str:
    stats = details.stats
    words = (
        f"{stats['pages']} pages on {stats['lines']} lines of code, {details.citations} citations."
    )
    if missing:
        words += f" The wiki is partial. {missing}"
    if failed := stats.get("pagesFailed"):
        words += f" {failed} of the pages could not be written because of an internal error."
    return words


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="A wiki as files.")
    ],
    repo: Annotated[
        str | None, typer.Option(help="The repository that it cites: a folder or an address.")
    ] = None,
    ref: Ref = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Verify every link and citation of a wiki; exit with 1 if one is wrong."""
    settings = configure(data_dir)
    wiki = folders.read(folder)
    if repo is None:
        report = folders.check(wiki, None)
    else:
        revision = ref or _described_commit(repo, wiki.manifest.commit_hash)
        with targets.opened(repo, settings, ref=revision) as snapshot:
            report = folders.check(wiki, snapshot)
    _show(report, json)
    if report.problems:
        raise typer.Exit(1)


def request(
    connection: Connection,
    repository: Annotated[str, typer.Argument(help="A registered repository's id.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the run has ended.")] = False,
    json: Json = False,
) -> None:
    """Generate the wiki of a registered repository, now and for every new commit."""
    api = connection.api()
    path = f"/api/platform/v1/wiki/repositories/{quote(repository, safe='')}/generate"
    run = api.request("POST", path).json()
    if wait:
        run = _ended(api, run["wikiRunId"])
    if json:
        output.as_json(run)
    else:
        output.remark(f"{run['repoUrl']}: {run['status']}{_reason(run)}")
        typer.echo(run["wikiRunId"])
    if wait and run["status"] != "completed":
        raise typer.Exit(1)


def cancel(
    connection: Connection, run: Annotated[str, typer.Argument(help="The id of a run.")]
) -> output.Shown:
    """Cancel a pending or running run."""
    record = connection.api().request("POST", f"{_at(run)}/cancel").json()
    yield from output.as_answer(record, f"{run} is {record['status']}.")


def compare(
    connection: Connection,
    before: Annotated[str, typer.Argument(help="The id of a run.")],
    after: Annotated[str, typer.Argument(help="The id of a later one.")],
) -> output.Shown:
    """Show which pages changed between two runs, and how."""
    path = f"{_at(after)}/difference/{quote(before, safe='')}"
    answer = connection.api().get(path)
    yield answer
    for change in answer["changes"]:
        typer.echo(f"{change['kind']:8} {change['path']}")
        for line in change["lines"]:
            typer.echo(f"    {line}")
    output.remark(f"{answer['same']} pages are the same.")


def _at(run: str) -> str:
    return f"{_RUNS}/{quote(run, safe='')}"


def _identity(target: str) -> str:
    """What distinguishes a repository's wiki from those of others: its address, else its folder."""
    if targets.is_address(target):
        return addresses.normalise(target)
    root = targets.root_of(target)
    mark = blake2b(bytes(root), digest_size=4).hexdigest()
    return targets.address_of(root) or f"{root.name} ({mark})"


def check_owner(folder: Path, repository: str) -> None:
    """Raise OperatorError for a folder that holds the wiki of another repository."""
    other = sync.owner(folder)
    if other and other != repository:
        raise OperatorError(
            f"{folder} holds the wiki of {other}; name another folder with --out", code="other_wiki"
        )


def exported(archive: bytes, layout: Layout, folder: Path, version: str, repository: str) -> Path:
    """`written` of an export in a layout. Raises BadRequest."""
    return written(layouts.of_export(archive, layout.value), folder, version, repository)


def written(files: Mapping[str, bytes], folder: Path, version: str, repository: str) -> Path:
    """Put the files of a wiki into a folder; its first page. `version` is what they are of."""
    check_owner(folder, repository)
    for name in sync.sync(folder, files, version, repository=repository).conflicts:
        output.remark(f"{name} was edited since, and was not changed")
    first = (name for name in ("index.md", "Home.md") if name in files)
    return folder / next(first, next(iter(files)))


def _described_commit(repo: str, commit: str | None) -> str | None:
    """The commit that the wiki describes, as it states; of an address only its HEAD can be read."""
    return commit if commit and local.is_oid(commit) and not targets.is_address(repo) else None


def _show(report: Report, json: bool) -> None:
    if json:
        members = report._asdict() | {"problems": [item._asdict() for item in report.problems]}
        output.as_json(members)
        return
    for problem in report.problems[:_PROBLEMS_SHOWN]:
        typer.echo(f"{problem.file}:{problem.line}: {problem.code}: {problem.text}")
    if len(report.problems) > _PROBLEMS_SHOWN:
        typer.echo(f"… and {len(report.problems) - _PROBLEMS_SHOWN} more")
    unresolved = (
        "not compared" if report.unresolved is None else f"{report.unresolved} do not resolve"
    )
    output.remark(
        f"{report.pages} pages, {report.links} links, {report.citations} citations ({unresolved}), "
        f"{len(report.problems)} problems."
    )


def _ended(api: Any, run: str) -> dict[str, Any]:
    shown = ""
    while True:
        answer: dict[str, Any] = api.get(_at(run))
        record: dict[str, Any] = answer["run"]
        if record["status"] not in ("pending", "running"):
            return record
        step = answer["step"] or record["status"]
        if step != shown:
            shown = step
            output.remark(step)
        time.sleep(_POLL_S)


def _reason(run: Mapping[str, Any]) -> str:
    return f": {run['error']}" if run["error"] else ""
