"""Changes of workflows and recent runs over HTTP, with hosting services on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stationmaster.access import audit
from tests.api.conftest import Ask
from tests.support.cast import Cast
from tests.support.forges import Service, hosting

CI = "/api/v0/automations/ci"
FILE = ".github/workflows/review.yml"
TOKEN = {"kind": "token", "secret": "t0ken"}
CONTENT = "name: Review\non: push\njobs: {}\n"


@pytest.fixture(scope="module")
def github() -> Iterator[Service]:
    with hosting("github") as running:
        yield running


@pytest.fixture(scope="module")
def gitlab() -> Iterator[Service]:
    with hosting("gitlab") as running:
        yield running


@pytest.fixture(scope="module")
def server_fields(github: Service, gitlab: Service) -> dict[str, object]:
    places = f"{github.place},{gitlab.place}"
    return {"repos_private_hosts": places, "repos_http_hosts": places}


@pytest.fixture(params=["github", "gitlab"])
def service(request: pytest.FixtureRequest, github: Service, gitlab: Service) -> Service:
    chosen = github if request.param == "github" else gitlab
    chosen.branches = {"main": {}}
    chosen.requests, chosen.asked, chosen.broken = [], [], set()
    return chosen


def register(ask: Ask, service: Service, credential: dict[str, str] | None = TOKEN) -> None:
    sent = {"url": service.url, "credential": credential}
    assert ask("manager", "POST", "/api/platform/v1/repositories", json=sent).status_code == 201


def edit(ask: Ask, action: str = "create", content: str | None = CONTENT, **more: Any) -> Any:
    sent = {
        "action": action,
        "repos": [{"repoFullName": "Acme/Shop", "filePath": FILE}],
        "changes": None if content is None else {"content": content},
    }
    answer = ask("manager", "POST", f"{CI}/edit", json=sent | more)
    assert answer.status_code == 200, answer.text
    [session] = answer.json()["sessions"]
    return session


def jobs(ask: Ask) -> Any:
    return ask("member", "GET", f"{CI}/jobs").json()["jobs"]


@pytest.mark.both_databases
def test_a_created_workflow_is_on_a_branch_with_a_pull_request(
    ask: Ask, cast: Cast, service: Service
) -> None:
    register(ask, service)

    session = edit(ask, automationName="Review")

    assert session == {
        "repoFullName": "Acme/Shop",
        "prUrl": f"{service.url}/pull/1",
        "message": "The pull request is open.",
        "error": None,
    }
    [request] = service.requests
    assert request["title"] == "Add the workflow Review"
    assert service.branches[request["branch"]] == {FILE: CONTENT}
    assert service.branches["main"] == {}
    [job] = jobs(ask)
    assert (job["status"], job["prUrl"], job["action"]) == ("opened", session["prUrl"], "create")
    assert (job["repoFullName"], job["filePath"], job["error"]) == ("acme/shop", FILE, None)
    [noted] = [
        record
        for record in audit.page(cast.db, cast.org, limit=10)
        if record.event_type == "ci_edit_requested"
    ]
    assert noted.payload == {"action": "create", "path": FILE, "branch": request["branch"]}


def test_the_same_change_again_finds_the_request_that_is_open(ask: Ask, service: Service) -> None:
    register(ask, service)

    assert edit(ask) == edit(ask)

    assert len(service.requests) == len(jobs(ask)) == 1


def test_a_retry_goes_on_where_the_service_failed(ask: Ask, service: Service) -> None:
    register(ask, service)
    service.broken = {"POST /pulls", "POST /merge_requests"}

    failed = edit(ask)
    assert failed["prUrl"] is None
    assert "(500)" in failed["error"]
    assert [job["status"] for job in jobs(ask)] == ["failed"]
    service.broken = set()

    assert edit(ask)["prUrl"] == f"{service.url}/pull/1"
    assert [job["status"] for job in jobs(ask)] == ["opened"]
    assert len(service.branches) == 2


def test_files_are_changed_and_deleted(ask: Ask, service: Service) -> None:
    register(ask, service)
    service.branches["main"] = {FILE: "old\n"}

    edit(ask, "edit", "new\n")
    edit(ask, "delete", None)

    changed, deleted = (service.branches[each["branch"]] for each in service.requests)
    assert (changed, deleted) == ({FILE: "new\n"}, {})
    assert "edit it instead" in edit(ask)["error"]


def test_what_does_not_fit_the_default_branch_is_told(ask: Ask, service: Service) -> None:
    register(ask, service)

    assert edit(ask, "delete", None)["error"] == f"The default branch has no file {FILE}."
    assert service.requests == []


@pytest.mark.parametrize(
    ("credential", "told"),
    [(None, "no credential"), ({"kind": "token", "secret": "other"}, "no GitHub or GitLab API")],
)
def test_without_a_credential_that_opens_it_nothing_is_changed(
    ask: Ask, service: Service, credential: dict[str, str] | None, told: str
) -> None:
    register(ask, service, credential)

    assert told in edit(ask)["error"]
    assert list(service.branches) == ["main"]


def test_a_repository_that_is_not_registered_is_told(ask: Ask) -> None:
    assert "register it first" in edit(ask)["error"]
    assert jobs(ask) == []


@pytest.mark.parametrize("path", ["../x.yml", "src/app.yml", ".github/workflows/../x.yml", "/a"])
def test_a_file_that_is_no_workflow_is_refused(ask: Ask, path: str) -> None:
    sent = {"action": "delete", "repos": [{"repoFullName": "acme/shop", "filePath": path}]}

    answer = ask("manager", "POST", f"{CI}/edit", json=sent)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, "invalid_file_path")


AGENT = f"""\
name: Review
on: pull_request
jobs:
  review:
    steps:
      - uses: anthropics/claude-code-action@{"a" * 40} # v1
        with:
          direct_prompt: |
            Look at it.
          timeout: 5
