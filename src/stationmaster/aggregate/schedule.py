"""Which days have to be rolled up, and rolling them up once each, whoever shares the work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from datetime import date

from stationmaster.aggregate.day import DayResult, roll_up
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.pricing.review import review
from stationmaster.rollups import reads
from stationmaster.settings import Settings

Item = tuple[OrgId, date]


def due(db: Database, org: OrgId | None = None) -> list[Item]:
    """The closed days to roll up: dirty ones, and ones without documents since the first stored.

    Days without events are among them, because their trailing windows may not be empty.
    """
    orgs = reads.organizations(db) if org is None else [org]
    return [(each, day) for each in orgs for day in reads.due_days(db, each)]


def roll_up_due(
    db: Database,
    settings: Settings,
    org: OrgId | None = None,
    first: date | None = None,
    last: date | None = None,
) -> list[DayResult]:
    """Roll up what is due, oldest first, days whose prices have changed among it; a range limits it
    to its days.

    Several callers at once share the work, in this process and in others: see `share`. A day may
    make later ones dirty, which then follow.
    """
    for each in reads.organizations(db) if org is None else [org]:
        review(db, settings, each)
    results: list[DayResult] = []
    done: set[Item] = set()
    while True:
        todo = [
            (each, day)
            for each, day in due(db, org)
            if (first is None or day >= first) and (last is None or day <= last)
        ]
        # What lands while this runs is the next call's work.
        fresh = [item for item in todo if item not in done]
        if not fresh:
            return results
        done.update(fresh)
        results += share(db, settings, fresh, lambda each, day: reads.is_due(db, each, day, day))


def share(
    db: Database,
    settings: Settings,
    items: Iterable[Item],
    is_wanted: Callable[[OrgId, date], bool],
    *,
    wait: bool = True,
    stop: threading.Event | None = None,
    told: Callable[[DayResult | None], None] = lambda _: None,
) -> list[DayResult]:
    """Roll up each day that is still wanted when nobody else has it; returns what was done here.

    A day that somebody else is rolling up is left for the end and then waited for; without `wait`
    it is left to them. Ends early when told to stop. A day that fails keeps no other from its turn;
    the first fault is raised at the end, one of storage (Unavailable) at once.
    `told` hears of each day as soon as it is done, and None of one that failed.
    """
    todo, taken = list(items), []
    outcomes: list[DayResult | Exception] = []
    while todo and not _is_set(stop):
        item = todo.pop(0)
        if not is_wanted(*item):
            continue
        with db.alone(_name(*item), wait=False) as is_mine:
            if not is_mine:
                taken.append(item)
                # Whoever has it goes on with the next one. Two who walk side by side would make
                # each other's days dirty, through the sessions that last past midnight.
                middle = len(todo) // 2
                todo = todo[middle:] + todo[:middle]
            elif is_wanted(*item):
                outcomes.append(_do(db, settings, item, told))
    for item in taken if wait else ():
        if not _is_set(stop) and is_wanted(*item):
            with db.alone(_name(*item)):
                if is_wanted(*item):
                    outcomes.append(_do(db, settings, item, told))
    for fault in outcomes:
        if isinstance(fault, Exception):
            raise fault
    return [done for done in outcomes if isinstance(done, DayResult)]


def _do(
    db: Database, settings: Settings, item: Item, told: Callable[[DayResult | None], None]
) -> DayResult | Exception:
    """What came of one day; a fault of storage is raised, any other is for later."""
    done = None
    try:
        done = roll_up(db, settings, *item)
    except Unavailable:
        raise
    except Exception as fault:  # Of any kind: it is raised once the others had their turn.
        return fault
    finally:
        told(done)
    return done


def _name(org: OrgId, day: date) -> str:
    return f"roll up {org} {day}"


def _is_set(stop: threading.Event | None) -> bool:
    return stop is not None and stop.is_set()
