"""Which days have to be rolled up, and rolling them up once each."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from stationmaster.aggregate.day import DayResult, roll_up
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.rollups import reads
from stationmaster.settings import Settings


class _Flight:
    """One day being rolled up, and how many threads hold or wait for it."""

    __slots__ = ("lock", "waiting")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting = 0


_guard = threading.Lock()
_flights: dict[tuple[int, OrgId, date], _Flight] = {}


def due(db: Database, org: OrgId | None = None) -> list[tuple[OrgId, date]]:
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
    """Roll up what is due, oldest first; a range limits it to its days.

    Several callers at once share the work: a day that another thread of this process is rolling
    up is waited for and not repeated. A day may make later ones dirty, which then follow.
    """
    results: list[DayResult] = []
    done: set[tuple[OrgId, date]] = set()
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
        for each, day in fresh:
            done.add((each, day))
            with _alone(db, each, day):
                if reads.is_due(db, each, day, day):
                    results.append(roll_up(db, settings, each, day))


@contextmanager
def _alone(db: Database, org: OrgId, day: date) -> Iterator[None]:
    key = (id(db), org, day)
    with _guard:
        flight = _flights.setdefault(key, _Flight())
        flight.waiting += 1
    try:
        with flight.lock:
            yield
    finally:
        with _guard:
            flight.waiting -= 1
            if not flight.waiting:
                del _flights[key]
