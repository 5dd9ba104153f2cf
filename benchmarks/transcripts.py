"""Whole commands, from a fresh process to its exit, on the same files, page cache warm for all of
them, each with the totals it found. ccusage prints sums; a first `collect` also normalises every
event, names its person, commits it durably to an inbox and notes how far it read. sniffly and
claude-monitor have no command that reads everything and ends, so their own loaders are called. CPU
is that of all processes of a command, memory their peak with shared pages counted once."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from benchmarks import peers, transcripts_data
from benchmarks.results import WORK, Plot, Result, machine, spread
from benchmarks.transcripts_data import Totals

SIZES = (31 * 10**6, 300 * 10**6, 1_000 * 10**6)
BESIDE = SIZES[0]
"""The size at which all are compared; the slow ones read no larger one."""
RUNS = 3
OURS = "stationmaster collect"
_SLOW = ("sniffly", "claude-monitor")
_SAMPLE_S = 0.02
_HERE = Path(__file__).parent


class Timed(NamedTuple):
    """One run of a command: seconds, seconds of CPU, MB at its peak (0 where it was not watched),
    and the tokens that it printed."""

    seconds: float
    cpu: float
    peak_mb: float
    tokens: dict[str, int]


@dataclass
class Found:
    """Of one contender: every run, its peak of memory, and whether its totals were right."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    is_exact: bool = True

    @property
    def middle(self) -> float:
        return statistics.median(self.seconds)


def run() -> list[Result]:
    folder = WORK / "transcripts"
    measured: dict[int, dict[str, Found]] = {}
    totals: dict[int, Totals] = {}
    for size in SIZES:
        shutil.rmtree(folder, ignore_errors=True)
        totals[size] = transcripts_data.write(folder / ".claude", size)
        measured[size] = _take_turns(folder / ".claude", totals[size], size > BESIDE)
    shutil.rmtree(folder)
    return [_beside(totals[BESIDE], measured[BESIDE]), _growth(measured)]


def _take_turns(folder: Path, totals: Totals, is_large: bool) -> dict[str, Found]:
    contenders = {
        name: contender
        for name, contender in _contenders(folder).items()
        if not (is_large and name.startswith(_SLOW))
    }
    found = {name: Found() for name in contenders}
    for round_number in range(RUNS + 1):
        for name, contender in contenders.items():
            for cached in folder.rglob(".*.json"):  # What a peer keeps beside the sessions.
                cached.unlink()
            # The first round warms the page cache for all alike, and watches memory.
            run = contender(round_number == 0)
            of_one = found[name]
            if round_number:
                of_one.seconds.append(run.seconds)
                of_one.cpu.append(run.cpu)
            of_one.peak_mb = max(of_one.peak_mb, run.peak_mb)
            of_one.is_exact = of_one.is_exact and run.tokens == totals.tokens
    return found


def _contenders(folder: Path) -> dict[str, Callable[[bool], Timed]]:
    """By name; the argument says whether memory is watched."""
    contenders: dict[str, Callable[[bool], Timed]] = {
        "limit: typed decode, 2 processes": lambda watch: _timed(
            [sys.executable, _HERE / "transcripts_limit.py", folder], dict, watch
        ),
        OURS: lambda watch: _ours(folder, watch),
    }
    modules = peers.npm("ccusage")
    native = sorted(modules.glob("@ccusage/*/bin/ccusage")) if modules else []
    if native:
        native[0].chmod(0o755)
        contenders[f"{peers.version('ccusage')} (native)"] = lambda watch: _ccusage(
            native[0], folder, watch
        )
    for name in _SLOW:
        programs = peers.python(name)
        if programs:
            command = [programs / "python", _HERE / "transcripts_peers.py", name, folder]
            contenders[peers.version(name)] = lambda watch, command=command: _timed(
                command, dict, watch
            )
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
        columns=["command", "s", "CPU s", "MB/s", "peak MB", "exact totals"],
        rows=[
            [
                name,
                spread(each.seconds, ".2f"),
                f"{statistics.median(each.cpu):.2f}",
                f"{totals.size_bytes / 1e6 / each.middle:.0f}",
                f"{each.peak_mb:.0f}",
                "yes" if each.is_exact else "NO",
            ]
            for name, each in found.items()
        ],
        verdict=f"Place {place} of {1 + len(others)} (goal: 1). "
        f"`collect` takes {ratios or 'alone'}."
        + (f" Could not be installed here: {', '.join(missing)}." if missing else ""),
        plot=Plot(
            "bars",
            f"Seconds for {totals.size_bytes / 1e6:.0f} MB of session files",
            "Bars: " + ", ".join(f"{name} {each.middle:.2f} s" for name, each in found.items()),
            "seconds",
            "",
            {"seconds": [(name, each.middle) for name, each in found.items()]},
        ),
        figures={"collect files_mb_per_second": totals.size_bytes / 1e6 / found[OURS].middle},
    )


