"""`rollup`: aggregating closed days of a local data folder."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from stationmaster.aggregate import schedule
from stationmaster.aggregate.faults import quarantine
from stationmaster.cli import configuring, folder, ranges
from stationmaster.cli.options import DataDir, Org
from stationmaster.cli.printing import output
from stationmaster.lake.inbox import open_database
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads, store


def rollup(
    first: ranges.From = None,
    through: Annotated[
        str | None, typer.Option(help=f"Last day (UTC): a date, or {ranges.SPANS}.")
    ] = None,
    retry_quarantined: Annotated[
        bool, typer.Option(help="First restore the quarantined events of these days.")
    ] = False,
    without_damaged: Annotated[
        bool,
        typer.Option(help="Count days without their part files that are missing or changed."),
    ] = False,
    again: Annotated[
        bool,
        typer.Option(help="Also days that are not due, such as after a change of the rate card."),
    ] = False,
    engine: Annotated[str | None, typer.Option(help="duckdb or spark.", show_default=False)] = None,
    master: Annotated[
        str | None, typer.Option(help="Spark's master, spark://host:port.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    org: Org = None,
) -> output.Shown:
    """Aggregate closed days that are new or changed, now."""
    settings = configuring.configure(data_dir, engine=engine, spark_master=master)
    between = (
        ranges.closed_day("--from", first),
        ranges.closed_day("--through", through, is_last=True),
    )
    with folder.database(settings) as db:
        org_id = folder.organization(db, org).org_id if org else None
        with closing(open_database(settings)) as inbox:
            Mover(inbox, db, settings).drain(org_id)
        for org_due in [org_id] if org_id else reads.organizations(db):
            if retry_quarantined:
                quarantine.retry(db, org_due, *between)
            if without_damaged:
                quarantine.leave_out_damaged(db, org_due, *between)
            if again:
                store.mark_range(db, org_due, *between)
        counted = schedule.roll_up_due(db, settings, org_id, *between)
    yield {"days": [day.row() for day in counted]}
    output.as_table(
        ["organization", "day", "changed reports", "ms"],
        [[day.org, day.day, len(day.changed), day.cost_ms] for day in counted],
    )
