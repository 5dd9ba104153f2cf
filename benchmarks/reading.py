"""Reading repositories: the CI scan beside zizmor, readiness beside git alone, and what it costs to
learn that nothing is new.

STATIONMASTER_BENCH_FOLDERS names repositories to scan instead of the generated ones, separated as
in PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from benchmarks import peers, reading_data
from benchmarks.processes import running
from benchmarks.results import ROOT, WORK, Result, machine, spread
from stationmaster import clock
from stationmaster.access import operator, service
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.repos import heads, service as repos, store as registry
from stationmaster.repos.model import Head
from stationmaster.settings import Settings

ROUNDS = 5
PORT = 18_797
UNMOVED = 1_000
SCAN_GOAL, READINESS_GOAL_S = 5.0, 3.0
_OID = "1" * 40
_WORK = (sys.executable, "-m", "benchmarks.reading_work")


def run() -> list[Result]:
    folder = WORK / "reading"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return [_scan(folder / "ci"), _readiness(folder / "large"), _unmoved(folder / "data")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _scan(folder: Path) -> Result:
    given = os.environ.get("STATIONMASTER_BENCH_FOLDERS")
    if given:
        repositories = [Path(each) for each in given.split(os.pathsep)]
    else:
        repositories = reading_data.with_workflows(folder / "git")
    exported = [
        reading_data.export(each, folder / "files" / str(number))
        for number, each in enumerate(repositories)
    ]
    files = sum(1 for each in exported for path in each.rglob("*") if path.is_file())
    ours = _times([*_WORK, "scan", *map(str, repositories)])
    rows = [["Stationmaster", spread(ours, ".2f"), f"{1000 * min(ours) / files:.1f}"]]
    place = peers.python("zizmor")
    if place is None:
        verdict = "zizmor could not be installed here, so there is nothing to compare with."
    else:
        offline = ("--offline", "--no-progress", "--no-exit-codes", "--format", "json")
        theirs = _times([str(place / "zizmor"), *offline, *map(str, exported)])
        rows.append(["zizmor, offline", spread(theirs, ".2f"), f"{1000 * min(theirs) / files:.1f}"])
        verdict = (
            f"The scan takes {min(ours) / min(theirs):.1f} times as long as zizmor; the goal is at "
            f"most {SCAN_GOAL:.0f}."
        )
    about = (
        f"{len(repositories)} repositories with {files} workflows, each tool in one process with "
        f"its start-up. Stationmaster reads git objects of every provider and describes them, "
        f"zizmor the same workflows as files. {ROUNDS} rounds. {machine()}"
    )
    columns = ["tool", "seconds: median (least–greatest)", "ms a file"]
    return Result("reading_ci", "CI scan", about, columns, rows, verdict)


def _readiness(folder: Path) -> Result:
    repository = reading_data.large(folder)
    command = [*_WORK, "readiness", str(repository)]
    ours = _times(command)
    read = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    limit = [_git_alone(repository, read) for _ in range(ROUNDS)]
    about = (
        f"{reading_data.FILES:,} files in a bare mirror; the evaluation reads "
        f"{len(read.split()):,} of them. The limit is git listing the tree and printing the same "
        f"objects. Start-up included. {machine()}"
    )
    rows = [
        ["evaluation", spread(ours, ".2f")],
        ["git ls-tree and cat-file", spread(limit, ".2f")],
    ]
    verdict = (
        f"{min(ours):.2f} s, {min(ours) / min(limit):.0f} times the limit; the goal is under "
        f"{READINESS_GOAL_S:.0f} s."
    )
    columns = ["what", "seconds: median (least–greatest)"]
    return Result("reading_readiness", "Readiness", about, columns, rows, verdict)


def _unmoved(folder: Path) -> Result:
    place = f"127.0.0.1:{PORT}"
    settings = Settings(data_dir=folder, repos_private_hosts=place, repos_http_hosts=place)
    folder.mkdir(parents=True)
    db = Database.open(settings.state_url)
    db.migrate()
    vault = Vault(bytes(32))
    moved: list[str] = []
    try:
        _register(db, vault, place)
        with running([*_WORK, "server", str(PORT), _OID], PORT):
            began = time.perf_counter()
            heads.look_around(
                db, settings, vault, lambda _c, _o, repo: moved.append(repo), threading.Event()
            )
            took = time.perf_counter() - began
            seen = int(httpx.get(f"http://{place}/seen").text)
            began = time.perf_counter()
            with httpx.Client() as client:
                for number in range(UNMOVED):
                    client.get(f"http://{place}/r{number}/info/refs?service=git-upload-pack")
            bare = time.perf_counter() - began
    finally:
        db.close()
    rows = [
        ["a round of looks", f"{took:.1f}", f"{seen:,}"],
        ["the same requests alone, over one connection", f"{bare:.1f}", f"{UNMOVED:,}"],
    ]
    about = (
        f"{UNMOVED:,} registered repositories whose heads did not move, on a server of this "
        f"machine. Each is asked over a connection of its own, and the look is noted. {machine()}"
    )
    verdict = (
        f"{seen / UNMOVED:.2f} requests a repository, {1000 * took / UNMOVED:.1f} ms each; "
        f"{len(moved)} were taken for moved. The goal is one request."
    )
    columns = ["what", "seconds", "requests"]
    return Result("reading_unmoved", "Nothing new", about, columns, rows, verdict)


def _register(db: Database, vault: Vault, place: str) -> None:
    org = service.create_organization(db, "Acme")
    service.add_member(db, org, "owner@example.com", "owner")
    for number in range(UNMOVED):
        made, _ = repos.register(db, vault, operator.owner(db, org), f"https://{place}/r{number}")
        with db.transaction() as connection:
            long_ago = clock.now_ms() - 7_200_000
            registry.set_fetched(connection, org, made.repo_id, Head(_OID, "main"), long_ago)


def _git_alone(repository: Path, objects: bytes) -> float:
    began = time.perf_counter()
    listing = ["git", "ls-tree", "-r", "-l", "-z", "HEAD"]
    subprocess.run(listing, cwd=repository, check=True, capture_output=True)
    subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repository, input=objects, check=True, capture_output=True,
    )  # fmt: skip
    return time.perf_counter() - began


def _times(command: Sequence[str]) -> list[float]:
    """Seconds of each round, after one that nobody counts."""
    found = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        found.append(time.perf_counter() - began)
    return found[1:]
