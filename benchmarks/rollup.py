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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.support.spark import Cluster, running_cluster

from benchmarks import lakes, rollup_plain
from benchmarks.processes import Watch
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
SPARK_ROUNDS = 1
SPARK_SECONDS_MAX = 600
"""A size that takes Spark longer is left out, with all that are larger."""
GOAL = 2.0
MEMORY_GOAL_MB = 2048
EXECUTOR_MEMORY = "2g"
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
    with _cluster() as cluster:
        for size in sizes:
            shutil.rmtree(_DATA, ignore_errors=True)
            lakes.generate(_settings().lake_dir, ORG, size)
            found[size] = _take_turns(1 if size == FULL_SIZE else ROUNDS, cluster)
            if "spark" not in found[size]:
                cluster = None
    shutil.rmtree(_DATA, ignore_errors=True)
    return [_result(found)]


@contextmanager
def _cluster() -> Iterator[Cluster | None]:
    """One master and two workers on loopback; None where there is no Java."""
    folder = WORK / "spark"
    shutil.rmtree(folder, ignore_errors=True)
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        yield None
        return
    with running_cluster(folder, EXECUTOR_MEMORY, "-XX:+UseParallelGC") as cluster:
        yield cluster
    shutil.rmtree(folder, ignore_errors=True)


def _spark_told(found: dict[int, dict[str, Measured]]) -> str:
    took = {size: each["spark"].middle for size, each in found.items() if "spark" in each}
    if len(took) < 2:
        return " There is no Java here, or too little time: Spark was not measured."
    first, last = min(took), max(took)
    told = (
        f" Spark costs {took[first]:.1f} s before the first event, and then rolls "
        f"up {(last - first) / (took[last] - took[first]):,.0f} events a second."
    )
    if last < max(found):
        told += f" With more than {last:,} events it did not end within {SPARK_SECONDS_MAX} s."
    return told


def _plot(found: dict[int, dict[str, Measured]], alt: str) -> Plot:
    lines = {
        title: [
            (float(size), each[engine].middle) for size, each in found.items() if engine in each
        ]
        for engine, title in _TITLES.items()
        if engine in found[SIZES[0]]
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
        about=f"{(__doc__ or '').strip()} Median (least–greatest) of {ROUNDS} runs "
        f"(of Spark {SPARK_ROUNDS}), {_settings().rollup_threads} threads, "
        f"{_settings().rollup_memory >> 20:,} MB for DuckDB before it spills; ours "
        "includes counting every event once, rendering and the database. "
        f"Spark is a standalone cluster of one master and two workers with one core and "
        f"{EXECUTOR_MEMORY} each on this machine; its time includes starting the driver and the "
        f"executors, its memory is that of all its processes. {machine()}",
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
        f"{found[SIZES[0]]['duckdb'].middle:.2f} s. {told}.{_spark_told(found)}",
        plot=_plot(found, f"{told}."),
        figures={
            "rollup events_per_second": large[-1] / found[large[-1]]["duckdb"].middle,
            "rollup fixed_seconds": found[SIZES[0]]["duckdb"].middle,
            "rollup peak_mb": float(peak),
        },
    )


_TITLES = {
    "plain": "plain queries in DuckDB",
    "duckdb": "stationmaster, DuckDB",
    "spark": "stationmaster, Spark",
}


def _settings(master: str | None = None) -> Settings:
    if master is None:
        return Settings(data_dir=_DATA)
    return Settings(data_dir=_DATA, engine="spark", spark_master=master)


def _take_turns(rounds: int, cluster: Cluster | None) -> dict[str, Measured]:
    """Every engine once in every round, after one run that reads the files into memory."""
    engines = list(_TITLES) if cluster else ["plain", "duckdb"]
    runs: dict[str, list[tuple[float, int]]] = {engine: [] for engine in engines}
    _measured("plain", None)
    for round_number in range(rounds):
        for engine, measured in runs.items():
            if engine == "spark" and round_number >= SPARK_ROUNDS:
                continue
            with suppress(subprocess.TimeoutExpired):
                measured.append(_measured(engine, cluster if engine == "spark" else None))
    return {
        engine: Measured([s for s, _ in measured], max(mb for _, mb in measured))
        for engine, measured in runs.items()
        if measured
    }


def _measured(engine: str, cluster: Cluster | None) -> tuple[float, int]:
    """Seconds, and the most memory of this engine's processes in MB. Raises TimeoutExpired."""
    command = [sys.executable, "-m", "benchmarks.rollup", engine]
    process = subprocess.Popen(
        [*command, cluster.master] if cluster else command, cwd=ROOT, stdout=subprocess.PIPE
    )
    with Watch(process.pid, *(cluster.pids if cluster else ())) as watch:
        try:
            told, _ = process.communicate(timeout=SPARK_SECONDS_MAX if cluster else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
    if process.returncode:
        raise RuntimeError(f"{engine} failed; see above")
    seconds, peak_mb = json.loads(told)
    return seconds, round(watch.peak_mb) if cluster else peak_mb


def _plain() -> float:
    began = time.perf_counter()
    rollup_plain.answer(_settings(), Path(Lake.open(_settings()).partition(ORG, lakes.DAY)))
    return time.perf_counter() - began


def _ours(settings: Settings) -> float:
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
    which, *master = sys.argv[1:]
    took = _plain() if which == "plain" else _ours(_settings(*master))
    print(json.dumps([took, _peak_mb()]))
