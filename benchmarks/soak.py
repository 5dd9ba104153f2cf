"""A long run at half of what the server can take, then at twice as much.

    python -m benchmarks.soak [--minutes 30] [--overload-minutes 3] [--no-document]

First a closed loop finds the capacity. Then requests leave at half of that rate, whether earlier
ones are answered or not, and every 10 s memory, latency, inbox, files, threads and disk are noted:
none may grow. Then they leave at twice the capacity: what the server cannot take it must refuse at
once (429 or 503 with Retry-After), and half a minute after, everything must be as before. In the
end each acknowledged record must be in the lake exactly once.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import psutil

from benchmarks import soak_report
from benchmarks.results import ROOT, WORK
from benchmarks.soak_load import Answer, Bodies, Load
from benchmarks.soak_report import Sample, Story

PORT = 18797
RECORDS = 100
"""Of one request: what a busy collector sends at a time."""
SERVER = [sys.executable, "-m", "stationmaster"]
SAMPLE_S = 10.0
CAPACITY_S = 20.0
RECOVERY_S = 30.0
WARM_UP_S = 60.0
"""Not judged: caches fill and allocators settle."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--overload-minutes", type=float, default=3)
    parser.add_argument("--no-document", action="store_true", help="leave docs/ alone")
    given = parser.parse_args()
    work = WORK / "soak"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    story = run(work, given.minutes * 60, given.overload_minutes * 60)
    soak_report.tell(story)
    if not given.no_document:
        soak_report.write(story)
    shutil.rmtree(work)
    return 0 if story.is_good else 1


def run(work: Path, seconds: float, overload_seconds: float) -> Story:
    """All phases on a fresh installation; what was seen."""
    data = work / "data"
    made = subprocess.run(
        [*SERVER, "init", "--data-dir", str(data), "--json"], check=True, capture_output=True
    )
    key = json.loads(made.stdout)["api_key"]
    bodies = Bodies(RECORDS, datetime.now(UTC))
    server = subprocess.Popen(
        [*SERVER, "up", "--data-dir", str(data), "--port", str(PORT)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    try:
        load = Load(PORT, key, bodies)
        load.wait_for_server()
        capacity = load.closed_loop(CAPACITY_S)
        print(f"capacity: {capacity:.0f} requests of {RECORDS} records a second", flush=True)
        watch = Watch(server.pid, data, load)
        steady = watch.during("steady", capacity / 2, seconds)
        overload = watch.during("overload", capacity * 2, overload_seconds)
        watch.during("recovery", capacity / 2, RECOVERY_S)
        recovered = watch.during("after", capacity / 2, RECOVERY_S)
        load.finish()
    finally:
        server.terminate()
        server.wait(timeout=120)
    subprocess.run([*SERVER, "rollup", "--data-dir", str(data)], check=True, capture_output=True)
    stored = _stored(data)
    return Story(
        capacity=capacity * RECORDS,
        samples=watch.samples,
        warm_up_s=min(WARM_UP_S, seconds / 4),
        steady=steady,
        overload=overload,
        recovered=recovered,
        acknowledged=load.acknowledged,
        uncertain=load.uncertain,
        stored=stored,
    )


class Watch:
    """Notes how the server stands while a load goes on."""

    def __init__(self, pid: int, data: Path, load: Load) -> None:
        self.samples: list[Sample] = []
        self._process = psutil.Process(pid)
        self._data = data
        self._load = load
        self._began = time.monotonic()

    def during(self, phase: str, rate: float, seconds: float) -> list[Answer]:
        """Send at a rate for so long; every answer."""
        answers: list[Answer] = []
        samples = max(round(seconds / SAMPLE_S), 1)
        self._load.open_loop(rate)
        for _ in range(samples):
            time.sleep(seconds / samples)
            seen = self._load.take_answers()
            answers += seen
            self.samples.append(self._sample(phase, seen))
            print(soak_report.line(self.samples[-1]), flush=True)
        self._load.open_loop(0)
        return answers

    def _sample(self, phase: str, answers: list[Answer]) -> Sample:
        memory = self._process.memory_full_info()
        taken = sorted(answer.seconds for answer in answers if answer.status == 200)
        return Sample(
            at=time.monotonic() - self._began,
            phase=phase,
            rss=memory.rss,
            uss=memory.uss,
            p50=taken[len(taken) // 2] if taken else 0.0,
            p99=taken[int(0.99 * (len(taken) - 1))] if taken else 0.0,
            taken=len(taken),
            refused=sum(answer.is_refusal for answer in answers),
            failed=sum(not answer.is_refusal and answer.status != 200 for answer in answers),
            inbox_rows=_waiting(self._data),
            files=self._process.num_fds(),
            threads=self._process.num_threads(),
            disk=sum(f.stat().st_size for f in self._data.rglob("*") if f.is_file()),
        )


def _waiting(data: Path) -> int:
    import sqlite3

    connection = sqlite3.connect(data / "inbox.sqlite3", timeout=10)
    try:
        return int(connection.execute("SELECT count(*) FROM inbox").fetchone()[0])
    finally:
        connection.close()


def _stored(data: Path) -> tuple[int, int]:
    """Records in the lake: different ones, and all."""
    import duckdb

    parts = str(data / "lake" / "*" / "*" / "part-*.parquet")
    [(different, every)] = duckdb.sql(
        "select count(distinct (event_id_hi, event_id_lo)), count(*)"
        f" from read_parquet('{parts}', union_by_name=true, hive_partitioning=false)"
    ).fetchall()
    return int(different), int(every)


if __name__ == "__main__":
    sys.exit(main())
