"""One load on one server: what it acknowledged, what its store then held, and what that took."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.ingest_client import Order, Sent
from benchmarks.ingest_data import Signal, numbered, templates
from benchmarks.ingest_servers import PORT, Server
from benchmarks.processes import Watch, kill, running
from benchmarks.results import ROOT
from stationmaster.ingest import media, otlp

CONNECTIONS = 4
WARM_UP_REQUESTS = 2
DRAIN_SECONDS_MAX = 150
SETTLE_SECONDS = 5.0
"""After a restart, for whatever a server has to make good."""
_TEMPLATES = 8
_WARM_UP_FIRST = 90_000
_CLIENT = (sys.executable, "-m", "benchmarks.ingest_client")


@dataclass(frozen=True)
class Bodies:
    """Templates in a folder, each of so many records; `items` is how many things a store holds of
    each afterwards (a span is one; of a log record we may make none, or two)."""

    signal: Signal
    folder: Path
    records: int
    items: tuple[int, ...]

    @classmethod
    def write(
        cls, folder: Path, signal: Signal, records: int, start: datetime | None = None
    ) -> Bodies:
        """Bodies whose records begin at a time: an hour ago without one."""
        folder.mkdir(parents=True)
        begin = start or datetime.now(UTC) - timedelta(hours=1)
        made = templates(signal, _TEMPLATES, records, begin)
        items = []
        for number, template in enumerate(made):
            (folder / f"{number:02d}.pb").write_bytes(template)
            body = numbered(template, number)
            read = otlp.decode(
                signal, media.PROTOBUF, None, body, received_ms=0, body_max=len(body)
            )
            items.append(len(read.events))
        return cls(signal, folder, records, tuple(items))

    def items_of(self, numbers: Iterable[int]) -> Counter[int]:
        """What a store should hold of the bodies with these numbers."""
        return Counter({number: self.items[number % len(self.items)] for number in numbers})


@dataclass(frozen=True)
class Loaded:
    """`durable_s` is the time until the store held all that was acknowledged (until the last
    acknowledgement where nothing is stored), `landed_s` that until our inbox was empty."""

    sent: Sent
    records: int
    durable_s: float
    landed_s: float
    cpu_us: float
    peak_mb: float

    @property
    def rate(self) -> float:
        """Records a second."""
        return self.records / self.durable_s


@dataclass(frozen=True)
class Killed:
    """Records acknowledged before a SIGKILL, and those of them that were not there after it."""

    acknowledged: int
    lost: int


def load(server: Server, work: Path, bodies: Bodies, requests: int, seconds_max: float) -> Loaded:
    """Send so many bodies to a fresh installation, for so many seconds at most.

    Raises RuntimeError when the store does not hold what was acknowledged two minutes later.
    """
    headers = fresh(server, work)
    with started(server, work) as process:
        warm = Client(bodies, headers, _WARM_UP_FIRST, WARM_UP_REQUESTS, seconds_max)
        warmed = bodies.items_of(warm.sent().acknowledged)
        _await_items(server, work, warmed)
        with Watch(process.pid) as watch:
            sent = Client(bodies, headers, 0, requests, seconds_max).sent()
            waited_s = _await_items(server, work, warmed + bodies.items_of(sent.acknowledged))
            landed_s = wait_until_moved(server, work)
    records = len(sent.acknowledged) * bodies.records
    return Loaded(
        sent,
        records,
        sent.seconds + waited_s,
        sent.seconds + landed_s,
        watch.cpu_s * 1e6 / records,
        watch.peak_mb,
    )


def kill_amid(server: Server, work: Path, bodies: Bodies, after_s: float) -> Killed:
    """Send without end, SIGKILL every process of the server, start it again, and look."""
    headers = fresh(server, work)
    with started(server, work) as process:
        client = Client(bodies, headers, 0, _WARM_UP_FIRST, after_s + DRAIN_SECONDS_MAX)
        time.sleep(after_s)
        kill(process)
        expected = bodies.items_of(client.sent().acknowledged)
    with started(server, work):
        time.sleep(SETTLE_SECONDS)
        found = _stored(server, work)
    return Killed(expected.total(), (expected - found).total())


class Client:
    """A sender in a process of its own."""

    def __init__(
        self,
        bodies: Bodies,
        headers: dict[str, str],
        first: int,
        requests: int,
        seconds_max: float,
    ) -> None:
        order = Order(
            PORT,
            f"/v1/{bodies.signal}",
            headers,
            str(bodies.folder),
            first,
            requests,
            CONNECTIONS,
            seconds_max,
        )
        self._process = subprocess.Popen(
            _CLIENT, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(order)))
        self._process.stdin.close()

    def sent(self) -> Sent:
        """What it sent, once it has ended."""
        assert self._process.stdout is not None
        told = self._process.stdout.read()
        if self._process.wait():
            raise RuntimeError("the client failed; see above")
        return Sent(**json.loads(told))


def fresh(server: Server, work: Path) -> dict[str, str]:
    """Make a new installation in a folder; the headers that a sender needs."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return server.prepare(work)


def started(server: Server, work: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """The server of an installation, running."""
    log = work / "printed"
    return running(server.command(work), PORT, env=server.env(work), cwd=work, log=log)


def _stored(server: Server, work: Path) -> Counter[int]:
    return server.stored(work) if server.stored else Counter()


def _await_items(server: Server, work: Path, wanted: Counter[int]) -> float:
    """Seconds until a look at the store began that found everything; 0 for the first look."""
    if server.stored is None:
        return 0.0
    began = looked = time.perf_counter()
    while wanted - server.stored(work):
        if time.perf_counter() > began + DRAIN_SECONDS_MAX:
            raise RuntimeError(f"{server.name} does not store what it acknowledged")
        time.sleep(0.02)
        looked = time.perf_counter()
    return looked - began


def wait_until_moved(server: Server, work: Path) -> float:
    """Wait until everything that the inbox holds is in the lake; how many seconds that took."""
    """Seconds until our mover has taken everything to the lake; 0 where none runs."""
    if not server.moves:
        return 0.0
    began = time.perf_counter()
    with closing(sqlite3.connect(work / "inbox.sqlite3")) as inbox:
        while inbox.execute("SELECT EXISTS (SELECT 1 FROM inbox)").fetchone()[0]:
            if time.perf_counter() > began + DRAIN_SECONDS_MAX:
                raise RuntimeError("the lake does not catch up")
            time.sleep(0.02)
    return time.perf_counter() - began
