"""Our server beside a bare one that only parses, looks and stores.

All run under uvicorn in one process unless the table says two, take the same bodies from the same
closed-loop client, and answer after a synced commit. Ours also checks the key, makes events,
attributes and compresses them; as `up` it moves them to the lake at the same time.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path

from benchmarks import ingest_servers
from benchmarks.ingest_load import CONNECTIONS, Bodies, Loaded, load
from benchmarks.ingest_servers import PORT, Server
from benchmarks.results import Result, machine, spread

ROUNDS = 3
GOALS = {"stationmaster api": 0.8, "stationmaster up": 0.75}
CASES = ((500, 200), (50, 1_000))
"""Records per request, and requests."""
_BARE = Server(
    "bare server",
    lambda folder: [
        *(sys.executable, "-m", "benchmarks.ingest_limit"),
        *(folder / "limit.sqlite3", str(PORT)),
    ],
    lambda folder: {},
    None,
)


def run(work: Path) -> Result:
    rows: list[list[str]] = []
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    for records, requests in CASES:
        bodies = Bodies.write(work / f"logs-{records}", "logs", records)
        servers = (
            _BARE,
            ingest_servers.ours("api"),
            ingest_servers.ours("api", workers=2),
            ingest_servers.ours("up"),
        )
        loads: dict[str, list[Loaded]] = {server.name: [] for server in servers}
        for _ in range(ROUNDS):  # In turn, so that a busy moment of the machine meets them all.
            for server in servers:
                loads[server.name].append(load(server, work / "data", bodies, requests, 60))
        rates = {name: statistics.median(run.rate for run in runs) for name, runs in loads.items()}
        cpu = {name: statistics.median(run.cpu_us for run in runs) for name, runs in loads.items()}
        for name in GOALS:
            least[name] = min(least.get(name, math.inf), rates[name] / rates[_BARE.name])
            most[name] = max(most.get(name, 0.0), cpu[name] / cpu[_BARE.name])
        rows += [_row(f"{records} records", name, loads) for name in loads]
    return Result(
        name="ingest_least",
        title="Taking telemetry beside the least that Python can do",
        about=f"{(__doc__ or '').partition(chr(10))[2].strip()}\n\n{CONNECTIONS} connections; "
        f"median (least–greatest) of {ROUNDS} rounds. {machine()}",
        columns=[
            "request",
            "server",
            "records/s",
            "of bare",
            "CPU µs a record",
            "of bare",
            "p50 ms",
            "p99 ms",
        ],
        rows=rows,
        verdict=" ".join(
            f"`{name}` takes {least[name]:.2f} of the bare server's rate at least (goal: {goal}), "
            f"with {most[name]:.2f} times its CPU."
            for name, goal in GOALS.items()
        ),
    )


def _row(case: str, name: str, loads: dict[str, list[Loaded]]) -> list[str]:
    runs, bare = loads[name], loads[_BARE.name]
    rate = statistics.median(run.rate for run in runs)
    cpu = statistics.median(run.cpu_us for run in runs)
    return [
        case,
        name,
        spread(run.rate for run in runs),
        f"{rate / statistics.median(run.rate for run in bare):.2f}",
        f"{cpu:.1f}",
        f"{cpu / statistics.median(run.cpu_us for run in bare):.2f}",
        spread((run.sent.p50 for run in runs), ".1f"),
        spread((run.sent.p99 for run in runs), ".1f"),
    ]
