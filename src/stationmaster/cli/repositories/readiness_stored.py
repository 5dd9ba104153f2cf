"""`readiness list`, `show`, `history`, `compare`, …: the reports that an organization stores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from stationmaster.cli import groups
from stationmaster.cli.options import Connection
from stationmaster.cli.printing import output
from stationmaster.errors import BadRequest, NotFound
from stationmaster.readiness.uploads import uploaded

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_REPORTS = "/api/organization/agent-readiness-reports"
_READINESS = "/api/platform/v1/readiness"
_ONE = f"{_READINESS}/reports"


_REPORT = (
    "reportId: report, createdAt: created (moment), repoUrl: repository, branch, "
    "commitHash: commit (commit), criteria"
)
_HISTORY = (
    "createdAt: created (moment), level, levelName: , percentage: % (text), "
    "commitHash: commit (commit), reportId: report"
)
_REPOSITORIES = (
    "repoUrl: repository, score.level: level, score.levelName: , percentage: % (text), "
    "createdAt: created (moment), reportId: report"
)
commands = groups.App()
"""Those of the group `readiness` on stored reports."""


def store(api: Api, report: object) -> Any:
    """Send a report; the report as stored."""
    stored = api.send("POST", _REPORTS, report)
    output.remark(f"Report {stored['reportId']} on {stored['repoUrl']} is stored.")
    return stored


@commands.command("upload")
def upload(
    connection: Connection,
    file: Annotated[Path, typer.Argument(help="A report as JSON; - is standard input.")],
) -> output.Shown:
    """Store the report of an evaluator, or what `readiness --json` printed."""
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        report = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise BadRequest(f"{file}: this is not JSON: {fault}", code="bad_report") from fault
    stored = store(connection.api(), uploaded(report))
    yield stored


@commands.command("list")
def list_reports(
    connection: Connection,
    repository: Annotated[
        str | None, typer.Option("--repository", help="Its address or id; by default all.")
    ] = None,
    limit: Annotated[int, typer.Option(help="The maximum number.")] = 20,
) -> output.Shown:
    """List reports, newest first."""
    answer = connection.api().get(_REPORTS, repoId=repository, limit=limit)
    yield answer
    rows = [{**report, "criteria": len(report["report"])} for report in answer["reports"]]
    output.as_rows(_REPORT, rows)


@commands.command("show")
def show(
    connection: Connection,
    report_id: Annotated[str, typer.Argument(help="As `readiness list` prints it.")],
) -> output.Shown:
    """Show a report: its level, the percentages, and every criterion."""
    api = connection.api()
    path = f"{_ONE}/{quote(report_id, safe='')}"
    report, score = api.get(path), api.get(f"{path}/level")
    yield {"report": report, "score": score}
    level = f"level {score['level']}, {score['levelName']}"
    output.remark(f"{report['repoUrl']} of {output.moment(report['createdAt'])}: {level}")
    output.as_table(
        ("level or pillar", "%", "evaluated"),
        [
            *([f"{part['level']} {part['name']}", *_figures(part)] for part in score["levels"]),
            *([part["pillar"], *_figures(part)] for part in score["pillars"]),
            ["all", *_figures(score)],
        ],
    )
    output.as_table(
        ("criterion", "result", "rationale"),
        [
            [name, f"{part['numerator']}/{part['denominator']}", part["rationale"]]
            for name, part in sorted(report["report"].items())
        ],
    )
    if score["unknown"]:
        output.remark(f"Not in the catalogue, counted nowhere: {', '.join(score['unknown'])}")


@commands.command("history")
def history(
    connection: Connection,
    repository: Annotated[str, typer.Argument(help="Its address or id.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="The maximum number.")] = 20,
) -> output.Shown:
    """Show how the level of a repository developed, newest first."""
    api = connection.api()
    repo = quote(_repo_id(api, repository), safe="")
    answer = api.get(f"{_READINESS}/repositories/{repo}/history", limit=limit)
    yield answer
    rows = [{**report, "percentage": _share(report["percentage"])} for report in answer["reports"]]
    output.as_rows(_HISTORY, rows)


@commands.command("compare")
def compare(
    connection: Connection,
    report_id: Annotated[str, typer.Argument(help="As `readiness list` prints it.")],
    since: Annotated[
        str | None, typer.Option("--since", help="An earlier report; by default the previous one.")
    ] = None,
) -> output.Shown:
    """Show what is better or worse since an earlier report on the same repository."""
    api = connection.api()
    answer = api.get(f"{_ONE}/{quote(report_id, safe='')}/difference", since=since)
    yield answer
    output.line(f"level {answer['levelBefore']} → {answer['levelAfter']}")
    if answer["otherCriteria"]:
        output.line("Another edition of the criteria judged: not every change is the repository's.")
    words = (("worse", "worse"), ("better", "better"), ("other", "judged otherwise"))
    output.as_table(
        ("change", "criterion", "before", "after", "rationale"),
        [
            [
                word,
                change["criterion"],
                _figure(change["before"]),
                _figure(change["after"]),
                (change["after"] or change["before"])["rationale"],
            ]
            for member, word in words
            for change in answer[member]
        ],
        empty="No criterion changed.",
    )


@commands.command("repositories")
def repositories(connection: Connection) -> output.Shown:
    """List repositories with their levels, and the level of the organization."""
    api = connection.api()
    whole = api.get(f"{_READINESS}/organization")
    scored = api.rows(f"{_READINESS}/repositories", "repositories")
    yield {"organization": whole, "repositories": scored}
    if whole["level"] is not None:
        output.line(f"organization: level {whole['level']}, {whole['levelName']}")
    rows = sorted(scored, key=lambda row: (-row["score"]["level"], row["repoUrl"]))
    shown = [{**row, "percentage": _share(row["score"]["percentage"])} for row in rows]
    output.as_rows(_REPOSITORIES, shown, empty="There are no reports.")


def _repo_id(api: Api, text: str) -> str:
    """The id behind an address. Raises NotFound."""
    if "/" not in text:
        return text
    newest = api.get(_REPORTS, repoId=text, limit=1)["reports"]
    for repository in api.rows(f"{_READINESS}/repositories", "repositories") if newest else ():
        if repository["repoUrl"] == newest[0]["repoUrl"]:
            return str(repository["repoId"])
    raise NotFound(f"there is no report on {text}", code="no_report")


def _share(percentage: object) -> str:
    """Whole, rounded down."""
    return str(int(percentage)) if isinstance(percentage, int | float) else "–"


def _figure(evaluation: dict[str, Any] | None) -> str:
    if evaluation is None or evaluation["numerator"] is None:
        return "–"
    return f"{evaluation['numerator']:g}/{evaluation['denominator']:g}"


def _figures(part: dict[str, Any]) -> list[object]:
    return [_share(part["percentage"]), f"{part['evaluated']} of {part['criteria']}"]