def _growth(measured: dict[int, dict[str, Found]]) -> Result:
    names = list(measured[SIZES[-1]])
    native = next((name for name in names if name.startswith("ccusage")), None)
    rows = []
    for name in names:
        cells = [name]
        for size in SIZES:
            of_one = measured[size][name]
            cells.append(
                f"{of_one.middle:.2f} / {statistics.median(of_one.cpu):.2f} / {of_one.peak_mb:.0f}"
            )
        rows.append(cells)
    said = "ccusage could not be installed here."
    if native is not None:
        compared = [(measured[size][OURS], measured[size][native], size) for size in SIZES]
        said = (
            "Of ccusage's, a first `collect` takes "
            + ", ".join(
                f"at {size / 1e6:.0f} MB {ours.middle / theirs.middle:.1f} of the time, "
                f"{statistics.median(ours.cpu) / statistics.median(theirs.cpu):.1f} of the CPU and "
                f"{ours.peak_mb / theirs.peak_mb:.2f} of the memory"
                for ours, theirs, size in compared
            )
            + " (goal: 1.0 of the time, 0.5 of the memory)."
        )
    return Result(
        name="transcripts_growth",
        title="A first collect, small and large",
        about="The same commands at three sizes: seconds / CPU seconds / peak MB, medians of "
        f"{RUNS} runs in turn. {machine()}",
        columns=["command", *(f"{size / 1e6:,.0f} MB" for size in SIZES)],
        rows=rows,
        verdict=said,
        plot=Plot(
            "lines",
            "Seconds by size of the session files",
            "Lines that rise with the size.",
            "MB",
            "seconds",
            {name: [(size / 1e6, measured[size][name].middle) for size in SIZES] for name in names},
        ),
    )


def _ours(folder: Path, watch: bool) -> Timed:
    """A first collect: the data folder is there and empty, and nothing was read before."""
    data = WORK / "transcripts-data"
    shutil.rmtree(data, ignore_errors=True)
    program = [sys.executable, "-m", "stationmaster"]
    # Making the data folder is not part of reading files; the others have none to make.
    subprocess.run([*program, "init", "--data-dir", str(data)], check=True, capture_output=True)
    command = [*program, "collect", "--home", folder.parent, "--data-dir", data, "--json"]
    env = {"STATIONMASTER_CLIENT_DIR": str(data / "client")}
    return _timed(command, lambda printed: printed["tokens"], watch, env)


def _ccusage(program: Path, folder: Path, watch: bool) -> Timed:
    def tokens(printed: Any) -> dict[str, int]:
        totals = printed["totals"]
        return {
            "input_tokens": totals["inputTokens"],
            "output_tokens": totals["outputTokens"],
            "cache_read_tokens": totals["cacheReadTokens"],
            "cache_write_tokens": totals["cacheCreationTokens"],
        }

    env = {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(WORK / "home")}
    return _timed([program, "daily", "--json", "--offline"], tokens, watch, env)


def _timed(
    command: list[str | Path],
    tokens: Callable[[Any], dict[str, int]],
    watch: bool,
    env: dict[str, str] | None = None,
) -> Timed:
    """A command from its start to its exit; `tokens` finds them in the JSON that it printed."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        child = subprocess.Popen(
            list(map(str, command)), env={**os.environ, **(env or {})}, stdout=out,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        peak_mb = _peak_mb(child.pid) if watch else 0.0
        _, status, used = os.wait4(child.pid, 0)
        took = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(f"{command} ended with {child.returncode}")
        out.seek(0)
        return Timed(took, used.ru_utime + used.ru_stime, peak_mb, tokens(json.load(out)))


def _peak_mb(pid: int) -> float:
    """The largest proportional set of a process and its children, until it has ended."""
    root, peak = psutil.Process(pid), 0
    while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
        size = 0
        with suppress(psutil.Error):
            for process in (root, *root.children(recursive=True)):
                with suppress(psutil.Error):
                    size += process.memory_full_info().pss
        peak = max(peak, size)
        time.sleep(_SAMPLE_S)
    return peak / 2**20
