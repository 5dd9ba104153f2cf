"""`readiness`: reports on repositories, and the levels that they come to."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import groups, output
from stationmaster.cli.configure import configure, connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    from stationmaster.cli.api import Api
    from stationmaster.readiness.criterion import Criterion
    from stationmaster.readiness.model import Report
    from stationmaster.settings import Settings


class _Group(groups.Group):
    """`readiness PATH` is `readiness evaluate PATH`: what names no command is what to evaluate."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)


readiness = groups.group(cls=_Group)

_REPORTS = "/api/organization/agent-readiness-reports"
_ONE = "/api/platform/v1/readiness/reports"


def register(app: typer.Typer) -> None:
    app.add_typer(readiness, name="readiness")


Ref = Annotated[
    str | None, typer.Option("--ref", help="A branch, tag or full hash; what is checked out.")
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", help="What is recent is recent then; the commit's time otherwise."),
]
Explain = Annotated[str | None, typer.Option("--explain", help="Only this criterion, at length.")]
FailUnder = Annotated[
    int | None, typer.Option("--fail-under", min=1, max=5, help="Exit with 1 below this level.")
]
Badge = Annotated[
    Path | None, typer.Option("--badge", help="Write the level as an SVG picture here.")
]


@readiness.command("evaluate")
def evaluate(
    target: Annotated[
        str | None, typer.Argument(help="A local repository, or the address of one.")
    ] = None,
    ref: Ref = None,
    as_of: AsOf = None,
    explain: Explain = None,
    extras: Annotated[
        bool, typer.Option("--extras", help="Judge criteria that count in no level as well.")
    ] = False,
    fail_under: FailUnder = None,
    badge: Badge = None,
    to_upload: Annotated[
        bool, typer.Option("--upload", help="Store the report in the organization, too.")
    ] = False,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Evaluate a repository: read its commit, judge it by every criterion, print the report."""
    from stationmaster.cli import readiness_shown

    criterion = None if explain is None else _criterion(explain)
    if target is None:
        if criterion is None:
            raise BadRequest("say which repository: a folder or an address", code="usage")
        readiness_shown.explained(output.console(), criterion, None)
        return
    made = _evaluated(configure(data_dir), target, ref, as_of, extras or criterion is not None)
    if to_upload:
        _store(connect(data_dir, org, url, key), _sent(made))
    if json:
        output.as_json(made)
    elif criterion is not None:
        readiness_shown.explained(output.console(), criterion, made.report.get(criterion.id))
    else:
        readiness_shown.report(output.console(), made)
    _conclude(made, fail_under, badge)


def _criterion(name: str) -> Criterion:
    from stationmaster.readiness.catalogue import CRITERIA

    if name not in CRITERIA:
        raise BadRequest(f"there is no criterion {name}", code="unknown_criterion")
    return CRITERIA[name]


def _conclude(made: Report, fail_under: int | None, badge: Path | None) -> None:
    """Leave the picture of the level, and exit with 1 where it is too low."""
    from stationmaster.readiness import badge as pictures
    from stationmaster.readiness.levels import level_of
    from stationmaster.readiness.model import scores_of

    level = level_of(scores_of(made.report))
    if badge is not None:
        badge.write_text(pictures.svg(level))
    if fail_under is not None and level < fail_under:
        output.say(f"level {level} is under {fail_under}")
        raise typer.Exit(1)


@readiness.command("upload")
def upload(
    file: Annotated[Path, typer.Argument(help="A report as JSON; - is standard input.")],
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Store the report of an evaluator."""
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        report = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise BadRequest(f"{file}: this is no JSON: {fault}", code="bad_report") from fault
    stored = _store(connect(data_dir, org, url, key), report)
    if json:
        output.as_json(stored)


@readiness.command("list")
def list_reports(
    repository: Annotated[
        str | None, typer.Option("--repository", help="Its address or id; all otherwise.")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 20,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """List reports, newest first."""
    found = connect(data_dir, org, url, key).get(_REPORTS, repoId=repository, limit=limit)
    if json:
        output.as_json(found)
        return
    output.as_table(
        ("report", "created", "repository", "branch", "commit", "criteria"),
        [
            [
                report["reportId"],
                _time(report["createdAt"]),
                report["repoUrl"],
                report.get("branch"),
                report.get("commitHash", "")[:12],
                len(report["report"]),
            ]
            for report in found["reports"]
        ],
    )


@readiness.command("show")
def show(
    report_id: Annotated[str, typer.Argument(help="As `readiness list` prints it.")],
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Show a report: its level, the percentages, and every criterion."""
    api = connect(data_dir, org, url, key)
    path = f"{_ONE}/{quote(report_id, safe='')}"
    report, score = api.get(path), api.get(f"{path}/level")
    if json:
        output.as_json({"report": report, "score": score})
        return
    level = f"level {score['level']}, {score['levelName']}"
    output.say(f"{report['repoUrl']} of {_time(report['createdAt'])}: {level}")
    output.as_table(
        ("level or pillar", "%", "evaluated"),
        [
            *([f"{each['level']} {each['name']}", *_figures(each)] for each in score["levels"]),
            *([each["pillar"], *_figures(each)] for each in score["pillars"]),
            ["all", *_figures(score)],
        ],
    )
    output.as_table(
        ("criterion", "result", "rationale"),
        [
            [name, f"{each['numerator']}/{each['denominator']}", each["rationale"]]
            for name, each in sorted(report["report"].items())
        ],
    )
    if score["unknown"]:
        output.say(f"Not in the catalogue, counted nowhere: {', '.join(score['unknown'])}")


def _store(api: Api, report: object) -> Any:
    stored = api.send("POST", _REPORTS, report)
    output.say(f"Report {stored['reportId']} on {stored['repoUrl']} is stored.")
    return stored


def _evaluated(
    settings: Settings, target: str, ref: str | None, as_of: str | None, with_extras: bool
) -> Report:
    from stationmaster.readiness import forges, report
    from stationmaster.repos import targets

    with targets.opened(target, settings, ref=ref) as snapshot:
        known = targets.standing(target, snapshot)
        url = known.url or Path(target).resolve().as_uri()
        return report.make(
            snapshot,
            report.Origin(url, snapshot.branch, *known[1:]),
            as_of=_instant(as_of),
            hosting=forges.ask(settings, url, snapshot.branch, targets.credential(settings)),
            with_extras=with_extras,
        )


def _instant(text: str | None) -> int | None:
    """UTC milliseconds of a date or a time. Raises BadRequest."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as fault:
        raise BadRequest(
            f"--as-of takes a date or a time such as 2026-11-01T12:00:00Z: {text}", code="bad_as_of"
        ) from fault
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


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


def _figures(part: dict[str, Any]) -> list[object]:
    return [part["percentage"], f"{part['evaluated']} of {part['criteria']}"]


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
