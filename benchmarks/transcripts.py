"""Whole commands, from a fresh process to its exit, on the same files, page cache warm for all of
them, each with the totals it found. ccusage prints sums; `ingest` also normalises every event,
names its person and commits it durably to an inbox. sniffly and claude-monitor have no command that
reads everything and ends, so their own loaders are called."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import peers, transcripts_data
from benchmarks.results import WORK, Plot, Result, machine, spread
from benchmarks.transcripts_data import Totals

SIZES = (2 * 10**6, 20 * 10**6, 200 * 10**6)
RUNS = 5
OURS = "stationmaster ingest"
Timed = tuple[float, dict[str, int]]
"""Seconds, and the tokens that were found."""
_HERE = Path(__file__).parent


@dataclass
class Found:
    """Of one contender: seconds of every run, and whether its totals were right."""

    seconds: list[float] = field(default_factory=list)
    is_exact: bool = False

    @property
    def middle(self) -> float:
        return statistics.median(self.seconds)


def run() -> list[Result]:
    folder = WORK / "transcripts"
    measured: dict[int, dict[str, Found]] = {}
    for size in SIZES:
        shutil.rmtree(folder, ignore_errors=True)
        totals = transcripts_data.write(folder, size)
        measured[size] = _take_turns(folder, totals)
    shutil.rmtree(folder)
    return [_beside(totals, measured[SIZES[-1]]), _growth(measured)]


def _take_turns(folder: Path, totals: Totals) -> dict[str, Found]:
    contenders = _contenders(folder)
    found = {name: Found() for name in contenders}
    for round_number in range(RUNS + 1):
        for name, contender in contenders.items():
            for cached in folder.rglob(".*.json"):  # What a peer keeps beside the sessions.
                cached.unlink()
            took, tokens = contender()
            if round_number:  # The first round warms the page cache for all alike.
                found[name].seconds.append(took)
            found[name].is_exact = tokens == totals.tokens
    return found


def _contenders(folder: Path) -> dict[str, Callable[[], Timed]]:
    contenders: dict[str, Callable[[], Timed]] = {
        "limit: typed decode, 2 processes": lambda: _timed_json(
            [sys.executable, _HERE / "transcripts_limit.py", folder]
        ),
        OURS: lambda: _ours(folder),
    }
    modules = peers.npm("ccusage")
    native = sorted(modules.glob("@ccusage/*/bin/ccusage")) if modules else []
    if native:
        native[0].chmod(0o755)
        contenders[f"{peers.version('ccusage')} (native)"] = lambda: _ccusage(native[0], folder)
    for name in ("sniffly", "claude-monitor"):
        programs = peers.python(name)
        if programs:
            command = [programs / "python", _HERE / "transcripts_peers.py", name, folder]
            contenders[peers.version(name)] = lambda command=command: _timed_json(command)
    return contenders


def _beside(totals: Totals, found: dict[str, Found]) -> Result:
    others = {name: each for name, each in found.items() if not name.startswith(("limit", OURS))}
    place = 1 + sum(each.middle < found[OURS].middle for each in others.values())
    ratios = ", ".join(
        f"{found[OURS].middle / each.middle:.2f} times as long as {name}"
        for name, each in others.items()
    )
    missing = [name for name in ("ccusage", "sniffly", "claude-monitor")
               if not any(each.startswith(name) for each in others)]  # fmt: skip
    return Result(
        name="transcripts",
        title="Session files",
        about=f"{totals.files} Claude Code sessions, {totals.size_bytes / 1e6:.0f} MB, "
        f"{totals.calls} model calls. {(__doc__ or '').strip()} Median (least–greatest) of {RUNS} "
        f"runs in turn. {machine()}",
        columns=["command", "s", "MB/s", "exact totals"],
        rows=[
            [
                name,
                spread(each.seconds, ".2f"),
                f"{totals.size_bytes / 1e6 / each.middle:.0f}",
                "yes" if each.is_exact else "NO",
            ]
            for name, each in found.items()
        ],
        verdict=f"Place {place} of {1 + len(others)} (goal: 1). `ingest` takes {ratios or 'alone'}."
        + (f" Could not be installed here: {', '.join(missing)}." if missing else ""),
        plot=Plot(
            "bars",
            f"Seconds for {totals.size_bytes / 1e6:.0f} MB of session files",
            "Bars: " + ", ".join(f"{name} {each.middle:.2f} s" for name, each in found.items()),
            "seconds",
            "",
            {"seconds": [(name, each.middle) for name, each in found.items()]},
        ),
        figures={"ingest files_mb_per_second": totals.size_bytes / 1e6 / found[OURS].middle},
    )


def _growth(measured: dict[int, dict[str, Found]]) -> Result:
    first, *_, last = SIZES
    names = list(measured[first])
    factors = {name: measured[last][name].middle / measured[first][name].middle for name in names}
    return Result(
        name="transcripts_growth",
        title="Ten and a hundred times as many session files",
        about=f"The same commands; the smallest size is mostly the start of the command. "
        f"{machine()}",
        columns=["command", *(f"{size / 1e6:.0f} MB, s" for size in SIZES), "×100 takes"],
        rows=[
            [name, *(f"{measured[size][name].middle:.2f}" for size in SIZES), f"×{factor:.0f}"]
            for name, factor in factors.items()
        ],
        verdict=f"A hundred times the files take `ingest` {factors[OURS]:.0f} times as long.",
        plot=Plot(
            "lines",
            "Seconds by size of the session files",
            "Lines that rise with the size, less than in proportion.",
            "MB",
            "seconds",
            {name: [(size / 1e6, measured[size][name].middle) for size in SIZES] for name in names},
        ),
    )


def _ours(folder: Path) -> Timed:
    data = WORK / "transcripts-data"
    shutil.rmtree(data, ignore_errors=True)
    program = [sys.executable, "-m", "stationmaster"]
    # Making the data folder is not part of reading files; the others have none to make.
    subprocess.run([*program, "init", "--data-dir", str(data)], check=True, capture_output=True)
    took, found = _timed_json([*program, "ingest", folder, "--data-dir", data, "--json"])
    return took, found["tokens"]


def _ccusage(program: Path, folder: Path) -> Timed:
    took, found = _timed_json(
        [program, "daily", "--json", "--offline"],
        {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(WORK / "home")},
    )
    totals = found["totals"]
    return took, {
        "input_tokens": totals["inputTokens"],
        "output_tokens": totals["outputTokens"],
        "cache_read_tokens": totals["cacheReadTokens"],
        "cache_write_tokens": totals["cacheCreationTokens"],
    }


def _timed_json(command: list[str | Path], env: dict[str, str] | None = None) -> tuple[float, Any]:
    """Seconds from a command's start to its exit, and the JSON that it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, **(env or {})}, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - started, json.loads(done.stdout)
