"""`readiness`: how ready a repository is, judged on this machine."""

from __future__ import annotations

import difflib
import re
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from stationmaster.cli import groups, ranges, writable
from stationmaster.cli.announcing import announce
from stationmaster.cli.configure import Connection, configure
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output
from stationmaster.cli.repositories import readiness_stored
from stationmaster.errors import BadRequest, MissingExtra, NotFound

if TYPE_CHECKING:
    from stationmaster.readiness.criterion import Criterion
    from stationmaster.readiness.gate import Gate
    from stationmaster.readiness.model import Report
    from stationmaster.settings import Settings


class _Group(groups.Group):
    """`readiness PATH` is `readiness evaluate PATH`: what names no command is what to evaluate."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse with `evaluate` in front where the first word is neither a command nor --help."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)


readiness = groups.group(cls=_Group)
readiness_stored.register(readiness)

_LEVEL = re.compile(r"(?:level=)?([1-5])")


def register(app: typer.Typer) -> None:
    """Add the group `readiness`."""
    app.add_typer(readiness, name="readiness")


Ref = Annotated[
    str | None, typer.Option("--ref", help="A branch, tag, hash or HEAD~2; what is checked out.")
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", help="What is recent is recent then; the commit's time otherwise."),
]
Explain = Annotated[str | None, typer.Option("--explain", help="Only this criterion, at length.")]
FailUnder = Annotated[
    str | None,
    typer.Option("--fail-under", metavar="LEVEL", help="Exit with 1 below this level: 1 to 5."),
]
Require = Annotated[
    str | None,
    typer.Option("--require", metavar="ID,ID", help="Exit with 1 unless these criteria pass."),
]
NoWorseThan = Annotated[
    str | None,
    typer.Option(
        "--no-worse-than",
        metavar="BRANCH",
        help="Exit with 1 where a criterion is worse than there.",
    ),
]
Html = Annotated[Path | None, typer.Option("--html", help="Write the report as an HTML file here.")]
Md = Annotated[
    Path | None, typer.Option("--md", help="Write it as Markdown, for a pull request, here.")
]
Brief = Annotated[
    bool, typer.Option("--brief", help="Print what the next level takes as a task for an agent.")
]
Badge = Annotated[
    Path | None, typer.Option("--badge", help="Write the level as an SVG picture here.")
]


@readiness.command("evaluate")
def evaluate(
    connection: Connection,
    target: Annotated[
        str | None, typer.Argument(help="A local repository, or the address of one.")
    ] = None,
    ref: Ref = None,
    as_of: AsOf = None,
    explain: Explain = None,
    brief: Brief = False,
    extras: Annotated[
        bool, typer.Option("--extras", help="Judge criteria that count in no level as well.")
    ] = False,
    fail_under: FailUnder = None,
    require: Require = None,
    no_worse_than: NoWorseThan = None,
    html: Html = None,
    md: Md = None,
    badge: Badge = None,
    to_upload: Annotated[
        bool, typer.Option("--upload", help="Store the report in the organization, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Evaluate a repository: read its commit, judge it by every criterion, print the report."""
    from stationmaster.cli.printing import readiness_shown

    criterion = None if explain is None else _criterion(explain)
    if target is None:
        if criterion is None:
            raise BadRequest("say which repository: a folder or an address", code="usage")
        readiness_shown.explained(output.console(), criterion, None)
        return
    settings = _configured(connection.data_dir)
    for option, file in (("--html", html), ("--md", md), ("--badge", badge)):
        writable.check_file(option, file)
    announce(target)
    gate = _gate(fail_under, require)
    with_extras = extras or criterion is not None or any(map(_is_extra, gate.required))
    made = _evaluated(settings, target, ref, as_of, with_extras)
    if no_worse_than is not None:
        gate = gate._replace(base=_base(settings, target, no_worse_than, made, with_extras))
    if to_upload:
        readiness_stored.store(connection.api(), _sent(made))
    _print(made, criterion, json=json, brief=brief)
    _write(made, gate, html=html, md=md, badge=badge)
    _conclude(made, gate)


def _configured(data_dir: Path | None) -> Settings:
    """The settings. Raises MissingExtra where what reads repositories is not installed, which only
    the child process would notice."""
    if find_spec("tree_sitter") is None:
        raise MissingExtra("this command", "server", "tree_sitter")
    return configure(data_dir)


