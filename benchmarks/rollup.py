"""Rolling up a day: all documents of all reports beside the plain grouped queries they come from.

Both read the same Parquet with the same threads and memory, one process per run, taking turns.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import lakes, rollup_plain
from benchmarks.results import ROOT, WORK, Result, machine
from stationmaster.access import service
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

SIZES = (100_000, 1_000_000, 10_000_000)
ROUNDS = 3
GOAL = 2.0
RSS_GOAL_MB = 2048
ORG = "org_bench"
_DATA = WORK / "rollup"


def run(sizes: tuple[int, ...] = SIZES) -> Result:
    rows = []
    worst, peak = 0.0, 0
    for size in sizes:
        shutil.rmtree(_DATA, ignore_errors=True)
        lakes.generate(_settings().lake_dir, ORG, size)
        plain, ours = _take_turns()
        plain_s, ours_s = (statistics.median(s for s, _ in runs) for runs in (plain, ours))
        rss = max(mb for _, mb in ours)
        worst, peak = max(worst, ours_s / plain_s), max(peak, rss)
        rows.append(
            [
                f"{size:,}",
                f"{plain_s:.2f}",
                f"{ours_s:.2f}",
                f"{ours_s / plain_s:.2f}",
                f"{size / ours_s:,.0f}",
                f"{max(mb for _, mb in plain):,}",
                f"{rss:,}",
            ]
        )
    shutil.rmtree(_DATA, ignore_errors=True)
    return Result(
        name="rollup",
        title="Rolling up a day",
        about=f"{(__doc__ or '').strip()} Medians of {ROUNDS} runs, {_settings().rollup_threads} "
        f"threads; ours includes counting every event once, rendering and the database. "
        f"{machine()}",
        columns=[
            "events",
            "plain queries (s)",
            "roll_up (s)",
            "ratio",
            "events/s",
            "plain peak RSS (MB)",
            "peak RSS (MB)",
        ],
        rows=rows,
        verdict=f"At most {worst:.2f} times the plain queries (goal: {GOAL:.0f}), at most "
        f"{peak:,} MB (goal: {RSS_GOAL_MB:,}).",
    )


def _settings() -> Settings:
    return Settings(data_dir=_DATA)


def _take_turns() -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    """(seconds, peak RSS in MB) of every run, the plain queries' and ours."""
    plain, ours = [], []
    _measured("plain")
    for _ in range(ROUNDS):
        plain.append(_measured("plain"))
        ours.append(_measured("ours"))
    return plain, ours


def _measured(which: str) -> tuple[float, int]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.rollup", which],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, rss = json.loads(done.stdout)
    return seconds, rss


def _plain() -> float:
    began = time.perf_counter()
    rollup_plain.answer(_settings(), Path(Lake.open(_settings()).partition(ORG, lakes.DAY)))
    return time.perf_counter() - began


def _ours() -> float:
    settings = _settings()
    for old in Path(settings.data_dir).glob("stationmaster.sqlite3*"):
        old.unlink()
    db = Database.open(settings.state_url)
    db.migrate()
    service.create_organization(db, "Bench")
    began = time.perf_counter()
    roll_up(db, settings, ORG, lakes.DAY)
    seconds = time.perf_counter() - began
    db.close()
    return seconds


def _peak_mb() -> int:
    """The high-water mark of this process alone; `ru_maxrss` would start at its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    if sys.argv[1:] in (["plain"], ["ours"]):
        took = {"plain": _plain, "ours": _ours}[sys.argv[1]]()
        print(json.dumps([took, _peak_mb()]))
    else:
        print(run(tuple(map(int, sys.argv[1:])) or SIZES).markdown())
