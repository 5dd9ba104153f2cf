"""Session files: `stationmaster ingest` beside ccusage and beside a bare typed decode.

Whole commands, from a fresh process to its exit, on the same 200 MB of files, page cache warm for
all of them, each with the totals it found. ccusage prints sums; `ingest` also normalises every
event, names its person and commits it durably to an inbox.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import transcripts_data
from benchmarks.results import WORK, Result, machine

SIZE_BYTES = 200 * 10**6
RUNS = 5
CCUSAGE = "ccusage@20.0.24"
Timed = tuple[float, dict[str, int]]
"""Seconds, and the tokens that were found."""
_BARE_DECODE = Path(__file__).parent / "transcripts_limit.py"


def run() -> Result:
    folder = WORK / "transcripts"
    shutil.rmtree(folder, ignore_errors=True)
    expected = transcripts_data.write(folder, SIZE_BYTES)
    contenders = {
        "limit: typed decode, 2 processes": lambda: _limit(folder),
        "stationmaster ingest": lambda: _ours(folder),
    }
    ccusage = _install_ccusage()
    if ccusage:
        contenders["ccusage 20.0.24 (native)"] = lambda: _ccusage(ccusage, folder)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    exact: dict[str, bool] = {}
    for round_number in range(RUNS + 1):
        for name, contender in contenders.items():
            took, tokens = contender()
            if round_number:  # The first round warms the page cache for all alike.
                seconds[name].append(took)
            exact[name] = tokens == expected.tokens
    rows = [
        [name, f"{statistics.median(took):.2f}", f"{min(took):.2f}–{max(took):.2f}",
         f"{expected.size_bytes / 1e6 / statistics.median(took):.0f}",
         "yes" if exact[name] else "NO"]
        for name, took in seconds.items()
    ]  # fmt: skip
    ratio = None
    if ccusage:
        ratio = statistics.median(seconds["ccusage 20.0.24 (native)"]) / statistics.median(
            seconds["stationmaster ingest"]
        )
    shutil.rmtree(folder)
    return Result(
        name="transcripts",
        title="Session files",
        about=(
            f"{expected.files} Claude Code sessions, {expected.size_bytes / 1e6:.0f} MB, "
            f"{expected.calls} model calls; whole commands, median of {RUNS}. {machine()}"
        ),
        columns=["command", "seconds", "min–max", "MB/s", "exact totals"],
        rows=rows,
        verdict=(
            f"`ingest` takes {1 / ratio:.2f} times as long as ccusage (goal: at most 1)."
            if ratio
            else "ccusage could not be installed here; only the limit was measured."
        ),
    )


def _ours(folder: Path) -> Timed:
    data = WORK / "transcripts-data"
    shutil.rmtree(data, ignore_errors=True)
    program = [sys.executable, "-m", "stationmaster"]
    # Making the data folder is not part of reading files; ccusage has none to make.
    subprocess.run([*program, "init", "--data-dir", str(data)], check=True, capture_output=True)
    took, found = _timed_json([*program, "ingest", str(folder), "--data-dir", str(data), "--json"])
    return took, found["tokens"]


def _limit(folder: Path) -> Timed:
    return _timed_json([sys.executable, str(_BARE_DECODE), str(folder)])


def _ccusage(program: Path, folder: Path) -> Timed:
    took, found = _timed_json(
        [str(program), "daily", "--json", "--offline"],
        {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(WORK / "home")},
    )
    totals = found["totals"]
    return took, {
        "input_tokens": totals["inputTokens"],
        "output_tokens": totals["outputTokens"],
        "cache_read_tokens": totals["cacheReadTokens"],
        "cache_write_tokens": totals["cacheCreationTokens"],
    }


def _timed_json(command: list[str], env: dict[str, str] | None = None) -> tuple[float, Any]:
    """Seconds from a command's start to its exit, and the JSON that it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, **(env or {})}, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - started, json.loads(done.stdout)


def _install_ccusage() -> Path | None:
    """The native binary from the npm registry; None where npm or the registry is not there."""
    folder = WORK / "ccusage"
    folder.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        return None
    subprocess.run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), CCUSAGE],
                   check=False, capture_output=True)  # fmt: skip
    found = sorted(folder.glob("node_modules/@ccusage/*/bin/ccusage"))
    for program in found:
        program.chmod(0o755)
    return found[0] if found else None
