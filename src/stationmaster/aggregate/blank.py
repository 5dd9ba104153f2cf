"""The documents of days without events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache

from sqlalchemy import Connection

from stationmaster.aggregate import facts, report_rows, slices
from stationmaster.aggregate.engines import metrics
from stationmaster.aggregate.slices import Slices
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import empty_days, store
from stationmaster.lake.rollups.model import Report, Windows


def publish(
    connection: Connection, org: OrgId, landed: Mapping[date, int]
) -> dict[date, list[Report]]:
    """Publish days of which nothing is stored, given in order: see `empty_days.among`."""
    run = list(landed)
    empty_slices, packed, finer = _nothing()
    windows = store.windows(connection, org, run[0], run[-1])
    # One for all days: what is folded from no slices is the same on each.
    today = report_rows.Day(run[0], empty_slices, Windows(0, 0))
    bodies = {}
    for day in run:
        today.day, today.windows = day, windows[day]
        bodies[day] = report_rows.render(today).reports
    return empty_days.publish(connection, org, landed, bodies, packed, finer)


def slices_of_nothing() -> Slices:
    """The slices of a day without events."""
    return _nothing()[0]


@cache
def _nothing() -> tuple[Slices, bytes, bytes]:
    """The slices of a day without events, and its slices and facts as they are stored."""
    empty_slices = slices.of(metrics.NOTHING, {}, ())
    empty_slices = empty_slices.with_table("sessions", slices.sessions_of(metrics.NOTHING, ()))
    return empty_slices, empty_slices.pack(), facts.of(metrics.NOTHING, ())
