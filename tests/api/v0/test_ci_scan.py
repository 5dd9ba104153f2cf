"""The CI scan over HTTP, of real repositories that a git server on loopback serves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from stationmaster import clock
from tests.api.conftest import Ask
from tests.spec import day
from tests.support.cast import Cast
from tests.support.git_servers import GitServer, Handler, git_server, hang, status
from tests.support.patience import PATIENCE_S
from tests.support.repositories import Content, Repository
from tests.support.servers import Server

SCAN = "/api/v0/automations/ci/scan"
FILE = ".github/workflows/ci.yml"
WORKFLOW = """
name: Build
on: [push]
jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps: [{run: make}]
"""
AGENT = """
name: Review
on: {pull_request: , schedule: [{cron: 0 5 * * *}]}
jobs:
  review:
    steps:
      - uses: anthropics/claude-code-action@v1
        with: {model: fast, anthropic_api_key: sk-ant-0123456789abcdefghij}
"""


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    with git_server(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="module")
def server_fields(git: GitServer) -> dict[str, object]:
    return {
        "repos_private_hosts": git.place,
        "repos_http_hosts": git.place,
        "repos_fetch_seconds": 30,
        "ci_scan_seconds": 3,
    }


@pytest.fixture
def cast(any_server: Server) -> Cast:
    clock.freeze(day.NOW)
    return Cast(any_server.services.db, "acme")


class Acme:
    """An organization whose repositories are served under its own folder."""

    def __init__(self, git: GitServer, cast: Cast, ask: Ask) -> None:
        self.git = git
        self.mark = f"{cast.org[4:]}"
        self.ask = ask

    def url(self, name: str) -> str:
        return self.git.url(f"{self.mark}/{name}")

    def register(self, name: str) -> str:
        answer = self.ask("manager", "POST", "/api/platform/v1/repositories",
                          json={"url": self.url(name)})  # fmt: skip
        assert answer.status_code == 201, answer.text
        return str(answer.json()["repoId"])

    def serve(self, name: str, **files: Content) -> Repository:
        """A registered repository with workflows of these names."""
        made = Repository(self.git.folder / self.mark / name, "main", "--bare")
        made.commit({f".github/workflows/{file}.yml": text for file, text in files.items()})
        self.register(name)
        return made

    def scan(self, caller: str = "member", **params: str) -> dict[str, Any]:
        answer = self.ask(caller, "GET", SCAN, params=params)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def requests(self) -> int:
        """How often the git server was asked about this organization's repositories."""
        return sum(f"/{self.mark}/" in path for _, path, _ in self.git.seen)


@pytest.fixture
def acme(git: GitServer, cast: Cast, ask: Ask) -> Acme:
    return Acme(git, cast, ask)


def after(**time: float) -> None:
    clock.freeze(day.NOW + timedelta(**time))


def names(found: dict[str, Any]) -> list[str]:
    return [workflow["workflowName"] for workflow in found["workflows"]]


def test_the_workflows_of_a_repository_are_answered_with_all_members(acme: Acme) -> None:
    repository = acme.serve("shop", ci=WORKFLOW)
    commit = repository.git("rev-parse", "main")
    now = int(day.NOW.timestamp() * 1000)

    found = acme.scan()

    assert found == {
        "workflows": [
            {
                "repoFullName": f"{acme.mark}/shop",
                "provider": "github-actions",
                "filePath": FILE,
                "workflowName": "Build",
                "triggerEvents": ["push"],
                "scheduleCron": None,
                "schedules": [],
                "templateId": None,
                "agents": [],
                "agentInputs": None,
                "droidActionInputs": None,
                "jobs": [
                    {
                        "id": "build",
                        "needs": [],
                        "runsOn": ["ubuntu-latest"],
                        "agents": [],
                        "timeoutMinutes": 5,
                        "stepCount": 1,
                        "place": {"line": 5, "column": 3},
                    }
                ],
                "url": None,
                "githubUrl": None,
                "fileSha": repository.git("rev-parse", f"main:{FILE}"),
                "commitHash": commit,
                "authoredBy": {"name": "Ada", "login": None},
                "userPermission": "read",
                "parse": {"state": "ok"},
                "kind": "pipeline",
                "triggers": [{"event": "push", "kind": "push", "place": {"line": 3, "column": 6}}],
                "commands": [
                    {
                        "kind": "build",
                        "text": "make",
                        "job": "build",
                        "place": {"line": 8, "column": 19},
                    }
                ],
                "findings": found["workflows"][0]["findings"],
            }
        ],
        "scannedAt": now,
        "cacheTtlMs": 1_800_000,
        "integration": {"connected": True},
        "repositories": [
            {
                "repoUrl": acme.url("shop"),
                "provider": "other",
                "defaultBranch": "main",
                "status": "scanned",
                "commitHash": commit,
                "scannedAt": now,
                "summary": {
                    "providers": {"github-actions": 1},
                    "gates": [],
                    "deploys": [],
                    "agents": [],
                    "discontinued": [],
                    "unresolved": [],
                    "ignored": [],
                },
            }
        ],
        "truncated": False,
        "detailed": True,
    }
    assert found["workflows"][0]["findings"][0].keys() == {
        *("rule", "severity", "path", "line", "column", "message", "evidence", "impact", "fix"),
        *("fingerprint",),
    }


