"""Taking telemetry durably: beside other servers, under ten and a hundred times the work, and
where the time goes."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks import ingest_least, ingest_servers, ingest_stages
from benchmarks.ingest_load import CONNECTIONS, Bodies, Killed, Loaded, kill_amid, load
from benchmarks.ingest_servers import Server
from benchmarks.results import WORK, Plot, Result, machine, spread

RECORDS = 500
ROUNDS = 3
SECONDS_MAX = 40.0
KILL_AFTER_S = 12.0
GOAL = 100
GROWTH = (10, 100, 1_000)
"""Requests; the last is a hundred times the first."""
_WORK = WORK / "ingest"


def run() -> Iterator[Result]:
    shutil.rmtree(_WORK, ignore_errors=True)
    spans = Bodies.write(_WORK / "traces", "traces", RECORDS)
    logs = Bodies.write(_WORK / "logs", "logs", RECORDS)
    try:
        yield _peers(spans, logs)
        yield _growth(spans)
        yield ingest_stages.run(spans, logs)
        yield ingest_least.run(_WORK)
    finally:
        shutil.rmtree(_WORK)


def _peers(spans: Bodies, logs: Bodies) -> Result:
    contenders: list[tuple[Server | None, Bodies, int]] = [
        (ingest_servers.collector(), spans, 1_000),
        (ingest_servers.ours("api"), spans, 200),
        (ingest_servers.ours("api", workers=2), spans, 200),
        (ingest_servers.ours("up"), spans, 200),
        (ingest_servers.ours("api"), logs, 200),
        (ingest_servers.phoenix(), spans, 6),
        (ingest_servers.mlflow(), spans, 6),
    ]
    found = [
        _Contender(server, bodies, requests) for server, bodies, requests in contenders if server
    ]
    for _ in range(ROUNDS):  # In turn, so that a busy moment of the machine meets them all.
        for each in found:
            each.loads.append(
                load(each.server, _WORK / "data", each.bodies, each.requests, SECONDS_MAX)
            )
    for each in found:
        if each.server.stored and each.bodies is spans:
            each.killed = kill_amid(each.server, _WORK / "data", spans, KILL_AFTER_S)
    return _beside(found)


@dataclass
class _Contender:
    """A server, what it is sent, and what came of it."""

    server: Server
    bodies: Bodies
    requests: int
    loads: list[Loaded] = field(default_factory=list)
    killed: Killed | None = None

    @property
    def name(self) -> str:
        return self.server.name + (", logs" if self.bodies.signal == "logs" else "")

    @property
    def rate(self) -> float:
        return statistics.median(run.rate for run in self.loads)

    def cells(self, mlflow: float | None) -> list[str]:
        """The row of it."""
        return [
            self.name,
            spread(run.rate for run in self.loads),
            f"{self.rate / mlflow:,.1f}" if mlflow else "",
            f"{self.killed.acknowledged:,}" if self.killed else "",
            f"{self.killed.lost:,}" if self.killed else "",
            spread((run.sent.p50 for run in self.loads), ",.1f"),
            spread((run.sent.p99 for run in self.loads), ",.1f"),
            f"{max(run.peak_mb for run in self.loads):,.0f}",
            spread((run.cpu_us for run in self.loads), ",.1f"),
            spread(run.records / run.landed_s for run in self.loads) if self.server.moves else "",
        ]

    def figures(self) -> dict[str, float]:
        return {
            f"{self.name} items_per_second": self.rate,
            f"{self.name} cpu_us_per_item": statistics.median(run.cpu_us for run in self.loads),
            f"{self.name} peak_mb": max(run.peak_mb for run in self.loads),
        }


def _beside(found: list[_Contender]) -> Result:
    rates = {each.name: each.rate for each in found}
    mlflow = _named(rates, "mlflow")
    return Result(
        name="ingest",
        title="Taking telemetry",
        about=_ABOUT + machine(),
        columns=[
            *("server", "durable items/s", "of MLflow", "acknowledged before SIGKILL", "lost"),
            *("p50 ms", "p99 ms", "peak MB", "CPU µs an item", "to the lake/s"),
        ],
        rows=[each.cells(mlflow) for each in found],
        verdict=_verdict(rates, {each.name: each.killed for each in found}),
        plot=Plot(
            "bars",
            "Items made durable a second",
            "Bars on a logarithmic scale: " + ", ".join(f"{n} {r:,.0f}" for n, r in rates.items()),
            "items/s",
            "",
            {"items/s": list(rates.items())},
        ),
        figures={name: value for each in found for name, value in each.figures().items()},
    )


_ABOUT = f"""Spans as Claude Code exports them, {RECORDS} in a request, from one closed-loop client
over {CONNECTIONS} connections; each server with the store that it chooses by itself, all on one
machine with the client. An item counts when it is found in the store, and the clock runs until
then. For the loss, every process is ended with SIGKILL amid a load of {KILL_AFTER_S:.0f} s; then
the server is started again and every acknowledged body is looked for in its store. The native
collector throws away what it takes. Median (least–greatest) of {ROUNDS} rounds in turn; memory is
that of all processes of a server, shared pages counted once. """


def _verdict(rates: dict[str, float], killed: dict[str, Killed | None]) -> str:
    ours = rates["stationmaster api"]
    lost = killed["stationmaster api"]
    told = []
    mlflow, native = _named(rates, "mlflow"), _named(rates, "rotel")
    if mlflow:
        told.append(f"`api` makes {ours / mlflow:,.0f} times as many items durable a second as "
                    f"MLflow (goal: {GOAL})")  # fmt: skip
    if native:
        told.append(f"{ours / native:.2f} of what the native collector takes and throws away")
    told.append(f"{lost.lost if lost else 0} acknowledged items lost")
    missing = [name for name in ("mlflow", "arize-phoenix", "rotel") if not _named(rates, name)]
    left_out = f" Could not be installed here: {', '.join(missing)}." if missing else ""
    return "; ".join(told) + "." + left_out


def _named(rates: dict[str, float], name: str) -> float | None:
    return next((rate for each, rate in rates.items() if each.startswith(name)), None)


def _growth(spans: Bodies) -> Result:
    rows, points = [], []
    for requests in GROWTH:
        found = load(ingest_servers.ours("api"), _WORK / "data", spans, requests, 10 * SECONDS_MAX)
        points.append((found.records, found.durable_s))
        rows.append(
            [
                f"{found.records:,}",
                f"{found.durable_s:.2f}",
                f"{found.durable_s / found.records * 1e6:.1f}",
                f"{found.durable_s / points[0][1]:.1f}",
                f"{found.cpu_us:.1f}",
                f"{found.sent.p99:.0f}",
                f"{found.peak_mb:,.0f}",
            ]
        )
    factor = points[-1][1] / points[0][1]
    return Result(
        name="ingest_growth",
        title="Taking ten and a hundred times as much",
        about=f"`stationmaster api` under the same load for longer. {machine()}",
        columns=["spans", "s", "µs a span", "times as long", "CPU µs a span", "p99 ms", "peak MB"],
        rows=rows,
        verdict=f"A hundred times the spans take {factor:.0f} times as long.",
        plot=Plot(
            "lines",
            "Time to make spans durable",
            f"A straight line: a hundred times the spans take {factor:.0f} times as long.",
            "spans",
            "seconds",
            {"stationmaster api": list(points)},
        ),
    )
