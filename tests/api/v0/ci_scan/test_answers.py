"""What the CI scan answers over HTTP: workflows, agents, owners, findings, and to whom."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Ask
from tests.api.v0.ci_scan.organization import FILE, SCAN, WORKFLOW, Acme
from tests.spec import day
from tests.support.cast import Cast
from tests.support.git_servers import GitServer
from tests.support.servers import Server

AGENT = """
name: Review
on: {pull_request: , schedule: [{cron: 0 5 * * *}]}
jobs:
  review:
    steps:
      - uses: anthropics/claude-code-action@v1
        with: {model: fast, anthropic_api_key: sk-ant-0123456789abcdefghij}
"""


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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