def test_what_an_agent_is_given_is_told_without_its_secrets(acme: Acme) -> None:
    acme.serve("shop", review=AGENT, ci=WORKFLOW)

    found = acme.scan(agentsOnly="true")

    (workflow,) = found["workflows"]
    assert workflow["agents"] == ["claude-code"]
    assert (workflow["templateId"], workflow["scheduleCron"]) == ("code-review", "0 5 * * *")
    assert workflow["agentInputs"] == {"model": "fast", "anthropic_api_key": "***"}
    assert workflow["droidActionInputs"] == workflow["agentInputs"]
    assert len(acme.scan()["workflows"]) == 2


def test_an_organization_without_repositories_has_an_empty_answer(acme: Acme) -> None:
    found = acme.scan()

    assert (found["workflows"], found["repositories"]) == ([], [])
    assert (found["integration"], found["truncated"]) == ({"connected": False}, False)


def test_repositories_that_fail_say_why_and_do_not_hinder_the_others(acme: Acme) -> None:
    acme.serve("b-good", ci=WORKFLOW)
    acme.serve("a-bad-file", ci="on: [push\n")
    acme.register("missing")
    acme.serve("forbidden", ci=WORKFLOW)
    acme.git.before[f"/{acme.mark}/forbidden"] = status(403)
    Repository(acme.git.folder / acme.mark / "empty", "main", "--bare")
    acme.register("empty")

    found = acme.scan()

    told = {each["repoUrl"].rpartition("/")[2]: each for each in found["repositories"]}
    assert {name: each["status"] for name, each in told.items()} == {
        "a-bad-file": "scanned",
        "b-good": "scanned",
        "empty": "skipped",
        "forbidden": "forbidden",
        "missing": "unreachable",
    }
    assert told["forbidden"]["error"].startswith("The repository's server refuses us")
    assert told["missing"]["commitHash"] is None
    assert "error" not in told["b-good"]
    broken, good = found["workflows"]
    assert broken["parse"]["state"] == "error"
    assert broken["parse"]["line"] == 2
    assert (broken["workflowName"], good["workflowName"]) == (FILE, "Build")


def test_an_answer_is_kept_for_half_an_hour_and_not_sent_twice(acme: Acme) -> None:
    repository = acme.serve("shop", ci=WORKFLOW)
    first = acme.ask("member", "GET", SCAN)
    asked = acme.requests()
    repository.commit({FILE: WORKFLOW.replace("Build", "Newer")})

    after(minutes=29)
    again = acme.ask("owner", "GET", SCAN, params={"agentsOnly": "false"})
    tag = first.headers["etag"]
    same = [
        httpx.get(
            again.url,
            headers={**again.request.headers, "If-None-Match": tags},
            timeout=PATIENCE_S,
        )
        for tags in (tag, f'"other", W/{tag}', "*")
    ]

    assert again.content == first.content
    assert (again.headers["etag"], again.headers["cache-control"]) == (tag, "private, no-cache")
    assert acme.requests() == asked
    assert [(each.status_code, each.content, each.headers["etag"]) for each in same] == [
        (304, b"", tag)
    ] * 3

    after(minutes=30)
    assert names(acme.scan()) == ["Newer"]
    assert acme.ask("member", "GET", SCAN).headers["etag"] != tag


