"""Yesterday is always answerable: what a question needs is moved and rolled up before its answer.

A closed day that was never rolled up always is. A day that was, and has become dirty since, is
restated before the answer, too, unless its last roll-up took over a second: then it waits until
twenty times as long has passed. The background worker waits so with every such day, for a minute
at least, and for longer where its last round took over three seconds. So a trickle of late data
that no one requests costs one part in twenty of the time at most.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from stationmaster import clock, days
from stationmaster.analytics.days import local_days
from stationmaster.analytics.model import DayRange, Question
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads, serving
from stationmaster.pricing import review
from stationmaster.settings import Settings

if TYPE_CHECKING:
    # The engine takes a while to load, and a server that starts does not need it yet.
    from stationmaster.aggregate.day import DayResult

CHEAP_MS = 1_000
"""A day that took less to roll up is restated whenever it is asked for."""
REST_FACTOR = 20
"""Restating before answers may take one part in this many of the time: 5 %."""
PAUSE_MS = 60_000
"""How long the background leaves a day alone that it has just rolled up, so that late data gathers;
questions do not wait."""
KNOWN_MAX = 10_000
"""Ranges remembered as current at a time."""
REST_S = 60.0
"""How long the background leaves an organization alone after a fault; questions do not wait."""

Stored = Literal["documents", "slices", "facts"]
"""What of a day has to be there; each also includes those before it."""
_log = logging.getLogger(__name__)


class _Remembered(NamedTuple):
    """What was found current, and will be until a database is written to."""

    versions: object
    """Of the inbox and of the state database, before they were asked."""
    ranges: set[tuple[OrgId, DayRange]]


class Freshness:
    """One per process. Safe to use from any thread; one organization is brought up to date once,
    however many ask. `rolled_up` is called with every day that was, with None of one that
    failed."""

    def __init__(
        self,
        db: Database,
        inbox: Inbox,
        mover: Mover,
        settings: Settings,
        rolled_up: Callable[[DayResult | None], None] = lambda _: None,
    ) -> None:
        self._db = db
        self._inbox = inbox
        self._mover = mover
        self._settings = settings
        self._rolled_up = rolled_up
        self.running = 0
        """Threads that are rolling up days."""
        self.is_alone = False
        """Whether no worker makes facts of days in the background."""
        self._guard = threading.Lock()
        self._locks: dict[OrgId, threading.Lock] = {}
        self._remembered = _Remembered(None, set())
        self._rests: dict[OrgId, float] = {}
        self._spent_ms: dict[OrgId, int] = {}
        """What the last round of the background that rolled up days has taken."""

    def is_current(self, org: OrgId, days: DayRange) -> bool:
        """Is there nothing to do before a question about the range is answered?

        Some 30 µs; 10 where it was so before and neither database was written to since.
        """
        versions = (self._inbox.database.version(), self._db.version())
        remembered = self._remembered
        if versions == remembered.versions and (org, days) in remembered.ranges:
            return True
        is_elsewhere = self._inbox.database is not self._db
        if is_elsewhere and self._inbox.pending(org, days.last):
            return False
        start = days.window_first
        standing = serving.standing(self._db, org, start, days.last, _rest())
        if standing.is_waiting:
            return False
        days_before = 0
        if standing.first_day is not None:
            days_before = (days.last - max(standing.first_day, start)).days + 1
        if None not in versions and standing.settled >= days_before:
            if versions != remembered.versions or len(remembered.ranges) >= KNOWN_MAX:
                remembered = self._remembered = _Remembered(versions, set())
            remembered.ranges.add((org, days))
        return standing.current >= days_before

    def ensure(
        self, org: OrgId, days: DayRange, *, sliced: bool = False, facts: bool = False
    ) -> None:
        """Bring the range up to date, its slices or facts, too, if asked; blocks for as long as
        that takes.

        Raises Unavailable when storage cannot do it now.
        """
        with self._lock_of(org):
            if self._inbox.pending(org, days.last):
                self._mover.drain(org)
            floor = reads.first_day(self._db, org)
            if floor is not None and floor <= days.last:
                needed = DayRange(max(floor, days.window_first), days.last)
                try:
                    stored: Stored = "facts" if facts else "slices" if sliced else "documents"
                    self._roll_up(org, needed, stored, None)
                except DamagedParts as fault:
                    self._answer_as_stored(org, needed, fault)

    def ensure_asked(self, question: Question) -> None:
        """`ensure` the days of which the figures of a question are."""
        days, sliced = local_days.stored(question), question.is_sliced
        facts = question.is_insight and self.is_alone
        self.ensure(question.org, days, sliced=sliced, facts=facts)

    def catch_up(self, stop: threading.Event) -> None:
        """Roll up what is due on every closed day of all organizations; ends early when it is
        stopped.

        Days that another process is rolling up are left to it: the next call sees what is left.
        What fails for one organization is logged, keeps no other from its turn, and is tried
        again after REST_S.
        """
        yesterday = clock.today() - timedelta(days=1)
        for org in reads.organizations(self._db):
            if stop.is_set():
                return
            if time.monotonic() < self._rests.get(org, 0.0):
                continue
            try:
                review.review(self._db, self._settings, org)
                floor = reads.first_day(self._db, org)
                if floor is not None and floor <= yesterday:
                    began = time.monotonic()
                    if self._roll_up(org, DayRange(floor, yesterday), "facts", stop):
                        self._spent_ms[org] = round((time.monotonic() - began) * 1000)
            except DamagedParts as fault:
                _log.error("%s: %s", org, fault.detail)
                self._rests[org] = time.monotonic() + REST_S
            except Exception as fault:  # The job edge: a bad organization must not end the round.
                outages.log_failure(_log, f"rolling up days of {org}", fault)
                self._rests[org] = time.monotonic() + REST_S

    def _answer_as_stored(self, org: OrgId, needed: DayRange, fault: DamagedParts) -> None:
        """Return where every day of the range has figures, if only those of before the damage."""
        _log.warning("%s: %s", org, fault.detail)
        stored = reads.rolled_days(self._db, org, needed.first, needed.last)
        lacking = [day for day in days.span(needed.first, needed.last) if day not in stored]
        if lacking:
            raise Unavailable(
                f"There are no figures of {lacking[0]}: stored data of that day is missing or "
                "damaged. Ask who runs this server; `stationmaster doctor` names the files.",
                code=fault.code,
                retry_after_s=int(REST_S),
            ) from fault

    def _roll_up(
        self, org: OrgId, needed: DayRange, stored: Stored, stop: threading.Event | None
    ) -> bool:
        """Oldest day first. A day may make later ones dirty, which follow; none is done twice.
        Returns whether there was any to do.

        With `stop` it is background work, which does not wait for that of others.
        """
        # The engine takes a while to load, and a server that starts does not need it yet.
        from stationmaster.aggregate import schedule

        rest = _rest() if stop is None else self._background_rest(org)
        done: set[date] = set()
        while fresh := [day for day in self._stale(org, needed, stored, rest) if day not in done]:
            done.update(fresh)
            with self._running():
                schedule.share(
                    self._db,
                    self._settings,
                    [(org, day) for day in fresh],
                    lambda org_id, run: self._stale(
                        org_id, DayRange(run[0], run[-1]), stored, rest
                    ),
                    wait=stop is None,
                    stop=stop,
                    report=self._rolled_up,
                )
        return bool(done)

    @contextmanager
    def _running(self) -> Iterator[None]:
        with self._guard:
            self.running += 1
        try:
            yield
        finally:
            with self._guard:
                self.running -= 1

    def _background_rest(self, org: OrgId) -> serving.Rest:
        pause_ms = max(PAUSE_MS, REST_FACTOR * self._spent_ms.get(org, 0))
        return _rest()._replace(cheap_ms=pause_ms // REST_FACTOR, pause_ms=pause_ms)

    def _stale(
        self, org: OrgId, needed: DayRange, stored: Stored, rest: serving.Rest
    ) -> list[date]:
        current = serving.current_days(self._db, org, needed.first, needed.last, rest)
        if stored != "documents":
            current -= serving.unsliced_days(self._db, org, needed.first, needed.last)
        if stored == "facts":
            current -= serving.factless_days(
                self._db, org, needed.first, needed.last, only_countable=True
            )
        return [day for day in days.span(needed.first, needed.last) if day not in current]

    def _lock_of(self, org: OrgId) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(org, threading.Lock())


def _rest() -> serving.Rest:
    return serving.Rest(clock.now_ms(), CHEAP_MS, REST_FACTOR, pause_ms=0)
