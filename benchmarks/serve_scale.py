"""Reading reports from one to four processes, on SQLite and on PostgreSQL.

Ours is `stationmaster api --workers N` beside as many processes of the plain Starlette route that
makes the same read from the same database. PostgreSQL syncs as it is installed to. Client, servers
and PostgreSQL share the machine.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.databases import running_postgresql

from benchmarks import serve_data
from benchmarks.processes import Watch, await_idle, program, running
from benchmarks.results import WORK, Plot, Result, machine, spread
from benchmarks.serve_apps import environment, settings
from benchmarks.serve_data import LAST
from stationmaster.settings import Settings

PORT = 18780
PROCESSES = (1, 2, 4)
CONNECTIONS = 16
SECONDS = 2
ROUNDS = 3
RATE_GOAL = 0.5
SCALE_GOAL = 1.6
QUESTION = f"/api/v1/analytics/activity?startDate=2026-10-22&endDate={LAST.isoformat()}&org=small"
_WORK = WORK / "serve-scale"
_OURS = (sys.executable, "-m", "stationmaster", "api", "--port", str(PORT), "--workers")
_PLAIN = (
    *(sys.executable, "-m", "uvicorn", "benchmarks.serve_apps:bare_from_environment"),
    *("--factory", "--log-level", "warning", "--no-access-log", "--port", str(PORT), "--workers"),
)
_SERVERS = {"stationmaster": _OURS, "plain route": _PLAIN}


@dataclass(frozen=True)
class Measured:
    """Requests a second, latencies in ms, and CPU time of the servers' processes in µs each."""

    rate: float
    p50: float
    p99: float
    cpu_us: float


def run() -> list[Result]:
    client = program("wrk")
    if client is None:
        return [_result({}, "wrk, which asks, could not be installed here; nothing was measured.")]
    found: dict[tuple[str, int, str], list[Measured]] = {}
    for database in ("SQLite", "PostgreSQL"):
        with _installation(database) as (made, key):
            for _ in range(ROUNDS):  # In turn, so that a busy machine slows all alike.
                for processes in PROCESSES:
                    for server in _SERVERS:
                        measured = _measured(client, made, key, server, processes)
                        found.setdefault((database, processes, server), []).append(measured)
    rates = {case: statistics.median(run.rate for run in runs) for case, runs in found.items()}
    return [_result(found, _verdict(rates))]


def _verdict(rates: dict[tuple[str, int, str], float]) -> str:
    least = min(
        rates[database, processes, "stationmaster"] / rates[database, processes, "plain route"]
        for database, processes, _ in rates
    )
    scaled = {
        database: rates[database, PROCESSES[-1], "stationmaster"]
        / rates[database, 1, "stationmaster"]
        for database in ("PostgreSQL", "SQLite")
    }
    return (
        f"At least {least:.2f} of as many processes of the plain route (goal: {RATE_GOAL}). Four "
        f"processes answer {scaled['PostgreSQL']:.2f} times as many requests as one on PostgreSQL "
        f"(goal on two cores: {SCALE_GOAL}), {scaled['SQLite']:.2f} times on SQLite."
    )


def _plot(rates: dict[tuple[str, int, str], float], verdict: str) -> Plot:
    lines = {
        f"{server}, {database}": [
            (float(processes), rates[database, processes, server]) for processes in PROCESSES
        ]
        for database, _, server in rates
    }
    return Plot(
        "lines",
        "Requests answered a second by processes",
        f"Lines from one to {PROCESSES[-1]} processes. {verdict}",
        "processes",
        "requests/s",
        lines,
    )


def _result(found: dict[tuple[str, int, str], list[Measured]], verdict: str) -> Result:
    rates = {case: statistics.median(run.rate for run in runs) for case, runs in found.items()}
    return Result(
        name="serve_scale",
        title="Reading reports in several processes",
        about=f"{(__doc__ or '').partition(chr(10))[2].strip()} 30 days of activity, 9 KB; "
        f"{CONNECTIONS} connections from wrk, median (least–greatest) of {ROUNDS} rounds of "
        f"{SECONDS} s in turn. {machine()}",
        columns=[
            *("database", "processes", "server", "requests/s", "of the plain route"),
            *("of one process", "p50 ms", "p99 ms", "CPU µs a request"),
        ],
        rows=[
            [
                *(database, str(processes), server),
                spread(run.rate for run in runs),
                f"{rates[case] / rates[database, processes, 'plain route']:.2f}",
                f"{rates[case] / rates[database, 1, server]:.2f}",
                f"{statistics.median(run.p50 for run in runs):.2f}",
                f"{statistics.median(run.p99 for run in runs):.2f}",
                f"{statistics.median(run.cpu_us for run in runs):.0f}",
            ]
            for case, runs in found.items()
            for database, processes, server in [case]
        ],
        verdict=verdict,
        plot=_plot(rates, verdict) if found else None,
        figures={
            f"{server} {database} {processes} processes requests_per_second": rates[case]
            for case in found
            for database, processes, server in [case]
        },
    )


@contextmanager
def _installation(database: str) -> Iterator[tuple[Settings, str]]:
    """A filled installation on one of the databases, and a key to read it with."""
    shutil.rmtree(_WORK, ignore_errors=True)
    try:
        if database == "SQLite":
            made = settings(_WORK)
            yield made, serve_data.build(made, ("small",))["small"]
            return
        with running_postgresql(durable=True) as server, server.database() as url:
            made = settings(_WORK, url)
            yield made, serve_data.build(made, ("small",))["small"]
    finally:
        shutil.rmtree(_WORK, ignore_errors=True)


def _measured(client: str, made: Settings, key: str, server: str, processes: int) -> Measured:
    command, env = [*_SERVERS[server], str(processes)], environment(made)
    with running(command, PORT, env=env, log=_WORK / "printed") as process:
        await_idle(process.pid)
        _load(client, key, 1)
        with Watch(process.pid) as watch:
            asked, rate, p50, p99 = _load(client, key, SECONDS)
    return Measured(rate, p50, p99, watch.cpu_s * 1e6 / asked)


def _load(client: str, key: str, seconds: int) -> tuple[int, float, float, float]:
    """Requests, requests a second, and the latencies in ms that half and all but 1 % stay under."""
    done = subprocess.run(
        [
            *(client, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"),
            *("-H", f"Authorization: Bearer {key}", f"http://127.0.0.1:{PORT}{QUESTION}"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(done.stdout)
    asked = int(re.findall(r"(\d+) requests in", done.stdout)[0])
    rate = float(re.findall(r"Requests/sec:\s+([\d.]+)", done.stdout)[0])
    p50, p99 = (
        float(number) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]
        for number, unit in re.findall(r"(?:50|99)%\s+([\d.]+)(us|ms|s)", done.stdout)
    )
    return asked, rate, p50, p99