def test_a_forced_refresh_sees_a_commit_of_a_moment_ago(acme: Acme) -> None:
    repository = acme.serve("shop", ci=WORKFLOW)
    before = acme.scan()
    repository.commit({FILE: WORKFLOW.replace("Build", "Newer")}, author="Bob")
    after(minutes=1)

    assert names(acme.scan()) == ["Build"]
    found = acme.scan(forceRefresh="true")

    assert names(found) == ["Newer"]
    assert found["workflows"][0]["authoredBy"]["name"] == "Bob"
    assert found["scannedAt"] == before["scannedAt"] + 60_000
    assert names(acme.scan()) == ["Newer"]


def test_a_commit_that_something_else_has_fetched_is_scanned_without_fetching(acme: Acme) -> None:
    repository = acme.serve("shop", ci=WORKFLOW)
    acme.scan()
    repository.commit({FILE: WORKFLOW.replace("Build", "Newer")})
    after(minutes=1)
    repo = acme.ask("member", "GET", "/api/platform/v1/repositories").json()["repositories"][0]
    refreshed = acme.ask(
        "manager", "POST", f"/api/platform/v1/repositories/{repo['repoId']}/refresh"
    )
    assert refreshed.status_code == 200, refreshed.text
    asked = acme.requests()

    assert names(acme.scan()) == ["Newer"]
    assert acme.requests() == asked


def test_what_was_known_of_a_repository_stays_when_it_cannot_be_reached(acme: Acme) -> None:
    acme.serve("shop", ci=WORKFLOW)
    before = acme.scan()
    acme.git.before[f"/{acme.mark}/shop"] = status(500)
    after(hours=1)

    found = acme.scan()
    asked = acme.requests()
    acme.scan()

    assert found["workflows"] == before["workflows"]
    (repository,) = found["repositories"]
    assert (repository["status"], repository["scannedAt"]) == ("unreachable", before["scannedAt"])
    assert acme.requests() == asked


def test_a_scan_by_an_older_version_is_made_again(acme: Acme, any_server: Server) -> None:
    acme.serve("shop", ci=WORKFLOW)
    acme.scan()
    with any_server.services.db.transaction() as connection:
        connection.exec_driver_sql("UPDATE ci_scans SET revision = 0, workflows = '[{}]'")

    assert names(acme.scan()) == ["Build"]


def test_two_requests_at_once_fetch_a_repository_once(acme: Acme) -> None:
    acme.serve("shop", ci=WORKFLOW)
    seconds: list[dict[str, Any]] = []
    ended = threading.Event()

    def meanwhile(handler: Handler) -> None:
        seconds.append(acme.scan(forceRefresh="true"))
        handler.refuse(503)
        ended.set()

    acme.git.before[f"/{acme.mark}/shop"] = meanwhile
    first = acme.scan(forceRefresh="true")

    assert ended.wait(30)
    assert [found["truncated"] for found in (first, *seconds)] == [True, True]
    assert acme.requests() == 1


def test_a_repository_that_takes_too_long_is_left_for_the_next_request(acme: Acme) -> None:
    acme.serve("good", ci=WORKFLOW)
    acme.serve("slow", ci=WORKFLOW)
    acme.git.before[f"/{acme.mark}/slow"] = hang

    found = acme.scan()

    told = {each["repoUrl"].rpartition("/")[2]: each["status"] for each in found["repositories"]}
    assert found["truncated"] is True
    assert told == {"good": "scanned", "slow": "skipped"}
    assert names(found) == ["Build"]


def test_a_removed_repository_is_gone(acme: Acme) -> None:
    acme.serve("kept", ci=WORKFLOW)
    acme.serve("gone", ci=WORKFLOW)
    acme.scan()
    known = acme.ask("member", "GET", "/api/platform/v1/repositories").json()["repositories"]
    gone = next(each["repoId"] for each in known if each["url"].endswith("/gone"))
    assert acme.ask("manager", "DELETE", f"/api/platform/v1/repositories/{gone}").status_code == 204

    for wanted in ({}, {"forceRefresh": "true"}):
        found = acme.scan(**wanted)
        assert [each["repoFullName"] for each in found["workflows"]] == [f"{acme.mark}/kept"]
        assert len(found["repositories"]) == 1