def _print(made: Report, criterion: Criterion | None, *, json: bool, brief: bool) -> None:
    from stationmaster.cli.printing import readiness_shown
    from stationmaster.readiness.forms import markdown, summary

    if json:
        output.as_json(summary.document(made))
    elif brief:
        sys.stdout.write(markdown.brief(made))
    elif criterion is not None:
        readiness_shown.explained(output.console(), criterion, made)
    else:
        readiness_shown.report(output.console(), made)


def _write(
    made: Report, gate: Gate, *, html: Path | None, md: Path | None, badge: Path | None
) -> None:
    """Write the files that were asked for."""
    if badge is not None:
        from stationmaster.readiness.forms import badge as pictures
        from stationmaster.readiness.levels import level_of
        from stationmaster.readiness.model import scores_of

        badge.write_text(pictures.svg(level_of(scores_of(made.report))))
    if html is not None:
        from stationmaster.readiness.forms import page

        html.write_text(page.html(made), encoding="utf-8")
    if md is not None:
        from stationmaster.readiness.difference import between
        from stationmaster.readiness.forms import markdown

        changed = None if gate.base is None else between(gate.base, made)
        md.write_text(markdown.report(made, changed), encoding="utf-8")


def _conclude(made: Report, gate: Gate) -> None:
    """Exit with 1 where the report does not hold what is asked."""
    from stationmaster.readiness.gate import failures

    missing = failures(gate, made)
    for each in missing:
        output.say(each)
    if missing:
        raise typer.Exit(1)


def _gate(fail_under: str | None, require: str | None) -> Gate:
    """What the options ask. Raises BadRequest."""
    from stationmaster.readiness.gate import Gate

    level = None
    if fail_under is not None:
        matched = _LEVEL.fullmatch(fail_under)
        if matched is None:
            raise BadRequest(
                f"--fail-under takes a level from 1 to 5, not {fail_under}; "
                "criteria are for --require",
                code="usage",
            )
        level = int(matched[1])
    names = [name.strip() for name in (require or "").split(",") if name.strip()]
    return Gate(level, tuple(_criterion(name).id for name in names))


def _base(settings: Settings, target: str, branch: str, made: Report, with_extras: bool) -> Report:
    """The report on a branch, or on what its remote `origin` has of that name, judged at the same
    instant."""
    as_of = None if made.as_of is None else datetime.fromtimestamp(made.as_of / 1000, UTC)
    instant = None if as_of is None else as_of.isoformat()
    try:
        return _evaluated(settings, target, branch, instant, with_extras)
    except NotFound:
        remote = f"refs/remotes/origin/{branch.removeprefix('origin/')}"
        try:
            return _evaluated(settings, target, remote, instant, with_extras)
        except NotFound as fault:
            raise NotFound(
                f"--no-worse-than: there is no branch or tag {branch}, here or at origin; fetch it",
                code="no_ref",
            ) from fault


def _is_extra(name: str) -> bool:
    return _criterion(name).is_extra


def _criterion(name: str) -> Criterion:
    from stationmaster.readiness.catalogue import CRITERIA

    if name not in CRITERIA:
        near = difflib.get_close_matches(name, CRITERIA, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BadRequest(f"there is no criterion {name}{hint}", code="unknown_criterion")
    return CRITERIA[name]


def _evaluated(
    settings: Settings, target: str, ref: str | None, as_of: str | None, with_extras: bool
) -> Report:
    from stationmaster.children import limits
    from stationmaster.children.calling import call
    from stationmaster.readiness import forges
    from stationmaster.readiness.judging import child
    from stationmaster.repos import targets

    with targets.opened(target, settings, ref=ref) as snapshot:
        known = targets.standing(target, snapshot)
        url = known.url or targets.root_of(target).as_uri()
        return call(
            limits.of(settings),
            child.judge,
            snapshot.source,
            child.Origin(url, snapshot.branch, *known[1:]),
            forges.ask(settings, url, snapshot.branch, targets.credential(settings)),
            None if as_of is None else ranges.instant_ms("--as-of", as_of),
            with_extras,
        )


def _sent(made: Report) -> dict[str, Any]:
    """A report as it is uploaded: when it is taken in is for the server to say."""
    if made.repo_url.startswith("file:"):
        raise BadRequest(
            "this repository has no address that others know; give it a remote `origin`",
            code="no_address",
        )
    body: dict[str, Any] = msgspec.to_builtins(made)
    del body["createdAt"]
    return body
