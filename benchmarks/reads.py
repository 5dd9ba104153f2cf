"""Every other read beside the plainest report, on one server under the same load.

The report is one day of activity: a row of 340 bytes. Each operation answers from an organization
of ordinary size.
"""

from __future__ import annotations

import io
import shutil
import statistics
import zipfile
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from benchmarks import serve
from benchmarks.results import WORK, Result, machine
from benchmarks.serve_apps import settings
from benchmarks.serve_data import LAST
from stationmaster import clock
from stationmaster.access import service
from stationmaster.api.services import Services

PORT = 18792
ROUNDS = 3
SECONDS = 0.7
GOAL = 3.0
MEMBERS, COMPUTERS, REPORTS, PAGES = 50, 20, 50, 200
REMOTE = "https://git.example/acme/shop"
DAY = LAST.isoformat()
PLAINEST = f"/api/v1/analytics/activity?startDate={DAY}&endDate={DAY}"


def run() -> list[Result]:
    data_dir = WORK / "reads"
    shutil.rmtree(data_dir, ignore_errors=True)
    key = _organization(data_dir)
    try:
        with serve.server("ours", data_dir, PORT) as pid:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{PORT}",
                headers={"Authorization": f"Bearer {key}"},
                timeout=60,
            ) as client:
                paths = _fill(client)
            return [_result({name: _measured(key, pid, path) for name, path in paths.items()})]
    finally:
        shutil.rmtree(data_dir)


def _organization(data_dir: Path) -> str:
    clock.freeze(settings(data_dir).now)
    services = Services.open(settings(data_dir))
    try:
        org = service.create_organization(services.db, "Acme")
        owner = service.add_member(services.db, org, "owner@example.com", "owner")
        for n in range(MEMBERS):
            service.add_member(services.db, org, f"dev{n}@example.com", "member")
        _, secret = service.create_key(services.db, org, owner, name="benchmark")
        return secret.reveal()
    finally:
        services.close()
        clock.freeze(None)


def _fill(client: httpx.Client) -> dict[str, str]:
    """What the organization has, made through the API; the paths that are read, by name."""
    _done(client.post("/api/platform/v1/events", json=[_event()]))
    limits = [{"email": f"dev{n}@example.com", "limit": 1_000_000 + n} for n in range(MEMBERS)]
    _done(client.put("/api/v0/organization/usage/limits/users", json={"users": limits}))
    for n in range(COMPUTERS):
        sent = {"name": f"pc-{n}", "remoteUser": "dev"}
        computer = _done(client.post("/api/v0/computers", json=sent))
    for n in range(REPORTS):
        report = _done(client.post("/api/organization/maturity-level-reports", json=_report(n)))
    run_id = _wiki(client)
    tree = _done(client.get(f"/api/v0/wiki/{run_id}"))["pageTree"]
    wiki, page = f"/api/v0/wiki/{run_id}", tree[0]["children"][0]["pageId"]
    return {
        "limits of users": "/api/v0/organization/usage/limits/users",
        "global limit": "/api/v0/organization/usage/limits/global",
        "use beside caps, 20": "/api/platform/v1/limits?limit=20",
        "computers, 20": "/api/v0/computers",
        "computer by name": "/api/v0/computers/name/pc-7",
        "computer by id": f"/api/v0/computers/{computer['id']}",
        "readiness reports, 20 of 50": "/api/organization/maturity-level-reports?limit=20",
        "readiness report": f"/api/platform/v1/readiness/reports/{report['reportId']}",
        "newest wikis": "/api/v0/wiki",
        "history of a repository": f"/api/v0/wiki/history/{quote(REMOTE, safe='')}",
        "wiki run, tree of 200 pages": wiki,
        "wiki page": f"{wiki}/pages/{page}",
        "wiki search, 200 pages": f"{wiki}/search?q=platform",
        "CI scan, cached": "/api/v0/automations/ci/scan",
        "CI repositories": "/api/v0/automations/ci/repositories",
        "CI repository owners": "/api/v0/automations/ci/repository-owners",
        "users, 20": "/api/v0/organization/users?limit=20",
        "members, 51": "/api/platform/v1/members",
        "keys": "/api/platform/v1/keys",
        "audit, 20": "/api/platform/v1/audit?limit=20",
    }


def _done(answer: httpx.Response) -> dict[str, Any]:
    if answer.is_error:
        raise RuntimeError(answer.text)
    found: dict[str, Any] = answer.json()
    return found


def _event() -> dict[str, object]:
    noon = datetime.combine(LAST, time(12), UTC)
    return {
        "event_id": "0" * 32,
        "kind": "user_message",
        "ts": int(noon.timestamp() * 1000),
        "product": "claude-code",
        "source": "transcript",
        "session_id": "s1",
    }


def _report(n: int) -> dict[str, object]:
    verdict = {"numerator": 1, "denominator": 1, "rationale": "README.md explains it."}
    return {
        "repoUrl": f"{REMOTE}{n % 5}",
        "apps": {".": {"description": "The shop."}},
        "report": dict.fromkeys(("readme", "unit_tests_exist", "lint_config"), verdict),
    }


def _wiki(client: httpx.Client) -> str:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(PAGES):
            name = f"part-{n // 20}/page-{n}.md"
            word = "platform " if n % 40 == 0 else ""
            text = (
                f"# Page {n}\n\n## How\n\n{word}{'The signal is set and the train leaves. ' * 100}"
            )
            archive.writestr(name, text)
    media = {"Content-Type": "application/zip"}
    sent = client.post(
        "/api/v0/wiki", params={"repoUrl": REMOTE}, content=packed.getvalue(), headers=media
    )
    return str(_done(sent)["wikiRunId"])


def _measured(key: str, pid: int, path: str) -> tuple[float, float, float]:
    """Median p99 of the operation and of the plainest report (ms), and the operation's p50."""
    ours, plain, middle = [], [], []
    for _ in range(ROUNDS):  # In turn, so that a busy machine slows both alike.
        plain.append(_load(key, pid, PLAINEST)["p99_ms"])
        found = _load(key, pid, path)
        ours.append(found["p99_ms"])
        middle.append(found["p50_ms"])
    return statistics.median(ours), statistics.median(plain), statistics.median(middle)


def _load(key: str, pid: int, path: str) -> dict[str, float]:
    request = (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nAccept: */*\r\n\r\n"
    )
    return serve.load([request], pid, PORT, SECONDS)


def _result(found: dict[str, tuple[float, float, float]]) -> Result:
    worst = max(found, key=lambda name: found[name][0] / found[name][1])
    ratio = found[worst][0] / found[worst][1]
    return Result(
        name="reads",
        title="Every other read",
        about=f"{(__doc__ or '').strip()} {serve.CONNECTIONS} connections, medians of {ROUNDS} "
        f"rounds of {SECONDS} s in turn. {machine()}",
        columns=["operation", "p50 ms", "p99 ms", "p99 of the plainest report ms", "ratio"],
        rows=[
            [name, f"{p50:.2f}", f"{p99:.2f}", f"{plain:.2f}", f"{p99 / plain:.2f}"]
            for name, (p99, plain, p50) in found.items()
        ],
        verdict=f"At most {ratio:.2f} times the p99 of the plainest report ({worst}); "
        f"goal: {GOAL:.0f}.",
    )
