"""The part of `/metrics` that is the same in every process: the inbox, and what is due.

It is read from the databases at a request, and the result is reported again for a while: for at
least KEPT_S, and for so long that reading takes one part in fifty of the time at most.
"""

from __future__ import annotations

import logging
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Generic, TypeVar

from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from stationmaster import __version__, clock, days
from stationmaster.alerts import queue
from stationmaster.db import outages
from stationmaster.db.engine import Database
from stationmaster.jobs import service
from stationmaster.lake import entries, status
from stationmaster.lake.rollups import reads

KEPT_S = 1.0
_log = logging.getLogger(__name__)
_SHARE = 50
T = TypeVar("T")


class RecentLook(Generic[T]):
    """What a look found, for a while. Safe to ask from several threads: one of them looks."""

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._found: T | None = None
        self._until = 0.0

    def get(self) -> T:
        """Raises what looking raises, which is not kept."""
        with self._lock:
            began = time.monotonic()
            if self._found is None or began >= self._until:
                self._found = self._look()
                ended = time.monotonic()
                self._until = ended + max(KEPT_S, _SHARE * (ended - began))
            return self._found


class Ages:
    """Since when rows of the inbox are known to wait: their ids grow, and carry no time."""

    def __init__(self, database: Database, elapsed_s: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._elapsed_s = elapsed_s
        self._seen: deque[tuple[float, int]] = deque()
        """When an id was the newest, in the order of both."""
        self._lock = threading.Lock()

    def look(self) -> float:
        """Seconds for which the oldest row is known to wait; 0 when none does.

        Never more than it is: a row waits since it was first seen at the latest. So a process has
        to look every few seconds, and what was there before this process counts from its start.
        """
        oldest, newest = status.waiting_ids(self._database)
        now = self._elapsed_s()
        with self._lock:
            if oldest is None or newest is None:
                self._seen.clear()
                return 0.0
            while self._seen and self._seen[0][1] < oldest:
                self._seen.popleft()
            if not self._seen or self._seen[-1][1] < newest:
                self._seen.append((now, newest))
            return now - self._seen[0][0]


class Installation(Collector):
    """What the databases contain, for one process's answers to scrapes."""

    def __init__(self, db: Database, inbox: Database, backlog_max: int) -> None:
        self.ages = Ages(inbox)
        self._backlog_max = backlog_max
        self._waiting = RecentLook(lambda: (status.waiting(inbox), self.ages.look()))
        self._due = RecentLook(lambda: _due(db))
        self._damaged = RecentLook(lambda: entries.count_faults(db))
        self._alerts = RecentLook(lambda: queue.waiting(db))
        self._jobs = RecentLook(lambda: service.due_in_all(db, clock.now_ms()))

    def describe(self) -> Iterable[Metric]:
        """Nothing in advance, so that registering queries no database."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """The metrics of a scrape; those of storage are left out while it does not answer."""
        about = {"version": __version__, "python": platform.python_version()}
        yield InfoMetricFamily("stationmaster_build", "The program.", value=about)
        yield _gauge("inbox_bytes_max", "The limit of the inbox.", self._backlog_max)
        try:
            inbox, age_s = self._waiting.get()
            due, oldest = self._due.get()
            waiting, since = self._jobs.get()
            damaged = self._damaged.get()
            alerts, alerts_since = self._alerts.get()
        except Exception as fault:  # An outage must not hide what the process itself has counted.
            outages.log_failure(_log, "reading the state of the databases", fault)
            yield _gauge("storage_up", "Whether the databases answer.", 0)
            return
        yield _gauge("storage_up", "Whether the databases answer.", 1)
        yield _gauge("inbox_rows", "Deliveries that wait for the mover.", inbox["rows"])
        yield _gauge("inbox_bytes", "Their compressed bytes.", inbox["bytes"])
        yield _gauge("inbox_corrupt_rows", "Rows set aside.", inbox["corrupt_rows"])
        yield _gauge("inbox_oldest_row_age_seconds", "How long the oldest one has waited.", age_s)
        yield _gauge("rollup_due_days", "Closed days of organizations to roll up.", due)
        yield _gauge(
            "rollup_oldest_due_age_seconds",
            "Time since the end of the oldest of them.",
            0 if oldest is None else _since_the_end_of(oldest),
        )
        yield _gauge("lake_parts_damaged", "Part files that are missing or changed.", damaged)
        yield _gauge("jobs_due", "Durable jobs that wait though they are due.", waiting)
        yield _gauge(
            "jobs_oldest_due_age_seconds",
            "How long the oldest of them has been due.",
            _age_s(since),
        )
        yield _gauge("alert_deliveries_waiting", "Alerts that wait to be delivered.", alerts)
        yield _gauge(
            "alert_deliveries_oldest_age_seconds",
            "How long the oldest of them has waited.",
            _age_s(alerts_since),
        )


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"stationmaster_{name}", about, value=value)


def _age_s(since: int | None) -> float:
    return 0 if since is None else max(0, clock.now_ms() - since) / 1000


def _due(db: Database) -> tuple[int, date | None]:
    """How many days of all organizations are due, and the oldest."""
    due_days = [day for org in reads.organizations(db) for day in reads.due_days(db, org)]
    return len(due_days), min(due_days, default=None)


def _since_the_end_of(day: date) -> float:
    return (clock.now_ms() - days.start_ms(day + timedelta(days=1))) / 1000
