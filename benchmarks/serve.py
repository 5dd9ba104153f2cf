"""Reading reports: our server beside a plain route that makes the same read, under one uvicorn.

Both serve the same database file in turn, one process each, against a closed-loop client in a
process of its own. The plain route knows no callers, roles, limits, entity tags or freshness.
"""

from __future__ import annotations

import http.client
import json
import os
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
from benchmarks.results import ROOT, WORK, Result, machine
from benchmarks.serve_apps import settings
from benchmarks.serve_data import ACTIVE_DAYS, LAST, USER_DAYS, USERS, user_id

PORT = 18790
CONNECTIONS = 16
SECONDS = 4.0
ROUNDS = 3
GOAL = 0.5
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
    rows = []
    ratios = []
    for title, org, asked in _cases():
        requests = [_request(report, {**query, "org": org}, keys[org]) for report, query in asked]
        measured: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
        for _ in range(ROUNDS):
            for which, found in measured.items():
                with _server(which, data_dir) as pid:
                    found.append(_load(requests, pid))
        speeds = {w: statistics.median(m["per_second"] for m in f) for w, f in measured.items()}
        ratio = speeds["ours"] / speeds["bare"]
        ratios.append(ratio)
        rows += [
            [
                title,
                {"ours": "stationmaster", "bare": "limit: plain Starlette route"}[which],
                f"{speeds[which]:,.0f}",
                f"{statistics.median(m['cpu_us'] for m in found):,.0f}",
                f"{statistics.median(m['p50_ms'] for m in found):.2f}",
                f"{statistics.median(m['p99_ms'] for m in found):.2f}",
                f"{ratio:.2f}" if which == "ours" else "1",
            ]
            for which, found in measured.items()
        ]
    return Result(
        name="serve",
        title="Reading reports",
        about=f"{(__doc__ or '').split(chr(10), 2)[2].strip()} {CONNECTIONS} connections, median "
        f"of {ROUNDS} rounds of {SECONDS:.0f} s. {USERS:,} users, each active on {ACTIVE_DAYS} of "
        f"{USER_DAYS} days. {machine()}",
        columns=[
            "question",
            "server",
            "requests/s",
            "CPU µs a request",
            "p50 ms",
            "p99 ms",
            "of the limit",
        ],
        rows=rows,
        verdict=f"At least {min(ratios):.2f} of the plain route; the goal is {GOAL}.",
    )


def _memory(data_dir: Path, key: str) -> Result:
    with _server("ours", data_dir) as pid:
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


def _load(requests: list[str], pid: int) -> dict[str, float]:
    """What the client measured, and the server's CPU time per request."""
    order: dict[str, Any] = {"port": PORT, "requests": requests, "connections": CONNECTIONS}
    command = [sys.executable, "-m", "benchmarks.serve_client"]
    for seconds in (0.5, SECONDS):  # The first only warms up.
        before = _cpu_s(pid)
        done = subprocess.run(
            command,
            input=json.dumps(order | {"seconds": seconds}),
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
    found: dict[str, float] = json.loads(done.stdout)
    found["cpu_us"] = (_cpu_s(pid) - before) * 1e6 / found["requests"]
    return found


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _server(which: str, data_dir: Path) -> Iterator[int]:
    command = [sys.executable, "-m", "benchmarks.serve_apps", which, str(data_dir), str(PORT)]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        _await_answer(process)
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _await_answer(process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError("the server ended")
        try:
            _get("/healthz", {})
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server did not answer")


def _get(path: str, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    size = 0
    while chunk := response.read(1 << 20):
        size += len(chunk)
    connection.close()
    return size


def _read(query: dict[str, str], key: str) -> int:
    path = f"/api/v1/analytics/tokens?{urlencode(query)}"
    return _get(path, {"Authorization": f"Bearer {key}"})


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
