"""`rollup` and `analytics`: finishing days, and reading the five reports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from stationmaster import clock, days
from stationmaster.cli import folder, ranges
from stationmaster.cli.configure import Connection, configure
from stationmaster.cli.options import DataDir, Json, Org, Wide
from stationmaster.cli.printing import output
from stationmaster.cli.ranges import From, To
from stationmaster.cli.typed import choice, renamed
from stationmaster.errors import BadRequest, did_you_mean
from stationmaster.settings import Settings

if TYPE_CHECKING:
    from stationmaster.aggregate.day import DayResult
    from stationmaster.analytics.model import Found
    from stationmaster.db.engine import Database

_ACCEPT = {
    "table": "application/json",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
REPORTS = ("tokens", "tools", "activity", "productivity", "users")
INSIGHTS = {
    "edits": ("language",),
    "tool-runs": ("tool", "mcp_server"),
    "errors": ("error", "model"),
    "cache": ("model",),
    "spend": ("branch", "model"),
    "hook-runs": ("hook",),
}
"""The reports on facts, and what they are grouped by besides agent, repository, team and user."""
_ADDRESSES = dict.fromkeys(INSIGHTS, "/api/platform/v1/analytics")

Only = Annotated[
    list[str] | None,
    typer.Option(help="Only this one; may be given several times.", show_default=False),
]
ReportName = Annotated[
    str, typer.Argument(help=f"{', '.join((*REPORTS, *INSIGHTS)[:-1])} or {[*INSIGHTS][-1]}.")
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        help="agent, repository, team or user; by report also model, tool_name, client, language, "
        "tool, mcp_server, error, branch or hook."
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        help="Only this model=…, branch=…, language=…, tool=… or mcp_server=…, where the report "
        "has it; may be given several times.",
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
    typer.Option("--compare", help="Add the totals of as many days before (the same reports)."),
]


def register(app: typer.Typer) -> None:
    """Add the commands `rollup` and `analytics`."""
    app.command()(rollup)
    app.command()(analytics)


def rollup(
    first: From = None,
    through: Annotated[
        str | None, typer.Option(help=f"Last day (UTC): a date, or {ranges.SPANS}.")
    ] = None,
    retry_quarantined: Annotated[
        bool, typer.Option(help="Take back first what was set aside of these days.")
    ] = False,
    without_damaged: Annotated[
        bool,
        typer.Option(help="Count days without their part files that are missing or changed."),
    ] = False,
    again: Annotated[
        bool, typer.Option(help="Days that are not due, too: after a change of the rate card.")
    ] = False,
    engine: Annotated[str | None, typer.Option(help="duckdb or spark.", show_default=False)] = None,
    master: Annotated[
        str | None, typer.Option(help="Spark's master, spark://host:port.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
    json: Json = False,
) -> None:
    """Aggregate closed days that are new or changed, now."""
    from stationmaster.aggregate import schedule
    from stationmaster.aggregate.faults import quarantine
    from stationmaster.lake.inbox import open_database
    from stationmaster.lake.mover import Mover
    from stationmaster.lake.rollups import reads, store

    settings = configure(data_dir, engine=engine, spark_master=master)
    between = (
        ranges.closed_day("--from", first),
        ranges.closed_day("--through", through, is_last=True),
    )
    with folder.database(settings) as db:
        org_id = folder.organization(db, org).org_id if org else None
        with closing(open_database(settings)) as inbox:
            Mover(inbox, db, settings).drain(org_id)
        for each in [org_id] if org_id else reads.organizations(db):
            if retry_quarantined:
                quarantine.retry(db, each, *between)
            if without_damaged:
                quarantine.leave_out_damaged(db, each, *between)
            if again:
                store.mark_range(db, each, *between)
        done = schedule.roll_up_due(db, settings, org_id, *between)
    _print_days(done, json)


def _print_days(done: list[DayResult], json: bool) -> None:
    rows = [
        {
            "org_id": each.org,
            "day": each.day,
            "changed": each.changed,
            "unpriced_models": each.unpriced,
            "cost_ms": each.cost_ms,
        }
        for each in done
    ]
    if json:
        output.as_json({"days": rows})
        return
    output.as_table(
        ["organization", "day", "changed reports", "ms"],
        [[each.org, each.day, len(each.changed), each.cost_ms] for each in done],
    )


def analytics(
    connection: Connection,
    report: ReportName,
    first: From = None,
    to: To = None,
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
    format = choice("--format", "json" if json else format, _ACCEPT)
    choice("REPORT", report, (*REPORTS, *INSIGHTS))
    if group_by is not None and report != "users":
        choice("--group-by", group_by, _groupings(report))
    settings = connection.settings()
    span = ranges.closed(first, to)
    given = {"startDate": str(span.first), "endDate": str(span.last), "group_by": group_by}
    given |= {"limit": None if limit is None else str(limit), "cursor": cursor}
    given |= {"period": period, "compare": "previous" if compare else None}
    given |= {"time_zone": "UTC" if utc else None}
    parameters = {name: value for name, value in given.items() if value is not None}
    filters = {"agent": agent, "repository": repository, "team": team, "user": user}
    wanted = {name: values for name, values in filters.items() if values}
    wanted |= _where(report, where or [])
    if format == "table":
        _as_tables(settings, connection.org, report, parameters, wanted, wide)
        return
    try:
        if settings.url:
            _from_server(settings, report, {**parameters, **wanted}, format)
        else:
            _from_folder(settings, connection.org, report, parameters, wanted, format)
    except BadRequest as refused:
        raise renamed(refused) from None


def _where(report: str, texts: list[str]) -> dict[str, list[str]]:
    """The values of the filters that only some reports have. Raises BadRequest."""
    found: dict[str, list[str]] = {}
    names = [name for name in INSIGHTS.get(report, ()) if name != "error"]
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or name not in names:
            known = " or ".join(names) or "no name"
            raise BadRequest(
                f"--where takes NAME=VALUE, for {report} with {known}, not '{text}'",
                code="bad_where",
            )
        found.setdefault(name, []).append(value)
    return found


def _groupings(report: str) -> tuple[str, ...]:
    if report in INSIGHTS:
        return (*INSIGHTS[report], "agent", "repository", "team", "user")
    own = {"tokens": "model", "tools": "tool_name", "activity": "client"}.get(report)
    return (*([own] if own else []), "agent", "repository", "team", "user")


def _as_tables(
    settings: Settings,
    org: str | None,
    report: str,
    parameters: Mapping[str, str],
    wanted: dict[str, list[str]],
    wide: bool,
) -> None:
    from stationmaster.agents.recognition import PRODUCTS
    from stationmaster.cli.api import Api
    from stationmaster.cli.printing import insight_tables
    from stationmaster.cli.printing.report_tables import Tables

    api = Api(settings, org)
    if report in INSIGHTS:
        is_shown = insight_tables.show(api, report, parameters, wanted, wide=wide)
    else:
        is_shown = Tables(api, parameters, wanted, wide=wide).show(report)
    if is_shown:
        return
    for name in wanted.get("agent", []):
        if name not in PRODUCTS:
            output.say(f"No agent is called '{name}'.{did_you_mean(name, PRODUCTS)}")
    output.say(ranges.nothing_recorded(days.parse(parameters["endDate"])))


def _from_server(
    settings: Settings, report: str, parameters: Mapping[str, str | list[str]], form: str
) -> None:
    from stationmaster.cli.api import Api

    answer = Api(settings).request(
        "GET",
        f"{_ADDRESSES.get(report, '/api/v1/analytics')}/{report}",
        params=dict(parameters),
        headers={"accept": _ACCEPT[form]},
    )
    sys.stdout.buffer.write(answer.content)
    sys.stdout.buffer.flush()


def _from_folder(
    settings: Settings,
    org: str | None,
    report: str,
    parameters: dict[str, str],
    wanted: dict[str, list[str]],
    form: str,
) -> None:
    from stationmaster.analytics import privacy, queries, reports
    from stationmaster.analytics.days import local_days
    from stationmaster.analytics.freshness import Freshness
    from stationmaster.lake.inbox import Inbox
    from stationmaster.lake.mover import Mover

    with folder.tenant(settings, org) as (db, org_id):
        asked = queries.parse(
            org_id,
            cast(Any, report),
            parameters,
            cast(Any, wanted),
            today=clock.today(),
            days_max=settings.range_days_max,
            zone=local_days.zone_of(db, org_id),
        )
        question = privacy.judged(db, asked)
        inbox = Inbox.open(settings)
        try:
            mover = Mover(inbox.database, db, settings)
            fresh = Freshness(db, inbox, mover, settings)
            fresh.ensure(
                question.org,
                local_days.stored(question),
                sliced=question.is_sliced,
                # Nobody makes them in the background of a folder.
                facts=question.is_insight,
            )
        finally:
            inbox.close()
        _print(db, reports.find(db, question), form)


def _print(db: Database, found: Found, form: str) -> None:
    from stationmaster.analytics import reports
    from stationmaster.analytics.formats import export

    out = sys.stdout.buffer
    name, documents = found.question.name, reports.documents(db, found)
    if form == "parquet":
        export.to_parquet(name, documents, out)
    elif form == "csv":
        out.writelines(export.to_csv(name, documents))
    elif form == "ndjson":
        out.writelines(export.to_ndjson(documents))
    else:
        out.writelines(reports.envelope(db, found))
        out.write(b"\n")
    out.flush()
