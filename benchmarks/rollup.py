"""Rolling up a day: all documents of all reports beside the plain grouped queries they come from.

Both read the same Parquet with the same threads and memory, one process per run, taking turns.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks import lakes, rollup_plain
from benchmarks.results import ROOT, WORK, Plot, Result, machine, spread
from stationmaster.access import service
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

SIZES = (1_000, 100_000, 1_000_000, 10_000_000)
"""The first is nearly all fixed cost."""
FULL_SIZE = 100_000_000
"""With STATIONMASTER_BENCH_FULL: some ten minutes more, and 10 GB of disk."""
ROUNDS = 3
GOAL = 2.0
MEMORY_GOAL_MB = 2048
ORG = "org_bench"
_DATA = WORK / "rollup"


@dataclass(frozen=True)
class Measured:
    """Of one engine and size: seconds of every run, and the most memory of any in MB."""

    seconds: list[float]
    peak_mb: int

    @property
    def middle(self) -> float:
        return statistics.median(self.seconds)


def run() -> list[Result]:
    sizes = (*SIZES, FULL_SIZE) if os.environ.get("STATIONMASTER_BENCH_FULL") else SIZES
    found: dict[int, dict[str, Measured]] = {}
    for size in sizes:
        shutil.rmtree(_DATA, ignore_errors=True)
        lakes.generate(_settings().lake_dir, ORG, size)
        found[size] = _take_turns(1 if size == FULL_SIZE else ROUNDS)
    shutil.rmtree(_DATA, ignore_errors=True)
    return [_result(found)]


def _plot(found: dict[int, dict[str, Measured]], alt: str) -> Plot:
    lines = {
        title: [(float(size), each[engine].middle) for size, each in found.items()]
        for engine, title in _TITLES.items()
    }
    return Plot("lines", "Time to roll up a day", alt, "events", "seconds", lines)


def _result(found: dict[int, dict[str, Measured]]) -> Result:
    large = [size for size in found if size > SIZES[0]]
    worst = max(found[size]["duckdb"].middle / found[size]["plain"].middle for size in large)
    peak = max(found[size]["duckdb"].peak_mb for size in large)
    middle = {size: found[size]["duckdb"].middle for size in found}
    growth = [
        f"{after:,} events take {middle[after] / middle[before]:.1f} times as long as {before:,}"
        for before, after in pairwise(large)
    ]
    told = "; ".join(growth)
    return Result(
        name="rollup",
        title="Rolling up a day",
        about=f"{(__doc__ or '').strip()} Median (least–greatest) of {ROUNDS} runs, "
        f"{_settings().rollup_threads} threads, {_settings().rollup_memory >> 20:,} MB for DuckDB "
        "before it spills; ours includes counting every event once, rendering and the database. "
        f"{machine()}",
        columns=["events", "engine", "s", "of the plain queries", "events/s", "peak MB"],
        rows=[
            [
                f"{size:,}",
                _TITLES[engine],
                spread(each[engine].seconds, ".2f"),
                f"{each[engine].middle / each['plain'].middle:.2f}",
                f"{size / each[engine].middle:,.0f}",
                f"{each[engine].peak_mb:,}",
            ]
            for size, each in found.items()
            for engine in each
        ],
        verdict=f"At most {worst:.2f} times the plain queries (goal: {GOAL:.0f}), at most "
        f"{peak:,} MB (goal: {MEMORY_GOAL_MB:,}); fixed cost "
        f"{found[SIZES[0]]['duckdb'].middle:.2f} s. {told}.",
        plot=_plot(found, f"{told}."),
        figures={
            "rollup events_per_second": large[-1] / found[large[-1]]["duckdb"].middle,
            "rollup fixed_seconds": found[SIZES[0]]["duckdb"].middle,
            "rollup peak_mb": float(peak),
        },
    )


_TITLES = {"plain": "plain queries in DuckDB", "duckdb": "stationmaster, DuckDB"}


def _settings() -> Settings:
    return Settings(data_dir=_DATA)


def _take_turns(rounds: int) -> dict[str, Measured]:
    """Every engine once in every round, after one run that reads the files into memory."""
    runs: dict[str, list[tuple[float, int]]] = {engine: [] for engine in _TITLES}
    _measured("plain")
    for _ in range(rounds):
        for engine, measured in runs.items():
            measured.append(_measured(engine))
    return {
        engine: Measured([s for s, _ in measured], max(mb for _, mb in measured))
        for engine, measured in runs.items()
    }


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
    took = _plain() if sys.argv[1] == "plain" else _ours()
    print(json.dumps([took, _peak_mb()]))
