"""`readiness`: reports on repositories, and the levels that they come to."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import output
from stationmaster.cli.configure import connect
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.errors import BadRequest

if TYPE_CHECKING:
    pass

readiness = typer.Typer(help="Readiness reports.", no_args_is_help=True)

_REPORTS = "/api/organization/agent-readiness-reports"
_ONE = "/api/platform/v1/readiness/reports"


def register(app: typer.Typer) -> None:
    app.add_typer(readiness, name="readiness")


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
    stored = connect(data_dir, org, url, key).send("POST", _REPORTS, report)
    if json:
        output.as_json(stored)
    else:
        output.say(f"Report {stored['reportId']} on {stored['repoUrl']} is stored.")


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


def _figures(part: dict[str, Any]) -> list[object]:
    return [part["percentage"], f"{part['evaluated']} of {part['criteria']}"]


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
