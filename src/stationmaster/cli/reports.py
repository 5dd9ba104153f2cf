"""`rollup` and `analytics`: finishing days, and reading the five reports."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec
import typer

from stationmaster import clock, days
from stationmaster.cli import folder, output
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Json, Key, Org, Url
from stationmaster.errors import BadRequest, OperatorError
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
_ANSWER_S = 300

From = Annotated[str | None, typer.Option("--from", help="First day (UTC).", show_default=False)]

Only = Annotated[
    list[str] | None,
    typer.Option(help="Only this one; may be given several times.", show_default=False),
]


def register(app: typer.Typer) -> None:
    app.command()(rollup)
    app.command()(analytics)


def rollup(
    first: From = None,
    through: Annotated[str | None, typer.Option(help="Last day (UTC).")] = None,
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
    from stationmaster.aggregate import quarantine, schedule
    from stationmaster.lake.inbox import open_database
    from stationmaster.lake.mover import Mover
    from stationmaster.rollups import reads, store

    settings = configure(data_dir, engine=engine, spark_master=master)
    with folder.database(settings) as db:
        org_id = folder.organization(db, org).org_id if org else None
        with closing(open_database(settings)) as inbox:
            Mover(inbox, db, settings).drain(org_id)
        for each in [org_id] if org_id else reads.organizations(db):
            if retry_quarantined:
                quarantine.retry(db, each, _day(first), _day(through))
            if without_damaged:
                quarantine.leave_out_damaged(db, each, _day(first), _day(through))
            if again:
                store.mark_range(db, each, _day(first), _day(through))
        done = schedule.roll_up_due(db, settings, org_id, _day(first), _day(through))
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
    report: Annotated[str, typer.Argument(help="tokens, tools, activity, productivity or users.")],
    first: From = None,
    to: Annotated[str | None, typer.Option("--to", help="Last day (UTC).")] = None,
    group_by: Annotated[
        str | None,
        typer.Option(help="model, tool_name, client, agent, repository, team or user."),
    ] = None,
    agent: Only = None,
    repository: Only = None,
    team: Only = None,
    user: Only = None,
    format: Annotated[str, typer.Option(help="table, json, ndjson, csv or parquet.")] = "table",
    limit: Annotated[int | None, typer.Option(help="Users on a page (users only).")] = None,
    cursor: Annotated[str | None, typer.Option(help="Users after this one (users only).")] = None,
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
    json: Json = False,
) -> None:
    """Print a daily report; by default of the last seven closed days."""
    format = "json" if json else format
    if format not in _ACCEPT:
        raise BadRequest(f"a format is one of {', '.join(_ACCEPT)}", code="bad_format")
    settings = configure(data_dir, url=url, key=key)
    yesterday = clock.today() - timedelta(days=1)
    given = {
        "startDate": first or str(yesterday - timedelta(days=6)),
        "endDate": to or str(yesterday),
        "group_by": group_by,
        "limit": None if limit is None else str(limit),
        "cursor": cursor,
    }
    parameters = {name: value for name, value in given.items() if value is not None}
    filters = {"agent": agent, "repository": repository, "team": team, "user": user}
    wanted = {name: values for name, values in filters.items() if values}
    if settings.url:
        _from_server(settings, report, {**parameters, **wanted}, format)
    else:
        _from_folder(settings, org, report, parameters, wanted, format)


def _from_server(
    settings: Settings, report: str, parameters: Mapping[str, str | list[str]], form: str
) -> None:
    import httpx

    from stationmaster.client.sending import reason

    try:
        with httpx.Client(base_url=settings.url or "", timeout=_ANSWER_S) as http:
            answer = http.get(
                f"/api/v1/analytics/{report}",
                params=dict(parameters),
                headers={"authorization": f"Bearer {settings.key or ''}", "accept": _ACCEPT[form]},
            )
    except (httpx.TransportError, httpx.InvalidURL, UnicodeError) as fault:
        raise OperatorError(f"{settings.url}: {fault}", code="unreachable") from fault
    if answer.status_code != 200:
        raise BadRequest(reason(answer), code="refused")
    if form == "table":
        _as_table(answer.json()["data"])
    else:
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
    from stationmaster.analytics.freshness import Freshness
    from stationmaster.analytics.model import REPORTS
    from stationmaster.lake.inbox import Inbox
    from stationmaster.lake.mover import Mover

    if report not in REPORTS:
        raise BadRequest(f"a report is one of {', '.join(REPORTS)}", code="bad_report")
    with folder.tenant(settings, org) as (db, org_id):
        asked = queries.parse(
            org_id,
            cast(Any, report),
            parameters,
            cast(Any, wanted),
            today=clock.today(),
            days_max=settings.range_days_max,
        )
        question = privacy.judged(db, asked)
        inbox = Inbox.open(settings)
        try:
            mover = Mover(inbox.database, db, settings)
            fresh = Freshness(db, inbox, mover, settings)
            fresh.ensure(question.org, question.range, sliced=question.is_sliced)
        finally:
            inbox.close()
        _print(db, reports.find(db, question), form)


def _print(db: Database, found: Found, form: str) -> None:
    from stationmaster.analytics import export, reports

    out = sys.stdout.buffer
    name, documents = found.question.name, reports.documents(db, found)
    if form == "parquet":
        export.to_parquet(name, documents, out)
    elif form == "table":
        _as_table(msgspec.json.decode(b"".join(reports.envelope(db, found)))["data"])
    elif form == "csv":
        out.writelines(export.to_csv(name, documents))
    elif form == "ndjson":
        out.writelines(export.to_ndjson(documents))
    else:
        out.writelines(reports.envelope(db, found))
        out.write(b"\n")
    out.flush()


def _as_table(rows: Iterable[dict[str, Any]]) -> None:
    """The plain members of each row; nested breakdowns are for the other formats."""
    plain = [
        {name: value for name, value in row.items() if not isinstance(value, list | dict)}
        for row in rows
    ]
    if not plain:
        output.say("No rows.")
        return
    columns = list(plain[0])
    output.as_table(columns, [[row.get(column) for column in columns] for row in plain])


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        day = days.parse(text)
    except ValueError as fault:
        raise BadRequest(str(fault), code="bad_day") from fault
    if day >= clock.today():
        raise BadRequest(f"{day} is not over yet (UTC)", code="day_not_over")
    return day
