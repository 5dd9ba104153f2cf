"""`readiness list`, `show`, `history`, `compare`, …: the reports that an organization stores."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import groups
from stationmaster.cli.configure import Connection
from stationmaster.cli.options import Json
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, NotFound
from stationmaster.readiness.uploads import uploaded

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_REPORTS = "/api/organization/agent-readiness-reports"
_READINESS = "/api/platform/v1/readiness"
_ONE = f"{_READINESS}/reports"
_stored = groups.App()


def register(group: typer.Typer) -> None:
    """Add the commands to a group."""
    group.registered_commands.extend(_stored.registered_commands)


def store(api: Api, report: object) -> Any:
    """Send a report; the report as stored."""
    stored = api.send("POST", _REPORTS, report)
    output.say(f"Report {stored['reportId']} on {stored['repoUrl']} is stored.")
    return stored


@_stored.command("upload")
def upload(
    connection: Connection,
    file: Annotated[Path, typer.Argument(help="A report as JSON; - is standard input.")],
    json: Json = False,
) -> None:
    """Store the report of an evaluator, or what `readiness --json` printed."""
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        report = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise BadRequest(f"{file}: this is no JSON: {fault}", code="bad_report") from fault
    stored = store(connection.api(), uploaded(report))
    if json:
        output.as_json(stored)


@_stored.command("list")
def list_reports(
    connection: Connection,
    repository: Annotated[
        str | None, typer.Option("--repository", help="Its address or id; all otherwise.")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 20,
    json: Json = False,
) -> None:
    """List reports, newest first."""
    found = connection.api().get(_REPORTS, repoId=repository, limit=limit)
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


@_stored.command("show")
def show(
    connection: Connection,
    report_id: Annotated[str, typer.Argument(help="As `readiness list` prints it.")],
    json: Json = False,
) -> None:
    """Show a report: its level, the percentages, and every criterion."""
    api = connection.api()
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


@_stored.command("history")
def history(
    connection: Connection,
    repository: Annotated[str, typer.Argument(help="Its address or id.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    json: Json = False,
) -> None:
    """Show how the level of a repository developed, newest first."""
    api = connection.api()
    repo = quote(_repo_id(api, repository), safe="")
    found = api.get(f"{_READINESS}/repositories/{repo}/history", limit=limit)
    if json:
        output.as_json(found)
        return
    output.as_table(
        ("created", "level", "", "%", "commit", "report"),
        [
            [
                _time(each["createdAt"]),
                each["level"],
                each["levelName"],
                _share(each["percentage"]),
                (each["commitHash"] or "")[:12],
                each["reportId"],
            ]
            for each in found["reports"]
        ],
    )


@_stored.command("compare")
def compare(
    connection: Connection,
    report_id: Annotated[str, typer.Argument(help="As `readiness list` prints it.")],
    since: Annotated[
        str | None, typer.Option("--since", help="An earlier report; the one before otherwise.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what is better or worse since an earlier report on the same repository."""
    api = connection.api()
    found = api.get(f"{_ONE}/{quote(report_id, safe='')}/difference", since=since)
    if json:
        output.as_json(found)
        return
    output.line(f"level {found['levelBefore']} → {found['levelAfter']}")
    if found["otherCriteria"]:
        output.line("Another edition of the criteria judged: not every change is the repository's.")
    words = (("worse", "worse"), ("better", "better"), ("other", "judged otherwise"))
    output.as_table(
        ("change", "criterion", "before", "after", "rationale"),
        [
            [
                word,
                each["criterion"],
                _figure(each["before"]),
                _figure(each["after"]),
                (each["after"] or each["before"])["rationale"],
            ]
            for member, word in words
            for each in found[member]
        ],
        empty="No criterion changed.",
    )


@_stored.command("repositories")
def repositories(connection: Connection, json: Json = False) -> None:
    """List the organization's repositories with their levels, and its own."""
    api = connection.api()
    whole = api.get(f"{_READINESS}/organization")
    found = _repositories(api)
    if json:
        output.as_json({"organization": whole, "repositories": found})
        return
    if whole["level"] is not None:
        output.line(f"organization: level {whole['level']}, {whole['levelName']}")
    rows = [
        [
            each["repoUrl"],
            each["score"]["level"],
            each["score"]["levelName"],
            _share(each["score"]["percentage"]),
            _time(each["createdAt"]),
            each["reportId"],
        ]
        for each in sorted(found, key=lambda each: (-each["score"]["level"], each["repoUrl"]))
    ]
    output.as_table(
        ("repository", "level", "", "%", "created", "report"), rows, empty="There are no reports."
    )


def _repositories(api: Api) -> list[dict[str, Any]]:
    """All of them, page by page."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = api.get(f"{_READINESS}/repositories", limit=100, cursor=cursor)
        found += page["repositories"]
        cursor = page["pagination"]["nextCursor"]
        if cursor is None:
            return found


def _repo_id(api: Api, text: str) -> str:
    """The id behind an address. Raises NotFound."""
    if "/" not in text:
        return text
    newest = api.get(_REPORTS, repoId=text, limit=1)["reports"]
    for repository in _repositories(api) if newest else ():
        if repository["repoUrl"] == newest[0]["repoUrl"]:
            return str(repository["repoId"])
    raise NotFound(f"there is no report on {text}", code="no_report")


def _figure(each: dict[str, Any] | None) -> str:
    if each is None or each["numerator"] is None:
        return "–"
    return f"{each['numerator']:g}/{each['denominator']:g}"


def _figures(part: dict[str, Any]) -> list[object]:
    return [_share(part["percentage"]), f"{part['evaluated']} of {part['criteria']}"]


def _share(percentage: float | None) -> str:
    """Whole, rounded down."""
    return "–" if percentage is None else str(int(percentage))


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
