"""`wiki generate`, `check`, `request`, `cancel` and `compare`: wikis that Stationmaster writes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from stationmaster.cli import writable
from stationmaster.cli.announcing import announce
from stationmaster.cli.configure import Connection, configure
from stationmaster.cli.options import DataDir, Json
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, OperatorError

if TYPE_CHECKING:
    from stationmaster.repos.reading import Snapshot
    from stationmaster.settings import Settings
    from stationmaster.wiki.checks.links import Report
    from stationmaster.wiki.making.generate import Wiki
    from stationmaster.wiki.model import Details

_RUNS = "/api/platform/v1/wiki/runs"
_POLL_S = 0.5
_PROBLEMS_SHOWN = 40

Ref = Annotated[
    str | None, typer.Option("--ref", help="A branch, tag, hash or HEAD~2; what is checked out.")
]


class Layout(StrEnum):
    """How a wiki lies in a folder."""

    pages = "pages"
    github = "github"


def register(wiki: typer.Typer) -> None:
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
        Path | None, typer.Option(help="A file that makes the next run faster.")
    ] = None,
    to_upload: Annotated[
        bool, typer.Option("--upload", help="Store it in the organization, not in a folder.")
    ] = False,
    json: Json = False,
) -> None:
    """Write the wiki of a repository's commit; settings may name a model that explains."""
    from stationmaster.repos import targets
    from stationmaster.wiki.making import generated

    settings = configure(connection.data_dir)
    announce(target)
    if not to_upload:
        writable.check_folder("--out", out)
        check_owner(out, _identity(target))
    writable.check_file("--memory", memory)
    with targets.opened(target, settings, ref=ref) as snapshot:
        wiki = _generated(target, snapshot, settings, memory)
        details = generated.details(wiki, snapshot)
    output.say(_outcome(details))
    if to_upload:
        answer = _uploaded(wiki, connection)
        shown = answer["wikiRunId"]
    else:
        answer = {"commit": wiki.commit.hash, "stats": details.stats}
        files = generated.files(wiki, layout.value)
        shown = answer["page"] = str(written(files, out, wiki.commit.hash, _identity(target)))
    if json:
        output.as_json(answer)
    else:
        typer.echo(shown)


def _outcome(details: Details) -> str:
    stats = details.stats
    words = (
        f"{stats['pages']} pages on {stats['lines']} lines of code, {details.citations} citations."
    )
    if details.is_partial:
        words += f" The wiki is partial: the model failed for {stats['modelPagesFailed']} pages."
    return words


def _generated(target: str, snapshot: Snapshot, settings: Settings, memory: Path | None) -> Wiki:
    """The wiki of a commit; a child process reads it, and this one asks the model."""
    from stationmaster.children import limits
    from stationmaster.children.calling import call
    from stationmaster.repos import targets
    from stationmaster.wiki import drafting
    from stationmaster.wiki.making.memo import Kept, Nothing
    from stationmaster.wiki.prose import session, writing

    url = targets.standing(target, snapshot).url
    folder = "repository" if targets.is_address(target) else targets.root_of(target).name
    facts = None if memory is None else str(memory.absolute())
    # What a model wrote is kept apart from the facts, which only the child reads.
    told = memory.with_name(f"{memory.name}.model") if memory and settings.wiki_model else None
    with _progress() as tell, Kept(told) if told else nullcontext(Nothing()) as kept:
        wiki = call(
            limits.of(settings),
            drafting.written,
            snapshot.source,
            url,
            folder,
            facts,
            session.has_model(settings),
            tell=tell,
        )
        return writing.explain(wiki, settings, kept, tell).wiki


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
    """Verify every link and citation of a wiki; exit with 1 where one does not hold."""
    from stationmaster.repos import targets
    from stationmaster.wiki.transfer import folders

    settings = configure(data_dir)
    found = folders.read(folder)
    if repo is None:
        report = folders.check(found, None)
    else:
        wanted = ref or _commit_told(repo, found.manifest.commit_hash)
        with targets.opened(repo, settings, ref=wanted) as snapshot:
            report = folders.check(found, snapshot)
    _show(report, json)
    if report.problems:
        raise typer.Exit(1)


def request(
    connection: Connection,
    repository: Annotated[str, typer.Argument(help="A registered repository's id.")],
    wait: Annotated[bool, typer.Option("--wait", help="Until the run has ended.")] = False,
    json: Json = False,
) -> None:
    """Have the wiki of a registered repository written; new commits are followed from then on."""
    api = connection.api()
    path = f"/api/platform/v1/wiki/repositories/{quote(repository, safe='')}/generate"
    run = api.request("POST", path).json()
    if wait:
        run = _ended(api, run["wikiRunId"])
    if json:
        output.as_json(run)
    else:
        output.say(f"{run['repoUrl']}: {run['status']}{_reason(run)}")
        typer.echo(run["wikiRunId"])
    if wait and run["status"] != "completed":
        raise typer.Exit(1)


