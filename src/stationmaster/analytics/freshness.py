"""Yesterday is always answerable: what a question needs is moved and rolled up before its answer.

A closed day that was never rolled up always is. A day that was, and has become dirty since, is
restated before the answer while that costs little: not again before twenty times as long as its
last roll-up took has passed. The background worker restates the rest.
"""

from __future__ import annotations

import threading
from datetime import date, timedelta

from stationmaster import clock
from stationmaster.aggregate import schedule
from stationmaster.analytics.model import DayRange
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.rollups import reads, serving
from stationmaster.settings import Settings

REST_FACTOR = 20
"""Restating before answers may take one part in this many of the time: 5 %."""
WINDOW_BEFORE = timedelta(days=29)
"""A day's trailing windows look at so many days before it."""


class Freshness:
    """One per process. Safe to use from any thread; one organization is brought up to date once,
    however many ask."""

    def __init__(self, db: Database, inbox: Inbox, mover: Mover, settings: Settings) -> None:
        self._db = db
        self._inbox = inbox
        self._mover = mover
        self._settings = settings
        self._guard = threading.Lock()
        self._locks: dict[OrgId, threading.Lock] = {}

    def is_current(self, org: OrgId, asked: DayRange) -> bool:
        """Is there nothing to do before a question about the range is answered? Some 30 µs."""
        return not self._inbox.pending(org, asked.last) and self._is_rolled_up(org, asked)

    def ensure(self, org: OrgId, asked: DayRange) -> None:
        """Bring the range up to date; blocks for as long as that takes.

        Raises Unavailable when storage or the roll-up cannot do it now.
        """
        with self._lock_of(org):
            if self._inbox.pending(org, asked.last):
                self._mover.drain(org)
            if not self._is_rolled_up(org, asked):
                schedule.roll_up_due(
                    self._db, self._settings, org, asked.first - WINDOW_BEFORE, asked.last
                )

    def catch_up(self, stop: threading.Event) -> None:
        """Roll up every closed day that is due, of all organizations; ends early when told."""
        yesterday = clock.today() - timedelta(days=1)
        for org in reads.organizations(self._db):
            if stop.is_set():
                return
            with self._lock_of(org):
                schedule.roll_up_due(self._db, self._settings, org, date.min, yesterday)

    def _is_rolled_up(self, org: OrgId, asked: DayRange) -> bool:
        floor = reads.first_day(self._db, org)
        if floor is None or floor > asked.last:
            return True
        return serving.is_current(
            self._db,
            org,
            max(floor, asked.first - WINDOW_BEFORE),
            asked.last,
            now_ms=clock.now_ms(),
            rest_factor=REST_FACTOR,
        )

    def _lock_of(self, org: OrgId) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(org, threading.Lock())
