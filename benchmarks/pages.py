"""Every page of the web application with a million events, one after the other on an idle server.

The organization has 730 people, 90 days, and 200 registered repositories with two readiness reports
each. The plainest page is one that loads no figures.
"""

from __future__ import annotations

import gzip
import random
import shutil
import statistics
import sys
import time
from typing import NamedTuple

import httpx
import msgspec
from tests.web import page_list

from benchmarks import processes, sliced_data
from benchmarks.results import WORK, Result, machine
from benchmarks.serve_apps import environment, settings
from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.signing_in import ways as signin
from stationmaster.access.vault import Vault
from stationmaster.days import MS_PER_DAY
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, UserId
from stationmaster.readiness import store
from stationmaster.readiness.catalogue import CORE
from stationmaster.readiness.model import Evaluation, Report, Scores
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository
from stationmaster.settings import Settings

PORT = 18795
EVENTS = 1_000_000
ROUNDS = 40
PLAINEST = "/settings/service-accounts"
SORTED = "/repositories?sort=-readiness"
GOAL_MS, GOAL_KB = 150, 60


def run() -> list[Result]:
    data_dir = WORK / "pages"
    shutil.rmtree(data_dir, ignore_errors=True)
    made = settings(data_dir)
    clock.freeze(made.now)
    try:
        _, org = sliced_data.build(made, EVENTS // sliced_data.DAYS)
        _register(made, org)
        link = _link(made, org)
        with (
            processes.running(
                [sys.executable, "-m", "stationmaster", "api", "--port", str(PORT)],
                PORT,
                env=environment(made),
            ),
            httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=60) as client,
        ):
            client.get(f"/sign-in/{link}")
            pages = page_list.find(client).pages | {SORTED: SORTED}
            return [_result({name: _measured(client, path) for name, path in pages.items()})]
    finally:
        clock.freeze(None)
        shutil.rmtree(data_dir, ignore_errors=True)


def _link(made: Settings, org: OrgId) -> str:
    db = Database.open(made.state_url)
    try:
        by = operator.owner(db, org)
        return signin.make_sign_in_link(db, org, UserId(by.principal_id), by=by).reveal()
    finally:
        db.close()


def _register(made: Settings, org: OrgId) -> None:
    """Register the repositories that events name, each with reports of 40 and of 10 days ago."""
    db = Database.open(made.state_url)
    try:
        by, vault = operator.owner(db, org), Vault.open(made)
        for number in range(sliced_data.REPOSITORIES):
            url = f"https://git.example/acme/repo-{number}"
            known, _ = repos.register(db, vault, by, url, None)
            for days_ago in (40, 10):
                with db.transaction() as connection:
                    store.insert_report(connection, org, _report(known, number, days_ago))
    finally:
        db.close()


def _report(known: Repository, number: int, days_ago: int) -> dict[str, object]:
    """A row of a report and its body: which criteria pass depends on its number and its age."""
    chosen = random.Random(number * 100 + days_ago)
    scores: Scores = {
        name: None if chosen.random() < 0.15 else (chosen.randint(0, 1), 1) for name in CORE
    }
    report_id, created_at = f"report-{number}-{days_ago}", clock.now_ms() - days_ago * MS_PER_DAY
    judged = {
        name: Evaluation(score and score[0], 1, "A reason of some length, as reports have them.")
        for name, score in scores.items()
    }
    report = Report(
        repo_url=known.url,
        apps={},
        report=judged,
        commit_hash=f"{number:040x}",
        report_id=report_id,
        created_at=created_at,
    )
    return {
        "report_id": report_id,
        "repo_id": known.repo_id,
        "created_at": created_at,
        "repo_url": known.url,
        "digest": b"",
        "scores": msgspec.json.encode(scores),
        "body": msgspec.json.encode(report),
    }


class _Measured(NamedTuple):
    path: str
    median_ms: float
    p95_ms: float
    kb: float


def _measured(client: httpx.Client, path: str) -> _Measured:
    client.get(path)
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        answer = client.get(path)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    kb = len(gzip.compress(answer.content, 6)) / 1000
    return _Measured(path, statistics.median(times), times[int(ROUNDS * 0.95) - 1], kb)


def _result(pages: dict[str, _Measured]) -> Result:
    plainest = pages[PLAINEST].median_ms
    slowest = max(pages.values(), key=lambda page: page.p95_ms)
    largest = max(pages.values(), key=lambda page: page.kb)
    rows = [
        [
            f"`{name}`",
            f"{page.median_ms:.1f}",
            f"{page.p95_ms:.1f}",
            f"{page.median_ms / plainest:.1f}",
            f"{page.kb:.1f}",
        ]
        for name, page in sorted(pages.items())
    ]
    return Result(
        name="pages",
        title="Pages",
        about=(
            f"Every page of the web application with {EVENTS:,} events of {sliced_data.PEOPLE} "
            f"people in {sliced_data.DAYS} days, with {sliced_data.REPOSITORIES} registered "
            f"repositories that have two readiness reports each, asked {ROUNDS} times one after "
            f"the other by one client ({machine()}). The plainest page, `{PLAINEST}`, loads no "
            "figures. Sizes are those of `gzip -6`."
        ),
        columns=["page", "p50 ms", "p95 ms", "of the plainest page", "KB compressed"],
        rows=rows,
        verdict=(
            f"The slowest page at the 95th percentile takes {slowest.p95_ms:.0f} ms "
            f"(goal: {GOAL_MS}); the largest has {largest.kb:.0f} KB (goal: {GOAL_KB})."
        ),
        figures={"slowest_p95_ms": slowest.p95_ms, "largest_kb": largest.kb},
    )
