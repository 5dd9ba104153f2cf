"""A client that knows the specification's tables alone reads every published operation.

It takes the data of a week, of a readiness report, of a computer, of limits and of a wiki, all of
it made over HTTP, on each database.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
import pytest

from tests.conformance import specified
from tests.conformance.conftest import House
from tests.spec import day
from tests.spec.conftest import Week
from tests.support.builders import a_readiness_report

REPOSITORY = "https://git.example/acme/shop"


def decoded(answer: httpx.Response, kind: Any) -> Any:
    """A 200 in the described type, strictly: no text for a number, no member missing."""
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=kind)


def test_tokens_are_credits_rows(week: Week) -> None:
    rows = decoded(week.get("tokens"), specified.Envelope[specified.CreditsRow]).data

    assert [row.date for row in rows] == ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"]


def test_tools_are_tool_rows(week: Week) -> None:
    assert decoded(week.get("tools"), specified.Envelope[specified.ToolRow]).data


def test_activity_is_activity_rows(week: Week) -> None:
    assert decoded(week.get("activity"), specified.Envelope[specified.ActivityRow]).data


def test_productivity_is_productivity_rows(week: Week) -> None:
    assert decoded(week.get("productivity"), specified.Envelope[specified.ProductivityRow]).data


def test_users_are_user_rows(week: Week) -> None:
    page = decoded(week.get("users"), specified.UsersEnvelope)

    assert len(page.data) == 4
    assert (page.meta.has_more, page.meta.org_id) == (False, week.acme.org)


@pytest.mark.parametrize(
    ("report", "value", "row"),
    [
        ("tokens", "model", specified.ModelGroup),
        ("tools", "tool_name", specified.ToolGroup),
        ("activity", "client", specified.ClientGroup),
    ],
)
def test_groups_are_rows_with_a_group_key(week: Week, report: str, value: str, row: Any) -> None:
    assert decoded(week.get(report, group_by=value), specified.Envelope[row]).data


@pytest.mark.parametrize("params", [{"startDate": "x"}, {"endDate": "2026-11-21"}])
def test_a_refusal_of_analytics_is_the_analytics_error_body(
    week: Week, params: dict[str, str]
) -> None:
    answer = week.get("users", **params)
    problem = msgspec.json.decode(answer.content, type=specified.AnalyticsProblem)

    assert (problem.status, problem.title) == (400, "Bad Request")
    assert problem.requestId == answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["maturity-level-reports", "agent-readiness-reports"])
def test_readiness_reports_are_listed_and_paged(house: House, path: str) -> None:
    org = house.another("readiness")
    client = house.client("member", org)
    url = f"/api/organization/{path}"
    for number in range(3):
        made = client.post(url, json=a_readiness_report(repoUrl=f"{REPOSITORY}{number}"))
        assert made.status_code == 201, made.text

    everything = decoded(client.get(url), specified.Reports).reports
    first = decoded(client.get(url, params={"limit": 2}), specified.Reports).reports
    after = {"limit": 2, "startAfter": str(first[-1].reportId)}
    rest = decoded(client.get(url, params=after), specified.Reports).reports

    assert [first, rest] == [everything[:2], everything[2:]]
    assert {report.repoUrl for report in everything} == {f"{REPOSITORY}{n}" for n in range(3)}


def test_a_computer_is_found_by_its_name(house: House) -> None:
    client = house.client("member", house.another("computers"))
    body = {"name": "desk", "remoteUser": "ada", "hostId": "7b0f3c1e-6a52-4a4c-9f0e-3a2b1c4d5e6f"}
    client.post("/api/v0/computers", json=body)

    found = decoded(client.get("/api/v0/computers/name/desk"), specified.Computer)

    assert (found.name, found.remoteUser, str(found.hostId)) == ("desk", "ada", body["hostId"])
    assert found.createdAt == int(day.NOW.timestamp() * 1000)


def test_user_limits_are_set_and_what_failed_is_told(house: House) -> None:
    org = house.another("limits")
    users = [
        {"email": org.people["member"].email, "limit": 2_000_000},
        {"email": "nobody@example.com", "limit": None},
    ]

    answer = house.client("manager", org).put(
        "/api/v0/organization/usage/limits/users", json={"users": users}
    )

    outcome = decoded(answer, specified.LimitsOutcome)
    assert outcome.updated == [specified.UpdatedLimit(**users[0])]
    assert [error.email for error in outcome.errors] == ["nobody@example.com"]


def test_the_history_of_a_wiki_leads_to_its_run_and_its_archive(house: House) -> None:
    client = house.client("member", house.another("wiki"))
    pages = [{"path": "overview.md", "content": "# Overview\n"}]
    client.post("/api/v0/wiki", json={"repoUrl": REPOSITORY, "pages": pages})

    history = client.get(f"/api/v0/wiki/history/{quote(REPOSITORY, safe='')}").json()
    [listed] = history["wikiRuns"]
    run = client.get(f"/api/v0/wiki/{listed['wikiRunId']}").json()
    export = client.get(f"/api/v0/wiki/{listed['wikiRunId']}/export")

    assert run["wikiRunId"] == listed["wikiRunId"]
    assert export.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(export.content)) as archive:
        assert any(name.endswith("overview.md") for name in archive.namelist())


def test_the_ci_scan_answers_without_parameters(house: House) -> None:
    client = house.client("member", house.another("ci"))

    answer = client.get("/api/v0/automations/ci/scan")

    assert answer.status_code == 200
    assert isinstance(answer.json(), dict)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v0/wiki/wiki_nothing", 404),
        ("/api/v0/wiki/wiki_nothing/export", 404),
        ("/api/v0/computers/name/nothing", 404),
        ("/api/organization/maturity-level-reports?limit=0", 400),
    ],
)
def test_a_refusal_elsewhere_is_the_error_body_of_four_members(
    house: House, path: str, status: int
) -> None:
    answer = house.client("member").get(path)
    problem = msgspec.json.decode(answer.content, type=specified.Problem)

    assert (answer.status_code, problem.status) == (status, status)