def test_another_organization_sees_nothing_of_it(
    acme: Acme, any_server: Server, git: GitServer, ask: Ask
) -> None:
    acme.serve("shop", ci=WORKFLOW)
    acme.scan()
    other = Cast(any_server.services.db, f"other{acme.mark}")
    key = other.keys["owner"]
    assert key is not None

    for path in ("scan", "repositories", "repository-owners"):
        answer = ask(key, "GET", f"/api/v0/automations/ci/{path}")
        assert answer.status_code == 200
        assert acme.mark not in answer.text


@pytest.mark.parametrize("path", ["scan", "repositories", "repository-owners"])
@pytest.mark.parametrize(
    ("caller", "code"),
    [("owner", 200), ("manager", 200), ("member", 200), ("svc", 200), ("svc-mgr", 200),
     ("guest", 403), ("ingest", 403), ("none", 401), ("revoked", 401)],
)  # fmt: skip
def test_members_may_look_and_guests_may_not(acme: Acme, path: str, caller: str, code: int) -> None:
    assert acme.ask(caller, "GET", f"/api/v0/automations/ci/{path}").status_code == code


def test_owners_and_repositories_are_told_from_the_registry(acme: Acme) -> None:
    acme.serve("shop", ci=WORKFLOW)
    acme.scan()
    base = "/api/v0/automations/ci"

    owners = acme.ask("member", "GET", f"{base}/repository-owners").json()
    mine = acme.ask("member", "GET", f"{base}/repositories", params={"owner": acme.mark}).json()
    others = acme.ask("member", "GET", f"{base}/repositories", params={"owner": "nobody"}).json()

    assert owners == {
        "owners": [{"login": acme.mark, "type": "Organization"}],
        "integration": {"connected": True},
    }
    assert mine == {
        "repositories": [
            {
                "fullName": f"{acme.mark}/shop",
                "url": acme.url("shop"),
                "isPrivate": False,
                "defaultBranch": "main",
                "userPermission": "read",
                "writable": False,
                "factoryAppWritable": False,
            }
        ]
    }
    assert others == {"repositories": []}
    assert acme.ask("member", "GET", f"{base}/repositories").json() == mine


@pytest.mark.parametrize("params", [{"forceRefresh": "maybe"}, {"agentsOnly": "2"}])
def test_a_parameter_that_is_no_yes_or_no_is_refused(acme: Acme, params: dict[str, str]) -> None:
    assert acme.ask("member", "GET", SCAN, params=params).status_code == 400


FINDINGS = "/api/platform/v1/ci/findings"
OUTSIDERS = """
on: issue_comment
permissions: write-all
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      # stationmaster: ignore[script-injection]
      - run: echo "${{ github.event.comment.body }}"
"""


def test_findings_of_all_repositories_are_told_page_by_page_the_worst_first(acme: Acme) -> None:
    acme.serve("a", ci=WORKFLOW)
    acme.serve("b", ci=OUTSIDERS)
    acme.scan()
    pages: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = acme.ask("member", "GET", FINDINGS, params={"limit": "2", **cursor}).json()
        pages += page["findings"]
        if not page["pagination"]["hasMore"]:
            break
        cursor = {"cursor": page["pagination"]["nextCursor"]}

    def asked(**params: str) -> list[dict[str, Any]]:
        found = acme.ask("member", "GET", FINDINGS, params={"limit": "100", **params})
        assert found.status_code == 200, found.text
        return list(found.json()["findings"])

    order = ["critical", "high", "medium", "low", "info"]
    ranks = [order.index(each["severity"]) for each in pages]
    assert pages == asked()
    assert len({each["fingerprint"] for each in pages}) == len(pages)
    assert ranks == sorted(ranks)
    assert {each["repoUrl"] for each in pages} == {acme.url("a"), acme.url("b")}
    assert asked(severity="high") == [each for each in pages if each["severity"] in order[:2]]
    accepted = asked(suppressed="true")
    assert {each["rule"] for each in accepted} == {"script-injection"}
    assert asked(rule="script-injection") == accepted
    assert [each["repoUrl"] for each in asked(repository=acme.url("a"), rule="no-timeout")] == []
    assert asked(repository=acme.url("b"), suppressed="false", severity="high")
    assert acme.ask("member", "GET", FINDINGS, params={"cursor": "e30"}).status_code == 400
