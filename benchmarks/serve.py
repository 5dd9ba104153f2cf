"""Reading reports: our server beside a plain route that makes the same read, under one uvicorn.

Both serve the same database file, one process each, to a closed-loop client in a process of its
own. The plain route knows no callers, roles, limits, entity tags or freshness.
"""

from __future__ import annotations

import http.client
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks import serve_data
from benchmarks.processes import running
from benchmarks.results import ROOT, WORK, Result, machine
from benchmarks.serve_apps import settings
from benchmarks.serve_data import ACTIVE_DAYS, LAST, USER_DAYS, USERS, user_id

PORT = 18790
CONNECTIONS = 16
SECONDS = 1.0
WARM_UP_S = 0.5
ROUNDS = 7
RATE_GOAL = 0.5
LATENCY_GOAL = 3
PAGE_USERS = 100
_MONTH = {"startDate": "2026-10-22", "endDate": LAST.isoformat()}
_QUARTER = {"startDate": "2026-08-23", "endDate": LAST.isoformat()}
_YEAR = {"startDate": "2025-11-20", "endDate": LAST.isoformat()}
Case = tuple[str, str, list[tuple[str, dict[str, str]]]]


def run() -> list[Result]:
    data_dir = WORK / "serve"
    shutil.rmtree(data_dir, ignore_errors=True)
    keys = serve_data.build(settings(data_dir))
    try:
        return [_throughput(data_dir, keys), _memory(data_dir, keys["large"])]
    finally:
        shutil.rmtree(data_dir)


def _cases() -> list[Case]:
    pages = range(PAGE_USERS, USERS - PAGE_USERS, 7 * PAGE_USERS)
    return [
        ("30 days of activity, 9 KB", "small", [("activity", _MONTH)]),
        ("30 days of tools, 36 KB", "small", [("tools", _MONTH)]),
        (
            f"page of {PAGE_USERS} users of {USERS:,}, {USER_DAYS} days, "
            f"{PAGE_USERS * ACTIVE_DAYS:,} rows",
            "large",
            [
                (
                    "users",
                    {
                        **_QUARTER,
                        "limit": str(PAGE_USERS),
                        "cursor": user_id(n),
                        "through": user_id(n + PAGE_USERS),
                    },
                )
                for n in pages
            ],
        ),
    ]


def _throughput(data_dir: Path, keys: dict[str, str]) -> Result:
    rows: list[list[str]] = []
    worst: dict[str, float] = {}
    with server("bare", data_dir, PORT) as bare, server("ours", data_dir, PORT + 1) as ours:
        servers = {"bare": (bare, PORT), "ours": (ours, PORT + 1)}
        for title, org, asked in _cases():
            requests = [_request(name, {**query, "org": org}, keys[org]) for name, query in asked]
            found = {which: _Measured() for which in servers}
            for pid, port in servers.values():
                load(requests, pid, port, WARM_UP_S)
            for _ in range(ROUNDS):  # In turn, so that a busy machine slows both alike.
                for which, (pid, port) in servers.items():
                    found[which].add(load(requests, pid, port, SECONDS))
            ratios = _ratios(found["ours"], found["bare"])
            worst = {name: min(worst.get(name, 9), ratio) for name, ratio in ratios.items()}
            rows += [
                found["ours"].cells(title, "stationmaster", ratios),
                found["bare"].cells(title, "limit: plain Starlette route", {}),
            ]
    return Result(
        name="serve",
        title="Reading reports",
        about=f"{(__doc__ or '').split(chr(10), 2)[2].strip()} {CONNECTIONS} connections, median "
        f"of {ROUNDS} rounds of {SECONDS} s in turn. {USERS:,} users, each active on {ACTIVE_DAYS} "
        f"of {USER_DAYS} days. {machine()}",
        columns=[
            "question",
            "server",
            "requests/s",
            "CPU µs a request",
            "p50 ms",
            "p99 ms",
            "rate of the limit",
            "CPU of the limit",
            "p50 of the limit",
        ],
        rows=rows,
        verdict=f"At least {worst['rate']:.2f} of the plain route's requests a second (goal: "
        f"{RATE_GOAL}), {worst['cpu']:.2f} by CPU time; at most {1 / worst['latency']:.2f} times "
        f"its latency (goal: {LATENCY_GOAL}).",
    )


class _Measured:
    """The rounds of one server on one question."""

    def __init__(self) -> None:
        self.rounds: list[dict[str, float]] = []

    def add(self, measured: dict[str, float]) -> None:
        self.rounds.append(measured)

    def median(self, name: str) -> float:
        return statistics.median(measured[name] for measured in self.rounds)

    def cells(self, title: str, server: str, ratios: dict[str, float]) -> list[str]:
        return [
            title,
            server,
            f"{self.median('per_second'):,.0f}",
            f"{self.median('cpu_us'):,.0f}",
            f"{self.median('p50_ms'):.2f}",
            f"{self.median('p99_ms'):.2f}",
            *(f"{ratios.get(name, 1):.2f}" for name in ("rate", "cpu", "latency")),
        ]


def _ratios(ours: _Measured, bare: _Measured) -> dict[str, float]:
    """How near the limit we come, 1 being as good."""
    return {
        "rate": ours.median("per_second") / bare.median("per_second"),
        "cpu": bare.median("cpu_us") / ours.median("cpu_us"),
        "latency": bare.median("p50_ms") / ours.median("p50_ms"),
    }


def _memory(data_dir: Path, key: str) -> Result:
    with server("ours", data_dir, PORT) as pid:
        _read(_MONTH | {"startDate": LAST.isoformat()}, key)
        before = _peak_mb(pid)
        started = time.perf_counter()
        size = _read(_YEAR, key)
        took = time.perf_counter() - started
        growth = _peak_mb(pid) - before
    return Result(
        name="serve_memory",
        title="A year in one answer",
        about=f"A year of `/tokens` that lists {serve_data.LISTED_USERS:,} users a day, read once. "
        + machine(),
        columns=["answer", "seconds", "peak memory grew by"],
        rows=[[f"{size / 1e6:.0f} MB", f"{took:.2f}", f"{growth:.1f} MB"]],
        verdict="Memory does not depend on the size of the answer.",
    )


def _request(report: str, query: dict[str, str], key: str) -> str:
    return (
        f"GET /api/v1/analytics/{report}?{urlencode(query)} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nAccept: */*\r\n\r\n"
    )


def load(requests: list[str], pid: int, port: int, seconds: float) -> dict[str, float]:
    """What the client measured, and the server's CPU time per request."""
    order: dict[str, Any] = {"port": port, "requests": requests, "connections": CONNECTIONS}
    before = _cpu_us(pid)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.serve_client"],
        input=json.dumps(order | {"seconds": seconds}),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    found: dict[str, float] = json.loads(done.stdout)
    found["cpu_us"] = (_cpu_us(pid) - before) / found["requests"]
    return found


def _cpu_us(pid: int) -> float:
    """CPU time of all threads; the scheduler counts nanoseconds."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1000


@contextmanager
def server(which: str, data_dir: Path, port: int) -> Iterator[int]:
    command = [sys.executable, "-m", "benchmarks.serve_apps", which, str(data_dir), str(port)]
    with running(command, port) as process:
        yield process.pid


def _get(path: str, port: int, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    size = 0
    while chunk := response.read(1 << 20):
        size += len(chunk)
    connection.close()
    return size


def _read(query: dict[str, str], key: str) -> int:
    path = f"/api/v1/analytics/tokens?{urlencode(query)}"
    return _get(path, PORT, {"Authorization": f"Bearer {key}"})


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
