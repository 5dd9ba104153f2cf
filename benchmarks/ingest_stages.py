"""Where the time of taking telemetry goes: every step that a request takes, one after the other in
one process, and the server's own share as what remains of its CPU time.

Steps and server take turns, round by round, so that both meet the same machine."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from benchmarks import ingest_servers
from benchmarks.ingest_data import numbered
from benchmarks.ingest_load import Bodies, load
from benchmarks.results import WORK, Plot, Result, machine
from stationmaster.access.model import Caller
from stationmaster.agents.recognition import find_otlp
from stationmaster.db.engine import Database
from stationmaster.ids import KeyId, OrgId
from stationmaster.ingest import delivery, otlp_protobuf
from stationmaster.ingest.otlp_walk import WALKS, Decoded, Walk
from stationmaster.lake import inbox, rows
from stationmaster.lake.rows import Delivery
from stationmaster.settings import Settings

REQUESTS = 40
ROUNDS = 5
SERVED_REQUESTS = 100
STAGES = {
    "parse": "protobuf into messages",
    "normalise": "wanted attributes into events, content left where it lies",
    "attribute": "the person, believable times, the tally",
    "encode": "MessagePack",
    "compress": "zstd",
    "commit": "one row for each request",
}
_DISK = "the disk"
_ALL = "all"
_WORK = WORK / "ingest"
_CALLER = Caller(OrgId("org_bench"), "human", "user_bench", None, "owner", KeyId("key"), "full")


def run(*kinds: Bodies) -> Result:
    """One column for each signal."""
    stages = [_medians(bodies) for bodies in kinds]
    served = [each.pop(_ALL) for each in stages]
    table = [
        [stage, about, *(f"{each[stage]:.2f}" for each in stages)]
        for stage, about in STAGES.items()
    ]
    waits = [each.pop(_DISK) for each in stages]
    rest = [cpu - sum(each.values()) for cpu, each in zip(served, stages, strict=True)]
    table += [
        ["the rest", "HTTP, the key, threads, the answer", *(f"{us:.2f}" for us in rest)],
        [_ALL, "CPU of `stationmaster api`", *(f"{us:.2f}" for us in served)],
        [_DISK, "wait for the sync, shared by who commits together", *(f"{w:.2f}" for w in waits)],
    ]
    spent = stages[0] | {"the rest": rest[0], _DISK: waits[0]}
    return Result(
        name="ingest_stages",
        title="Where the time of taking telemetry goes",
        about=f"CPU µs per record, {kinds[0].records} in a request: each step alone for {REQUESTS} "
        f"requests, then the server under load for {SERVED_REQUESTS}, in turn. Medians of {ROUNDS} "
        "rounds. "
        f"{machine()}",
        columns=["step", "what it does", *(bodies.signal for bodies in kinds)],
        rows=table,
        verdict=f"Of {served[0]:.1f} µs a span, {spent['normalise']:.1f} are spent on meaning: "
        "finding the agent, reading its attributes, leaving content out, and identities.",
        plot=Plot(
            "bars",
            f"µs of each step for one of the {kinds[0].signal}",
            "Bars: " + ", ".join(f"{stage} {us:.1f}" for stage, us in spent.items()),
            "µs a record",
            "",
            {"µs": [(stage, max(us, 0.01)) for stage, us in spent.items()]},
        ),
        figures={f"{kinds[0].signal} {stage}_us": us for stage, us in spent.items()},
    )


def _served(bodies: Bodies) -> float:
    """CPU time of the whole server, µs per record."""
    server = ingest_servers.ours("api")
    return load(server, _WORK / "data", bodies, SERVED_REQUESTS, 60).cpu_us


def _medians(bodies: Bodies) -> dict[str, float]:
    """Median µs per record of every step, and of the server that does all of them."""
    with _inbox() as database:
        rounds = [_round(database, bodies) | {_ALL: _served(bodies)} for _ in range(ROUNDS)]
    return {stage: statistics.median(each[stage] for each in rounds) for stage in rounds[0]}


@contextmanager
def _inbox() -> Iterator[Database]:
    folder = _WORK / "stages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database = inbox.open_database(Settings(data_dir=folder))
    try:
        yield database
    finally:
        database.close()


def _round(database: Database, bodies: Bodies) -> dict[str, float]:
    """CPU time of each step, and the wait for the disk, in µs per record."""
    received_ms = int(datetime.now(UTC).timestamp() * 1000)
    kinds = [path.read_bytes() for path in sorted(bodies.folder.glob("*.pb"))]
    spent = dict.fromkeys((*STAGES, _DISK), 0.0)

    def timed(stage: str, step: Callable[..., Any], *given: Any) -> Any:
        began, cpu = time.perf_counter(), time.thread_time()
        made = step(*given)
        busy = time.thread_time() - cpu
        spent[stage] += busy
        if stage == "commit":
            spent[_DISK] += time.perf_counter() - began - busy
        return made

    def prepare(read: Decoded) -> Delivery:
        return delivery.prepare(_CALLER, read.events, read.drops, received_ms=received_ms)

    for number in range(REQUESTS):
        body = numbered(kinds[number % len(kinds)], number)
        request = timed("parse", otlp_protobuf.parse, bodies.signal, body)
        walk = Walk(otlp_protobuf, bodies.signal, received_ms, find_otlp)
        timed("normalise", WALKS[bodies.signal], walk, request)
        taken = timed("attribute", prepare, walk.decoded)
        row = timed("encode", rows.of_delivery, taken)
        payload = timed("compress", rows.compress, row.plain)
        stored = (row.org_id, row.first_day, len(payload), row.tally, payload)
        timed("commit", database.write, inbox._INSERT, [stored])
    return {stage: s / (REQUESTS * bodies.records) * 1e6 for stage, s in spent.items()}
