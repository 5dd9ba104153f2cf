"""What rolling up costs in CPU: one large day beside the plain queries, and many small days.

Each run is a process of its own; both sides of a row read the same Parquet, in turn.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import lakes, rollup_plain
from benchmarks.results import ROOT, WORK, Result, machine, spread
from stationmaster.access import service
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

ROUNDS = {100_000: 3, 1_000_000: 1, 5_000_000: 1}
"""By number of events."""
DAYS = ((90, 2_000), (90, 20_000))
GOAL, MEMORY_GOAL_MB = 2.0, 600
DAYS_GOALS_S = (3.0, 15.0)
ORG = OrgId("org_bench")
_DATA = WORK / "rollup-cpu"


_TITLES = {
    "plain": "plain queries of the five reports",
    "all": "plain queries of all that is stored",
    "ours": "rollup",
}


class _Run(NamedTuple):
    """One process: CPU and wall seconds of the work, and its most memory."""

    cpu_s: float
    wall_s: float
    peak_mb: int


def run() -> list[Result]:
    return [_large_day(), _many_days()]


def _large_day() -> Result:
    found: dict[int, dict[str, list[_Run]]] = {}
    for size, rounds in ROUNDS.items():
        shutil.rmtree(_DATA, ignore_errors=True)
        lakes.generate(Settings(data_dir=_DATA).lake_dir, ORG, size)
        _child("benchmarks.rollup_cpu", "plain")
        found[size] = {which: [] for which in _TITLES}
        for _ in range(rounds):
            for which, runs in found[size].items():
                runs.append(_child("benchmarks.rollup_cpu", which))
    shutil.rmtree(_DATA, ignore_errors=True)
    return beside_plain(found)


def beside_plain(found: dict[int, dict[str, list[_Run]]]) -> Result:
    """The table of runs by number of events, of the plain queries and of ours."""
    rows = []
    ratios: dict[str, list[float]] = {"plain": [], "all": []}
    for size, runs_of in found.items():
        plain = _middle(runs_of["plain"])
        for which, runs in runs_of.items():
            cpu, memory = spread([each.cpu_s for each in runs], ".2f"), _peak(runs)
            rows.append([f"{size:,}", _TITLES[which], cpu, f"{_middle(runs) / plain:.1f}", memory])
        for which, of_sizes in ratios.items():
            of_sizes.append(_middle(runs_of["ours"]) / _middle(runs_of[which]))
    of_reports, of_all = (
        ", ".join(f"{ratio:.1f}" for ratio in of_sizes) for of_sizes in ratios.values()
    )
    rounds = " / ".join(str(len(runs_of["ours"])) for runs_of in found.values())
    return Result(
        name="rollup_cpu",
        title="Rolling up a large day: CPU",
        about="All documents, slices, facts and rows of sessions of a day, from the lake to the "
        "committed database, beside the plain grouped queries of the five reports and those of all "
        "that is stored. Neither counts an event once, chooses between sources, renders or stores. "
        "The goal, of the queries of the five reports, is from when a day had neither rows of "
        "sessions nor facts, and no dollars of single calls. Median "
        f"(least–greatest) of {rounds} runs in turn, DuckDB. {machine()}",
        columns=["events", "what", "CPU s", "of the five reports'", "peak MB"],
        rows=rows,
        verdict=f"{of_reports} times the CPU of the plain queries of the five reports (goal: "
        f"{GOAL:.0f}), {of_all} times that of the plain queries of all that is stored; memory "
        f"goal: {MEMORY_GOAL_MB} MB.",
    )


def _peak(runs: list[_Run]) -> str:
    return f"{max(each.peak_mb for each in runs):,}"


def _many_days() -> Result:
    rows, sentences = [], []
    for (number, events), goal_s in zip(DAYS, DAYS_GOALS_S, strict=True):
        each = _child("benchmarks.rollup_days", str(number), str(events), "0")
        rows.append(
            [f"{number} × {events:,}", f"{each.wall_s:.1f}", f"{each.cpu_s:.1f}", f"{each.peak_mb}"]
        )
        sentences.append(
            f"{number} days of {events:,} events take {each.cpu_s:.1f} s of CPU and "
            f"{each.wall_s:.1f} s (goal: {goal_s:.0f} s)"
        )
    return Result(
        name="rollup_days",
        title="Rolling up many days",
        about="Days that nobody has counted yet, from the lake to the committed database; one run. "
        f"{machine()}",
        columns=["days × events", "s", "CPU s", "peak MB"],
        rows=rows,
        verdict="; ".join(sentences) + ".",
    )


def _middle(runs: list[_Run]) -> float:
    return statistics.median(each.cpu_s for each in runs)


def _child(module: str, *arguments: str) -> _Run:
    """Run a module that prints a _Run."""
    command = [sys.executable, "-m", module, *arguments]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return _Run(*json.loads(printed))


def _once(which: str) -> _Run:
    settings = Settings(data_dir=_DATA)
    db = None
    if which == "ours":
        for old in _DATA.glob("stationmaster.sqlite3*"):
            old.unlink()
        db = Database.open(settings.state_url)
        db.migrate()
        service.create_organization(db, "Bench")
    wall, cpu = time.perf_counter(), time.process_time()
    if db is None:
        folder = Path(Lake.open(settings).partition(ORG, lakes.DAY))
        rollup_plain.answer(settings, folder, are_all=which == "all")
    else:
        roll_up(db, settings, ORG, lakes.DAY)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if db is not None:
        db.close()
    status = Path("/proc/self/status").read_text()
    return _Run(cpu, wall, int(status.split("VmHWM:")[1].split()[0]) // 1024)


if __name__ == "__main__":
    print(json.dumps(_once(sys.argv[1])))
