"""Which days have to be rolled up, and rolling them up once each, however many processes share the
work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date

from stationmaster.aggregate.day import DayResult, roll_up, roll_up_run
from stationmaster.aggregate.keys import CountSeparately
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads
from stationmaster.pricing.review import review
from stationmaster.settings import Settings

Item = tuple[OrgId, date]
RUN_DAYS_MAX = 31
"""Days with events that are rolled up together, in one transaction."""
RUN_ROWS_MAX = 400_000
"""Days of up to so many events in all are counted together."""
EMPTY_DAYS_MAX = 400
"""The same with days without events among them."""
_log = logging.getLogger(__name__)


def due(db: Database, org: OrgId | None = None) -> list[Item]:
    """The closed days to roll up: dirty ones, and ones without documents since the first stored.

    Days without events are among them, because their trailing windows may not be empty.
    """
    orgs = reads.organizations(db) if org is None else [org]
    return [(org_id, day) for org_id in orgs for day in reads.due_days(db, org_id)]


def roll_up_due(
    db: Database,
    settings: Settings,
    org: OrgId | None = None,
    first: date | None = None,
    last: date | None = None,
) -> list[DayResult]:
    """Roll up what is due, oldest first, days whose prices have changed among it; a range limits it
    to its days.

    Concurrent callers share the work, in this process and in others: see `share`. A day may
    make later ones dirty, which then follow.
    """
    for org_id in reads.organizations(db) if org is None else [org]:
        review(db, settings, org_id)
    results: list[DayResult] = []
    done: set[Item] = set()
    while True:
        todo = [
            (org_id, day)
            for org_id, day in due(db, org)
            if (first is None or day >= first) and (last is None or day <= last)
        ]
        # What lands while this runs is the next call's work.
        fresh = [item for item in todo if item not in done]
        if not fresh:
            return results
        done.update(fresh)
        results += share(db, settings, fresh, lambda org_id, _: reads.due_days(db, org_id))


def share(
    db: Database,
    settings: Settings,
    items: Iterable[Item],
    wanted: Callable[[OrgId, Sequence[date]], Collection[date]],
    *,
    wait: bool = True,
    stop: threading.Event | None = None,
    report: Callable[[DayResult | None], None] = lambda _: None,
) -> list[DayResult]:
    """Roll up each day that is still wanted when no other process has it; returns what was done
    here.

    `wanted` returns which of some days of an organization are. Small days that follow one another
    in `items` are rolled up together. A day that another process is rolling up is left for the end
    and then waited for; without `wait` it is left to them. Ends early when it is stopped. A day
    that fails keeps no other from its turn; the first fault is raised at the end, one of storage
    (Unavailable) immediately. `report` is called with each day that is done, and with None for one
    that failed.
    """
    todo, taken = list(items), []
    outcomes: list[DayResult | Exception] = []
    rows = reads.rows_of_days(db, todo)
    while todo and not _is_set(stop):
        org, run = _next_run(todo, rows)
        run = _still(wanted, org, run)
        if not run:
            continue
        with db.alone_with_first([_name(org, day) for day in run]) as number:
            todo = [(org, day) for day in run[number:]] + todo
            if not number:
                taken.append(todo.pop(0))
                # The process that has it continues with the next one. Two in parallel would make
                # each other's days dirty, through the sessions that last past midnight.
                middle = len(todo) // 2
                todo = todo[middle:] + todo[:middle]
            elif mine := _still(wanted, org, run[:number]):
                outcomes += _do(db, settings, org, mine, report)
    for org, day in taken if wait else ():
        if not _is_set(stop) and _still(wanted, org, [day]):
            with db.alone(_name(org, day)):
                if _still(wanted, org, [day]):
                    outcomes += _do(db, settings, org, [day], report)
    for fault in outcomes:
        if isinstance(fault, Exception):
            raise fault
    return [done for done in outcomes if isinstance(done, DayResult)]


def _next_run(todo: list[Item], rows: Mapping[Item, int]) -> tuple[OrgId, list[date]]:
    """Take the days off the beginning that can be counted together."""
    org, first = todo.pop(0)
    run, total = [first], rows.get((org, first), 0)
    busy = int((org, first) in rows)
    while todo and len(run) < EMPTY_DAYS_MAX:
        following = todo[0]
        total += rows.get(following, 0)
        busy += following in rows
        is_next = following[0] == org and following[1] > run[-1]
        if not is_next or busy > RUN_DAYS_MAX or total > RUN_ROWS_MAX:
            break
        run.append(todo.pop(0)[1])
    return org, run


def _still(
    wanted: Callable[[OrgId, Sequence[date]], Collection[date]], org: OrgId, run: list[date]
) -> list[date]:
    chosen = set(wanted(org, run))
    return [day for day in run if day in chosen]


def _do(
    db: Database,
    settings: Settings,
    org: OrgId,
    run: list[date],
    report: Callable[[DayResult | None], None],
) -> list[DayResult | Exception]:
    """The outcome of some days; a fault of storage is raised, any other is for later."""
    if len(run) > 1:
        try:
            results = roll_up_run(db, settings, org, run)
        except Unavailable:
            report(None)
            raise
        except Exception as fault:  # Of any kind: fewer days show whose it is.
            if not isinstance(fault, CountSeparately):
                _log.warning("%d days of %s are rolled up in parts: %s", len(run), org, fault)
            middle = len(run) // 2
            halves = (_do(db, settings, org, half, report) for half in (run[:middle], run[middle:]))
            return [outcome for half in halves for outcome in half]
        for done in results:
            report(done)
        return [*results]
    result: DayResult | None = None
    try:
        result = roll_up(db, settings, org, run[0])
    except Unavailable:
        raise
    except Exception as fault:  # Of any kind: it is raised once the others had their turn.
        return [fault]
    finally:
        report(result)
    return [] if result is None else [result]


def _name(org: OrgId, day: date) -> str:
    return f"roll up {org} {day}"


def _is_set(stop: threading.Event | None) -> bool:
    return stop is not None and stop.is_set()
