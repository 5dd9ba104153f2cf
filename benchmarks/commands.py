"""Whole commands on one repository after the other: `ci-scan` beside zizmor, and `readiness`.

STATIONMASTER_BENCH_FOLDERS names repositories instead of the generated ones, separated as in PATH.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import peers, reading_data
from benchmarks.results import ROOT, WORK, Result, machine, spread

ROUNDS = 5
SMALL = 200
"""Files of a repository that is small."""
SCAN_GOAL, READINESS_GOAL_S = 5.0, 0.6
_PROGRAM = str(Path(sys.executable).with_name("stationmaster"))
_OFFLINE = ("--offline", "--no-progress", "--no-exit-codes", "--format", "json")


def run() -> list[Result]:
    folder = WORK / "commands"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return [_measured(folder)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(folder: Path) -> Result:
    given = os.environ.get("STATIONMASTER_BENCH_FOLDERS")
    made = given.split(os.pathsep) if given else reading_data.with_workflows(folder / "git")
    repositories = [Path(repository).resolve() for repository in made]
    zizmor = peers.python("zizmor")
    scans, theirs, small = [], [], []
    for number, repository in enumerate(repositories):
        exported = reading_data.export(repository, folder / "files" / str(number))
        if _files(repository) <= SMALL:
            small += _least([_PROGRAM, "readiness", str(repository), "--json"])
        scan = [_PROGRAM, "ci-scan", str(repository), "--json"]
        if zizmor is not None and (exported / ".github").exists():
            try:
                ours, other = _least(scan, [str(zizmor / "zizmor"), *_OFFLINE, str(exported)])
            except subprocess.CalledProcessError as fault:
                sys.stderr.write(f"left out: {fault}\n")  # It stops at some files.
                continue
            scans.append(ours)
            theirs.append(other)
    if not scans or not small:
        raise SystemExit("nothing to compare with: no zizmor, no workflows or no small repository")
    ratios = [ours[1] / other[1] for ours, other in zip(scans, theirs, strict=True)]
    rows = [
        _row(f"ci-scan, {len(scans)} repositories", scans),
        _row("zizmor, offline, their workflows", theirs),
        _row(f"readiness, {len(small)} repositories of up to {SMALL} files", small),
    ]
    about = (
        "One process for one repository, from its start to its exit, with JSON as its answer; CPU "
        f"is that of all its processes. The least of {ROUNDS} runs in turn for each repository; "
        f"median (least–greatest) of the repositories. {machine()}"
    )
    verdict = (
        f"`ci-scan` takes {statistics.median(ratios):.1f} times the CPU of zizmor, at most "
        f"{max(ratios):.1f} times (goal: {SCAN_GOAL:.0f}). `readiness` of a small repository takes "
        f"{min(seconds for seconds, _ in small):.2f} s at least (goal: {READINESS_GOAL_S})."
    )
    columns = ["command", "s", "CPU s"]
    return Result("commands", "Commands on single repositories", about, columns, rows, verdict)


def _row(name: str, runs: Sequence[tuple[float, float]]) -> list[str]:
    return [name, spread((s for s, _ in runs), ".2f"), spread((cpu for _, cpu in runs), ".2f")]


def _least(*commands: Sequence[str]) -> list[tuple[float, float]]:
    """Seconds and CPU seconds of each command, the least of rounds in turn."""
    rounds = [[_once(command) for command in commands] for _ in range(ROUNDS)]
    runs = zip(*rounds, strict=True)
    return [(min(s for s, _ in run), min(cpu for _, cpu in run)) for run in runs]


def _once(command: Sequence[str]) -> tuple[float, float]:
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def _files(repository: Path) -> int:
    listing = ["git", "ls-tree", "-r", "--name-only", "HEAD"]
    names = subprocess.run(listing, cwd=repository, check=True, capture_output=True).stdout
    return names.count(b"\n")
