"""What `/metrics` reports: what one server's processes have done, and the state of the
installation.

Each process counts in a registry of its own. The processes of `up` and of `api --workers N` count
in files that any of them can read (the client library's multiprocess mode), so a scrape shows
them all: what a process has counted stays when it ends, its gauges go. No label ever holds an
organization, a person, a key or an address that was asked for.
"""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    values,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from stationmaster import settings
from stationmaster.agents.cards import PRODUCTS
from stationmaster.agents.interface import DROP_REASONS
from stationmaster.events.model import Source
from stationmaster.lake.mover import Moved
from stationmaster.lake.rows import Tally

if TYPE_CHECKING:
    # The engine takes a while to load, and a server that starts does not need it yet.
    from stationmaster.aggregate.day import DayResult

SHARED_DIR = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder of the files that processes share; the library's own."""
OTHER = "other"
"""The label of what senders may name as they like."""
_PREFIX = "stationmaster_"
_LOOKS, _LOOK_S = 10, 0.02
_LATENCY = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_WORK = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800)
_LABELS = (
    frozenset(PRODUCTS),
    frozenset(get_args(Source)),
    frozenset({"kept", *DROP_REASONS}),
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROCESS = {"process_resident_memory_bytes", "process_open_fds"}


class Now(NamedTuple):
    """What a process is doing at this moment."""

    queued: int
    """Deliveries that wait for a commit."""
    rolling_up: int
    scanning: int
    threads: int
    """Threads of background work that live."""
    pools: dict[str, tuple[int, int]]
    """By database: connections in use, and idle ones."""


class Metrics:
    """What one process counts. Counting is safe from any thread."""

    def __init__(self, installation: Collector) -> None:
        """`installation` reports what is the same in every process."""
        disable_created_metrics()  # type: ignore[no-untyped-call] # the library has no type for it
        self.in_flight = 0
        """Requests being answered now; changed in the loop alone."""
        self._own = self._shown = CollectorRegistry()
        if (folder := settings.variable(SHARED_DIR)) is not None:
            # The library has chosen already, when it was imported. It has no types here.
            values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]
            self._shown = CollectorRegistry()
            # The library's multiprocess mode has no types.
            MultiProcessCollector(self._shown, folder)  # type: ignore[no-untyped-call]
        self._shown.register(installation)
        self._http()
        self._ingest()
        self._work()
        self._process()

    def _http(self) -> None:
        self._latency = self._histogram(
            "http_request_duration_seconds",
            "Time from a request's head to the end of its answer.",
            ("method", "route", "status"),
            _LATENCY,
        )
        self._latencies: dict[tuple[str, str, int], Histogram] = {}
        self._in_flight = self._gauge("http_requests_in_flight", "Requests being answered.")
        self._shed = self._counter(
            "http_requests_shed",
            "Requests that were answered with 429 or 503, to be repeated later.",
            ("status", "code"),
        )

    def _ingest(self) -> None:
        self._requests = self._counter(
            "ingest_requests", "Deliveries of telemetry that became durable.", ("endpoint",)
        )
        self._bytes = self._counter(
            "ingest_bytes", "Bytes of their bodies, as they were sent.", ("endpoint",)
        )
        self._records = self._counter(
            "ingest_records",
            "Records of telemetry: kept, or dropped for a reason.",
            ("product", "source", "outcome"),
        )
        self._commits = self._histogram(
            "inbox_commit_seconds", "Time of one commit to the inbox.", (), _LATENCY
        )
        self._committed = self._counter("inbox_committed_rows", "Deliveries committed.")
        self._refused = self._counter("inbox_commit_failures", "Commits that storage refused.")
        self._queued = self._gauge("inbox_queue_rows", "Deliveries that wait for a commit.")

    def _work(self) -> None:
        self._moves = self._histogram(
            "mover_batch_seconds", "Time to move one batch into the lake.", (), _WORK
        )
        self._moved = {
            name: self._counter(f"mover_{name}", f"{name.capitalize()} {done}.")
            for name, done in (
                ("rows", "taken out of the inbox"),
                ("events", "written to the lake"),
                ("parts", "written to the lake"),
            )
        }
        self._move_failures = self._counter("mover_failures", "Moves that will be tried again.")
        self._rollups = self._histogram(
            "rollup_day_seconds", "Time to roll up one day of one organization.", (), _WORK
        )
        self._rollup_failures = self._counter("rollup_failures", "Days that did not roll up.")
        self._rolling = self._gauge("rollups_running", "Days being rolled up.")
        self._scans = self._counter("ci_scans", "Repositories scanned for CI.", ("outcome",))
        self._scanning = self._gauge("ci_scans_running", "Repositories being scanned for CI.")
        self._jobs = self._counter("jobs", "Attempts at durable jobs.", ("kind", "outcome"))
        self._alerts = self._counter(
            "alert_attempts", "Attempts to send an alert.", ("format", "outcome")
        )
        self._threads = self._gauge("background_threads", "Threads of background work that live.")

    def _process(self) -> None:
        self._pool = self._gauge(
            "database_connections",
            "Pooled connections of composed statements.",
            ("database", "state"),
        )
        self._processes = self._gauge("processes", "Processes that this page counts.")
        self._cpu_s = 0.0
        # Under their usual names, which dashboards know: the sum of all processes.
        self._cpu = Counter(
            "process_cpu_seconds", "User and system CPU time spent.", registry=self._own
        )
        self._memory_and_files = {
            name: Gauge(
                name,
                f"{name.removeprefix('process_').replace('_', ' ').capitalize()}.",
                registry=self._own,
                multiprocess_mode="livesum",
            )
            for name in sorted(_PROCESS)
        }
        self._proc = ProcessCollector(registry=None)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request, by its route's own path. Some 2 µs."""
        key = (method, route, status)
        child = self._latencies.get(key)
        if child is None:
            if method not in _METHODS:
                key = (OTHER, route, status)
            child = self._latencies[key] = self._latency.labels(*key)
        child.observe(seconds)

    def shed(self, status: int, code: str) -> None:
        """A request that was refused because there is too much, or storage fails."""
        self._shed.labels(status, code).inc()

    def took(self, endpoint: str, size: int, tally: Tally) -> None:
        """A delivery that is durable, of `size` bytes as sent."""
        self._requests.labels(endpoint).inc()
        self._bytes.labels(endpoint).inc(size)
        for words, count in tally.items():
            labels = (
                word if word in allowed else OTHER
                for word, allowed in zip(words, _LABELS, strict=True)
            )
            self._records.labels(*labels).inc(count)

    def committed(self, rows: int, seconds: float) -> None:
        """A commit of the inbox; none of its rows is durable when storage refused it."""
        self._commits.observe(seconds)
        self._committed.inc(rows)
        if not rows:
            self._refused.inc()

    def moved(self, batch: Moved | None) -> None:
        """A batch that is in the lake; None for one that storage refused."""
        if batch is None:
            self._move_failures.inc()
            return
        self._moves.observe(batch.seconds)
        for name, counter in self._moved.items():
            counter.inc(getattr(batch, name))

    def rolled_up(self, day: DayResult | None) -> None:
        """A day that was rolled up; None for one that failed."""
        if day is None:
            self._rollup_failures.inc()
        else:
            self._rollups.observe(day.cost_ms / 1000)

    def scanned(self, outcome: str) -> None:
        """A repository that was scanned for CI workflows."""
        self._scans.labels(outcome).inc()

    def job_ended(self, kind: str, outcome: str) -> None:
        """An attempt at a durable job: the state that the job is in after it."""
        self._jobs.labels(kind, outcome).inc()

    def alert_attempted(self, format: str, outcome: str) -> None:
        """An attempt to send an alert: `delivered`, `retry` or `failed`."""
        self._alerts.labels(format, outcome).inc()

    def publish(self, now: Now) -> None:
        """What is measured from time to time instead of counted: about 100 µs."""
        self._in_flight.set(self.in_flight)
        self._queued.set(now.queued)
        self._rolling.set(now.rolling_up)
        self._scanning.set(now.scanning)
        self._threads.set(now.threads)
        self._processes.set(1)
        for database, (used, idle) in now.pools.items():
            self._pool.labels(database, "used").set(used)
            self._pool.labels(database, "idle").set(idle)
        spent_s = time.process_time()
        self._cpu.inc(spent_s - self._cpu_s)
        self._cpu_s = spent_s
        for family in self._proc.collect():
            if family.name in _PROCESS:
                self._memory_and_files[family.name].set(family.samples[0].value)

    def page(self, accept: str) -> tuple[bytes, str]:
        """The answer to a scrape and its media type, OpenMetrics where that is accepted."""
        encode, media_type = choose_encoder(accept)
        for _ in range(_LOOKS - 1):
            # The library reads a file that another process has begun and not yet filled.
            with suppress(struct.error, RuntimeError, FileNotFoundError):
                return encode(self._shown), media_type
            time.sleep(_LOOK_S)
        return encode(self._shown), media_type

    def _counter(self, name: str, about: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(_PREFIX + name, about, labels, registry=self._own)

    def _gauge(self, name: str, about: str, labels: tuple[str, ...] = ()) -> Gauge:
        return Gauge(_PREFIX + name, about, labels, registry=self._own, multiprocess_mode="livesum")

    def _histogram(
        self, name: str, about: str, labels: tuple[str, ...], buckets: tuple[float, ...]
    ) -> Histogram:
        return Histogram(_PREFIX + name, about, labels, registry=self._own, buckets=buckets)
