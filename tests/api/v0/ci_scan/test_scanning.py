"""When the CI scan over HTTP fetches, what it keeps, and what happens where a repository fails."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from stationmaster import clock
from tests.api.v0.ci_scan.organization import FILE, SCAN, WORKFLOW, Acme, names
from tests.spec import day
from tests.support.git_servers import status
from tests.support.patience import PATIENCE_S
from tests.support.repositories import Repository
from tests.support.servers import Server


def after(**time: float) -> None:
    clock.freeze(day.NOW + timedelta(**time))


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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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
