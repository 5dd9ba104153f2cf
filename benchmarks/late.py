"""Data of a day that is over beside data of today: what each costs `stationmaster up`.

Both are the same log records, sent as fast as they are taken to a fresh installation. A day that
was counted before is counted again when data come for it. CPU is that of all processes of the
server from the first request until the lake holds everything and no day is due.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.ingest_load import Bodies, Client, fresh, started, wait_until_moved
from benchmarks.ingest_servers import ours
from benchmarks.processes import Watch
from benchmarks.results import WORK, Result, machine

RECORDS = 500
REQUESTS = 200
SECONDS_MAX = 240.0
GOAL = 1.5
AGES = {"today": timedelta(hours=1), "ten days ago": timedelta(days=10)}
_FIRST_OF_WARM_UP = 90_000
_DUE = "SELECT count(*) FROM lake_days WHERE landed > rolled AND landed > 0 AND day < ?"


def run() -> list[Result]:
    found = {name: _cpu_us(WORK / "late", age) for name, age in AGES.items()}
    today, before = found.values()
    return [
        Result(
            name="late",
            title="Late data",
            about=f"{(__doc__ or '').strip()} {REQUESTS * RECORDS:,} records, {RECORDS} in a "
            f"request, one run of each. {machine()}",
            columns=["records of", "CPU µs a record", "of fresh data"],
            rows=[[name, f"{cost:.1f}", f"{cost / today:.2f}"] for name, cost in found.items()],
            verdict=f"Late data cost {before / today:.2f} times as much as fresh data "
            f"(goal: {GOAL}).",
        )
    ]


def _cpu_us(work: Path, age: timedelta) -> float:
    """CPU µs a record."""
    shutil.rmtree(work, ignore_errors=True)
    bodies = Bodies.write(work / "bodies", "logs", RECORDS, datetime.now(UTC) - age)
    server, folder = ours("up"), work / "data"
    headers = fresh(server, folder)
    with started(server, folder) as process:
        Client(bodies, headers, _FIRST_OF_WARM_UP, 2, SECONDS_MAX).sent()
        _wait_until_counted(folder)
        with Watch(process.pid) as watch:
            sent = Client(bodies, headers, 0, REQUESTS, SECONDS_MAX).sent()
            wait_until_moved(server, folder)
            _wait_until_counted(folder)
    shutil.rmtree(work, ignore_errors=True)
    return watch.cpu_s * 1e6 / (len(sent.acknowledged) * RECORDS)


def _wait_until_counted(folder: Path) -> None:
    """Wait until no day that is over is due."""
    deadline = time.monotonic() + SECONDS_MAX
    today = datetime.now(UTC).date().isoformat()
    while time.monotonic() < deadline:
        with closing(sqlite3.connect(folder / "stationmaster.sqlite3", timeout=20)) as state:
            [(due,)] = state.execute(_DUE, (today,)).fetchall()
        if not due:
            return
        time.sleep(1)
    raise RuntimeError("days are still due")
