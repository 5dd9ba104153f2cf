"""`analytics`: the daily reports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, cast

import typer

from stationmaster.agents.cards import PRODUCTS
from stationmaster.cli import ranges, typed
from stationmaster.cli.api import Api
from stationmaster.cli.options import Connection, Json, Wide
from stationmaster.cli.printing import output, report_tables
from stationmaster.errors import BadRequest, did_you_mean
from stationmaster.report_names import (
    DIMENSIONS,
    GROUPING,
    INSIGHT_FILTERS,
    INSIGHT_GROUPINGS,
    INSIGHTS,
    REPORTS,
    Insight,
    Report,
)
from stationmaster.settings import Settings

_ACCEPT = {
    "table": "application/json",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}

Only = Annotated[
    list[str] | None,
    typer.Option(help="Only this one; may be given several times.", show_default=False),
]
ReportName = Annotated[
    str, typer.Argument(help=f"{', '.join((*REPORTS, *INSIGHTS)[:-1])} or {INSIGHTS[-1]}.")
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        help="agent, repository, team or user; by report also model, tool_name, client, language, "
        "tool, mcp_server, error, branch, hour or hook."
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        help="Only this model=…, branch=…, language=…, tool=…, mcp_server=… or hook=…, if the "
        "report has it; may be given several times.",
        show_default=False,
    ),
]
Period = Annotated[
    str | None,
    typer.Option(help=f"day, week or month ({', '.join(INSIGHTS)}).", show_default=False),
]
Utc = Annotated[
    bool, typer.Option("--utc", help="Days of UTC, not of the time zone (the same reports).")
]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare", help="Add the totals of the same number of days before (the same reports)."
    ),
]


def analytics(
    connection: Connection,
    report: ReportName,
    first: ranges.From = None,
    to: ranges.To = None,
    group_by: GroupBy = None,
    agent: Only = None,
    repository: Only = None,
    team: Only = None,
    user: Only = None,
    where: Where = None,
    period: Period = None,
    compare: Compare = False,
    utc: Utc = False,
    format: Annotated[str, typer.Option(help="table, json, ndjson, csv or parquet.")] = "table",
    wide: Wide = False,
    limit: Annotated[int | None, typer.Option(help="Users on a page (users only).")] = None,
    cursor: Annotated[str | None, typer.Option(help="Users after this one (users only).")] = None,
    json: Json = False,
) -> None:
    """Print a daily report; by default of the last seven closed days."""
    format = typed.choice("--format", "json" if json else format, _ACCEPT)
    typed.choice("REPORT", report, (*REPORTS, *INSIGHTS))
    if group_by is not None and report != "users":
        typed.choice("--group-by", group_by, _groupings(report))
    settings = connection.settings()
    span = ranges.closed(first, to)
    optional = {"startDate": str(span.first), "endDate": str(span.last), "group_by": group_by}
    optional |= {"limit": None if limit is None else str(limit), "cursor": cursor}
    optional |= {"period": period, "compare": "previous" if compare else None}
    optional |= {"time_zone": "UTC" if utc else None}
    parameters = {name: value for name, value in optional.items() if value is not None}
    options = {"agent": agent, "repository": repository, "team": team, "user": user}
    filters = {name: values for name, values in options.items() if values}
    filters |= _where(report, where or [])
    if format == "table":
        _as_tables(settings, connection.org, report, parameters, filters, wide)
        return
    area = "/api/platform/v1" if report in INSIGHTS else "/api/v1"
    answer = Api(settings, connection.org).request(
        "GET",
        f"{area}/analytics/{report}",
        params={**parameters, **filters},
        headers={"accept": _ACCEPT[format]},
    )
    sys.stdout.buffer.write(answer.content)
    if format == "json":
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def _where(report: str, texts: list[str]) -> dict[str, list[str]]:
    """The values of the filters that only some reports have. Raises BadRequest."""
    filters: dict[str, list[str]] = {}
    names = INSIGHT_FILTERS.get(cast(Insight, report), ())
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or name not in names:
            possible = " or ".join(names) or "no name"
            raise BadRequest(
                f"--where takes NAME=VALUE, for {report} with {possible}, not '{text}'",
                code="bad_where",
            )
        filters.setdefault(name, []).append(value)
    return filters


def _groupings(report: str) -> tuple[str, ...]:
    if report in INSIGHTS:
        return INSIGHT_GROUPINGS[report]
    own = GROUPING.get(cast(Report, report))
    return (*([own] if own else []), *DIMENSIONS)


def _as_tables(
    settings: Settings,
    org: str | None,
    report: str,
    parameters: Mapping[str, str],
    wanted: dict[str, list[str]],
    wide: bool,
) -> None:
    api = Api(settings, org)
    if report in INSIGHTS:
        is_shown = report_tables.show_insight(api, report, parameters, wanted, wide=wide)
    else:
        is_shown = report_tables.Tables(api, parameters, wanted, wide=wide).show(report)
    if is_shown:
        return
    for name in wanted.get("agent", []):
        if name not in PRODUCTS:
            output.remark(f"No agent is called '{name}'.{did_you_mean(name, PRODUCTS)}")
    output.remark(ranges.nothing_recorded(parameters["endDate"]))
