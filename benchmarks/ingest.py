"""Taking OTLP logs durably: our server beside a bare one that only parses, looks and stores.

Both run under uvicorn in one process, take the same bodies from the same closed-loop client, and
answer after a synced commit. Ours also checks the key, makes events, attributes and compresses
them; as `up` it moves them to the lake at the same time.
"""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import ingest_data
from benchmarks.results import ROOT, WORK, Result, machine

PORT = 18795
CONNECTIONS = 4
ROUNDS = 3
GOAL = 0.8
LAKE_SECONDS_MAX = 120
SERVER = [sys.executable, "-m", "stationmaster"]
LIMIT = [sys.executable, "-m", "benchmarks.ingest_limit"]
CASES = ((500, 300), (50, 1500))
"""Records per request, and requests."""


@dataclass(frozen=True)
class Measured:
    """Of one server and case: records a second acknowledged, latencies, records a second landed."""

    acknowledged: float
    p50: float
    p99: float
    landed: float | None = None


def run() -> Result:
    work = WORK / "ingest"
    shutil.rmtree(work, ignore_errors=True)
    start = datetime.now(UTC) - timedelta(hours=1)
    rows, ratios = [], []
    for records, requests in CASES:
        folder = work / f"bodies-{records}"
        folder.mkdir(parents=True)
        for number, body in enumerate(ingest_data.bodies(requests, records, start)):
            (folder / f"{number:05d}.pb").write_bytes(body)
        total = records * requests
        limit, api, up = _middle(work, folder, total)
        ratios.append(api.acknowledged / limit.acknowledged)
        for name, measured in (("bare server", limit), ("api", api), ("up", up)):
            rows.append(_row(f"{records} records", name, measured, limit))
    shutil.rmtree(work)
    return Result(
        name="ingest",
        title="Taking telemetry",
        about=(
            f"{(__doc__ or '').strip()}\n\n{CONNECTIONS} connections; "
            f"middle of {ROUNDS} rounds. {machine()}"
        ),
        columns=["request", "server", "records/s", "of bare", "p50 ms", "p99 ms", "to the lake/s"],
        rows=rows,
        verdict=f"`api` takes {min(ratios):.2f} of the bare server's rate at least; goal {GOAL}.",
    )


def _row(case: str, name: str, measured: Measured, limit: Measured) -> list[str]:
    return [
        case,
        name,
        f"{measured.acknowledged:,.0f}",
        f"{measured.acknowledged / limit.acknowledged:.2f}",
        f"{measured.p50:.1f}",
        f"{measured.p99:.1f}",
        "" if measured.landed is None else f"{measured.landed:,.0f}",
    ]


def _middle(work: Path, folder: Path, total: int) -> tuple[Measured, ...]:
    """The three servers in turn, so that a busy moment of the machine meets all of them."""
    rounds = [
        (
            _limit(work / "limit.sqlite3", folder, total),
            _ours("api", work / "data", folder, total),
            _ours("up", work / "data", folder, total),
        )
        for _ in range(ROUNDS)
    ]
    middle = []
    for column in zip(*rounds, strict=True):
        rates = [measured.acknowledged for measured in column]
        middle.append(column[rates.index(statistics.median_low(rates))])
    return tuple(middle)


def _limit(database: Path, folder: Path, total: int) -> Measured:
    for path in database.parent.glob(database.name + "*"):
        path.unlink()
    with _running([*LIMIT, str(database), str(PORT)]):
        sent = _send(folder, "none")
    return Measured(total / sent["seconds"], sent["p50"], sent["p99"])


def _ours(command: str, data_dir: Path, folder: Path, total: int) -> Measured:
    shutil.rmtree(data_dir, ignore_errors=True)
    made = subprocess.run(
        [*SERVER, "init", "--data-dir", str(data_dir), "--json"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    key = json.loads(made.stdout)["api_key"]
    with _running([*SERVER, command, "--data-dir", str(data_dir), "--port", str(PORT)]):
        started = time.perf_counter()
        sent = _send(folder, key)
        landed = None
        if command == "up":
            _wait_until_empty(data_dir / "inbox.sqlite3")
            landed = total / (time.perf_counter() - started)
    return Measured(total / sent["seconds"], sent["p50"], sent["p99"], landed)


def _send(folder: Path, key: str) -> dict[str, Any]:
    client = [sys.executable, "-m", "benchmarks.ingest_client"]
    done = subprocess.run(
        [*client, str(folder), str(PORT), str(CONNECTIONS), key],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    sent: dict[str, Any] = json.loads(done.stdout)
    return sent


def _wait_until_empty(inbox: Path) -> None:
    connection = sqlite3.connect(inbox)
    deadline = time.perf_counter() + LAKE_SECONDS_MAX
    while connection.execute("SELECT count(*) FROM inbox").fetchone()[0]:
        if time.perf_counter() > deadline:
            raise RuntimeError("the lake does not catch up")
        time.sleep(0.05)
    connection.close()


@contextmanager
def _running(command: list[str]) -> Iterator[None]:
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait_for_port(server)
        yield
    finally:
        server.terminate()
        server.wait(timeout=60)


def _wait_for_port(server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server does not answer")