def cancel(
    connection: Connection,
    run: Annotated[str, typer.Argument(help="The id of a run.")],
    json: Json = False,
) -> None:
    """Call off a run that waits or is being made."""
    told = connection.api().request("POST", f"{_at(run)}/cancel").json()
    if json:
        output.as_json(told)
    else:
        output.say(f"{run} is {told['status']}.")


def compare(
    connection: Connection,
    before: Annotated[str, typer.Argument(help="The id of a run.")],
    after: Annotated[str, typer.Argument(help="The id of a later one.")],
    json: Json = False,
) -> None:
    """Tell which pages changed from one run to another, and how."""
    path = f"{_at(after)}/difference/{quote(before, safe='')}"
    found = connection.api().get(path)
    if json:
        output.as_json(found)
        return
    for change in found["changes"]:
        typer.echo(f"{change['kind']:8} {change['path']}")
        for line in change["lines"]:
            typer.echo(f"    {line}")
    output.say(f"{found['same']} pages are the same.")


def _at(run: str) -> str:
    return f"{_RUNS}/{quote(run, safe='')}"


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar for each step, where a person looks."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def tell(step: str, done: int, of: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=of)
            bars.update(tasks[step], completed=done, total=of)

        yield tell


def _identity(target: str) -> str:
    """What tells a repository's wiki from those of others: its address, else its folder."""
    from stationmaster.repos import addresses, targets

    if targets.is_address(target):
        return addresses.normalise(target)
    root = targets.root_of(target)
    mark = blake2b(bytes(root), digest_size=4).hexdigest()
    return targets.address_of(root) or f"{root.name} ({mark})"


def check_owner(folder: Path, repository: str) -> None:
    """Raise OperatorError for a folder that holds the wiki of another repository."""
    from stationmaster.wiki.outputs.sync import owner

    other = owner(folder)
    if other and other != repository:
        raise OperatorError(
            f"{folder} holds the wiki of {other}; name another folder with --out", code="other_wiki"
        )


def written(files: Mapping[str, bytes], folder: Path, version: str, repository: str) -> Path:
    """Put the files of a wiki into a folder; its first page. `version` is what they are of."""
    from stationmaster.wiki.outputs.sync import sync

    check_owner(folder, repository)
    for name in sync(folder, files, version, repository=repository).conflicts:
        output.say(f"{name} is not as it was written, and was left as it is")
    first = (name for name in ("index.md", "Home.md") if name in files)
    return folder / next(first, next(iter(files)))


def _uploaded(wiki: Wiki, connection: Connection) -> dict[str, Any]:
    from stationmaster.wiki.making import generated
    from stationmaster.wiki.transfer import archives

    if wiki.commit.url is None:
        raise BadRequest("the repository has no remote `origin` to be known by", code="no_remote")
    answer: dict[str, Any] = (
        connection.api()
        .request(
            "POST",
            "/api/v0/wiki",
            content=archives.pack(generated.entries(wiki)),
            headers={"Content-Type": archives.MEDIA_TYPE},
        )
        .json()
    )
    return answer


def _commit_told(repo: str, told: str | None) -> str | None:
    """The commit that the wiki says it describes; of an address only its HEAD can be read."""
    from stationmaster.repos import local, targets

    return told if told and local.is_oid(told) and not targets.is_address(repo) else None


def _show(report: Report, json: bool) -> None:
    if json:
        told = report._asdict() | {"problems": [each._asdict() for each in report.problems]}
        output.as_json(told)
        return
    for problem in report.problems[:_PROBLEMS_SHOWN]:
        typer.echo(f"{problem.file}:{problem.line}: {problem.code}: {problem.text}")
    if len(report.problems) > _PROBLEMS_SHOWN:
        typer.echo(f"… and {len(report.problems) - _PROBLEMS_SHOWN} more")
    unresolved = (
        "not compared" if report.unresolved is None else f"{report.unresolved} do not resolve"
    )
    output.say(
        f"{report.pages} pages, {report.links} links, {report.citations} citations ({unresolved}), "
        f"{len(report.problems)} problems."
    )


def _ended(api: Any, run: str) -> dict[str, Any]:
    shown = ""
    while True:
        found: dict[str, Any] = api.get(_at(run))
        told: dict[str, Any] = found["run"]
        if told["status"] not in ("pending", "running"):
            return told
        step = found["step"] or told["status"]
        if step != shown:
            shown = step
            output.say(step)
        time.sleep(_POLL_S)


def _reason(run: Mapping[str, Any]) -> str:
    return f": {run['error']}" if run["error"] else ""