"""


def test_an_edit_without_text_sets_inputs_of_the_agents_step_alone(
    ask: Ask, service: Service
) -> None:
    register(ask, service)
    service.branches["main"] = {FILE: AGENT}
    changes = {"yamlParams": "timeout: 9\n", "customPrompt": "Look: at #1", "customCIModel": "m-1"}

    first = edit(ask, "edit", None, changes=changes)
    again = edit(ask, "edit", None, changes=changes)

    assert (first["error"], again) == (None, first)
    [request] = service.requests
    assert service.branches[request["branch"]] == {
        FILE: AGENT.replace("|\n            Look at it.", '"Look: at #1"')
        .replace("timeout: 5", 'timeout: "9"')
        .replace("direct_prompt", 'model: "m-1"\n          direct_prompt')
    }


def test_inputs_are_set_in_no_file_without_an_agents_step(ask: Ask, service: Service) -> None:
    register(ask, service)
    service.branches["main"] = {FILE: CONTENT}

    session = edit(ask, "edit", None, changes={"customPrompt": "Look"})

    assert session["error"].startswith("No step of the file uses the action of an agent.")
    assert list(service.branches) == ["main"]


@pytest.mark.parametrize(
    ("action", "changes"),
    [
        ("create", None),
        ("create", {"name": "Review", "customPrompt": "Look", "githubEvents": ["push"]}),
        ("edit", None),
        ("edit", {}),
        ("edit", {"customPrompt": "Look", "schedule": "0 9 * * 1"}),
    ],
)
def test_nothing_is_written_that_the_request_does_not_bring(
    ask: Ask, action: str, changes: dict[str, Any] | None
) -> None:
    place = {"repoFullName": "acme/shop", "filePath": FILE}
    sent = {"action": action, "repos": [place], "changes": changes}

    answer = ask("manager", "POST", f"{CI}/edit", json=sent)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, "content_required")
    assert "content" in answer.json()["detail"]
    assert jobs(ask) == []


def test_runs_are_those_of_the_services_and_asked_once_a_minute(ask: Ask, service: Service) -> None:
    nothing = {"runs": [], "integration": {"connected": False}}
    assert ask("member", "GET", f"{CI}/runs").json() == nothing
    register(ask, service)

    first = ask("member", "GET", f"{CI}/runs").json()
    asked = len(service.asked)
    assert ask("member", "GET", f"{CI}/runs").json() == first

    assert len(service.asked) == asked
    assert first["integration"] == {"connected": True}
    [run] = first["runs"]
    assert (run["repoFullName"], run["status"], run["createdAt"]) == (
        "acme/shop",
        "completed",
        1_795_168_800_000,
    )
    assert run["conclusion"] == ("success" if service.kind == "github" else "failure")


def test_an_address_that_may_not_be_asked_is_never_connected_to(ask: Ask, service: Service) -> None:
    url = service.url.replace("127.0.0.1", "127.0.0.2")
    sent = {"url": url, "credential": TOKEN}
    assert ask("manager", "POST", "/api/platform/v1/repositories", json=sent).status_code == 201

    assert "may be called" in edit(ask)["error"]
    assert service.asked == []
