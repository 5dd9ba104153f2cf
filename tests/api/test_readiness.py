"""Readiness reports over HTTP: the two published paths, and what reports come to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.ids import OrgId
from stationmaster.repos import addresses
from tests.support.builders import a_key, a_member, a_readiness_report, an_organization
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

OLDER, NEWER = (
    f"/api/organization/{name}" for name in ("maturity-level-reports", "agent-readiness-reports")
)
READINESS = "/api/platform/v1/readiness"
OWN = "0192f0c1-2d3e-7abc-8def-0123456789ab"
NOBODYS = "0192f0c1-2d3e-7abc-8def-000000000000"
SHOP = "https://git.example/acme/shop"


@pytest.fixture
def org(any_server: Server) -> OrgId:
    return an_organization(any_server.services.db)


@pytest.fixture
def member(any_server: Server, org: OrgId) -> Iterator[httpx.Client]:
    db = any_server.services.db
    with any_server.client(a_key(db, org, a_member(db, org))) as client:
        yield client


def upload(client: httpx.Client, **members: Any) -> dict[str, Any]:
    answer = client.post(NEWER, json=a_readiness_report(**members))
    assert answer.status_code == 201, answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def listed(client: httpx.Client, **asked: str) -> list[str]:
    answer = client.get(OLDER, params=asked)
    assert answer.status_code == 200, answer.text
    return [report["reportId"] for report in answer.json()["reports"]]


FULL = {
    "commitHash": "A" * 40,
    "branch": "main",
    "hasLocalChanges": True,
    "hasNonRemoteCommits": False,
    "modelUsed": {"id": "some-model", "reasoningEffort": "xhigh"},
    "agentVersion": "1.2.3",
}


@pytest.mark.parametrize("path", [OLDER, NEWER])
def test_a_report_is_read_back_as_it_was_stored(member: httpx.Client, path: str) -> None:
    answer = member.post(path, json=a_readiness_report(**FULL))

    assert answer.status_code == 201
    stored = answer.json()
    assert stored == {
        **a_readiness_report(**FULL),
        "reportId": stored["reportId"],
        "createdAt": stored["createdAt"],
        "commitHash": "a" * 40,
        "modelUsed": {"id": "some-model", "reasoningEffort": "high"},
        "droidVersion": "1.2.3",
    }
    assert isinstance(stored["createdAt"], int)
    assert member.get(OLDER).json() == member.get(NEWER).json() == {"reports": [stored]}
    assert member.get(f"{READINESS}/reports/{stored['reportId']}").json() == stored


def test_members_that_are_unknown_may_be_null_and_are_left_out(member: httpx.Client) -> None:
    stored = upload(member, **dict.fromkeys(FULL), droidVersion=None, reportId=None)

    assert set(stored) == {"reportId", "createdAt", "repoUrl", "apps", "report"}


def test_either_name_of_the_agents_version_is_understood(member: httpx.Client) -> None:
    stored = upload(member, droidVersion="2.0")

    assert (stored["agentVersion"], stored["droidVersion"]) == ("2.0", "2.0")


def test_the_products_spelling_is_a_setting(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite", vendor_spellings=False)) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["member"]) as client:
            stored = upload(client, droidVersion="2.0")
            [read] = client.get(NEWER).json()["reports"]

    assert "droidVersion" not in stored
    assert read["agentVersion"] == "2.0"


def test_the_same_upload_again_is_200_and_another_one_409(member: httpx.Client) -> None:
    first = member.post(NEWER, json=a_readiness_report(reportId=OWN.upper()))
    same = member.post(OLDER, json=a_readiness_report(reportId=OWN))
    other = member.post(NEWER, json=a_readiness_report(reportId=OWN, branch="main"))

    assert (first.status_code, first.json()["reportId"]) == (201, OWN)
    assert (same.status_code, same.json()) == (200, first.json())
    assert (other.status_code, other.json()["metadata"]["code"]) == (409, "report_exists")


def test_reports_follow_one_another_from_the_newest(member: httpx.Client) -> None:
    made = [upload(member) for _ in range(3)]
    expected = [
        report["reportId"]
        for report in sorted(made, key=lambda r: (r["createdAt"], r["reportId"]), reverse=True)
    ]

    assert listed(member) == expected
    assert listed(member, limit="1") == expected[:1]
    assert listed(member, limit="5", startAfter=expected[0]) == expected[1:]
    assert listed(member, startAfter=expected[2]) == []


def test_reports_of_a_repository_are_found_by_id_and_address(
    member: httpx.Client, org: OrgId
) -> None:
    shop = upload(member, repoUrl="git@git.example:acme/shop.git")
    upload(member, repoUrl="https://git.example/acme/blog")

    assert shop["repoUrl"] == SHOP
    for asked in (addresses.id_of(org, SHOP), SHOP, SHOP + ".git/"):
        assert listed(member, repoId=asked) == [shop["reportId"]]
    for unknown in ("42", "repo_none", "https://git.example/acme/none", "", "\0"):
        assert listed(member, repoId=unknown) == []


@pytest.mark.parametrize(
    "asked",
    [
        *({"limit": limit} for limit in ("0", "-1", "1.5", "many", "")),
        *({"startAfter": report} for report in (NOBODYS, "42", "")),
    ],
)
def test_parameters_that_make_no_sense_are_refused(
    member: httpx.Client, asked: dict[str, str]
) -> None:
    for path in (OLDER, NEWER):
        answer = member.get(path, params=asked)
        assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")


def test_a_list_has_an_end_and_says_so(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite", readiness_reports_max=2)) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["member"]) as client:
            upload(client), upload(client)
            whole = client.get(NEWER)
            upload(client)
            cut = [client.get(NEWER), client.get(NEWER, params={"limit": "9" * 30})]
            asked = client.get(NEWER, params={"limit": "2"})

    assert "x-stationmaster-limit" not in whole.headers
    for answer in cut:
        assert len(answer.json()["reports"]) == 2
        assert answer.headers["x-stationmaster-limit"] == "2"
    assert "x-stationmaster-limit" not in asked.headers


def evaluation(**members: object) -> dict[str, object]:
    return {"report": {"readme": {"numerator": 1, "denominator": 1, "rationale": "x", **members}}}


@pytest.mark.parametrize(
    ("members", "field"),
    [
        (evaluation(numerator=2), "report.readme"),
        (evaluation(numerator=-1), "report.readme.numerator"),
        (evaluation(numerator=float("nan")), "report.readme.numerator"),
        (evaluation(numerator=float("inf")), "report.readme.numerator"),
        (evaluation(numerator="1"), "report.readme.numerator"),
        (evaluation(numerator=True), "report.readme.numerator"),
        (evaluation(denominator=0.5), "report.readme.denominator"),
        (evaluation(denominator=0, numerator=0), "report.readme.denominator"),
        (evaluation(denominator=10**400), "report.readme.denominator"),
        (evaluation(rationale=""), "report.readme.rationale"),
        (evaluation(rationale="x" * 4001), "report.readme.rationale"),
        (evaluation(rationale="a\0b"), "report.readme.rationale"),
        (evaluation(rationale="a\ud800b"), "report.readme.rationale"),
        (evaluation(state="fail"), "report.readme"),
        (evaluation(state="skipped"), "report.readme"),
        (evaluation(numerator=None, state="pass"), "report.readme"),
        (evaluation(state="fine"), "report.readme.state"),
        (evaluation(zeal=1), "report.readme.zeal"),
        ({"report": {}}, "report"),
        ({"report": {"": {}}}, "report..[key]"),
        ({"report": {"a b": evaluation()["report"]}}, "report.a b.[key]"),
        ({"apps": {".": {}}}, "apps...description"),
        ({"apps": {"a\nb": {"description": ""}}}, "apps.a\nb.[key]"),
        ({"apps": None}, "apps"),
        ({"commitHash": "a" * 39}, "commitHash"),
        ({"commitHash": "g" * 40}, "commitHash"),
        ({"branch": ""}, "branch"),
        ({"branch": "x" * 501}, "branch"),
        ({"hasLocalChanges": "yes"}, "hasLocalChanges"),
        ({"modelUsed": {"id": "m"}}, "modelUsed.reasoningEffort"),
        ({"modelUsed": {"id": "m", "reasoningEffort": "heroic"}}, "modelUsed.reasoningEffort"),
        *(
            ({"modelUsed": {"id": "m", "reasoningEffort": word}}, "modelUsed.reasoningEffort")
            for word in (3, {}, [], None)
        ),
        ({"agentVersion": "1", "droidVersion": "2"}, ""),
        ({"reportId": "42"}, "reportId"),
        ({"createdAt": 1}, "createdAt"),
        ({"level": 5}, "level"),
    ],
)
def test_what_is_no_report_is_refused_and_nothing_stored(
    member: httpx.Client, members: dict[str, object], field: str
) -> None:
    body = json.dumps(a_readiness_report(**members))

    answer = member.post(NEWER, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400, answer.text
    assert field in [each["field"] for each in answer.json()["metadata"]["errors"]]
    assert listed(member) == []


@pytest.mark.parametrize("url", ["", "nowhere", "file:///etc/passwd", "https://git.example"])
def test_an_address_that_is_none_is_refused(member: httpx.Client, url: str) -> None:
    answer = member.post(NEWER, json=a_readiness_report(repoUrl=url))

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (
        400,
        "invalid_repository_url",
    )


@pytest.mark.attack
def test_a_report_over_its_limit_is_413(member: httpx.Client) -> None:
    one = {"numerator": 1, "denominator": 1, "rationale": "x" * 4000}

    answer = member.post(NEWER, json=a_readiness_report(report={f"c{n}": one for n in range(70)}))

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (413, "body_too_large")


def test_counts_need_not_be_integers(member: httpx.Client) -> None:
    report = evaluation(numerator=2.5, denominator=3.0)

    stored = upload(member, **report)

    assert stored["report"]["readme"] == {"numerator": 2.5, "denominator": 3, "rationale": "x"}


def test_levels_and_percentages_of_a_report(member: httpx.Client) -> None:
    report = a_readiness_report()["report"]
    report["zeal"] = {"numerator": 1, "denominator": 1, "rationale": "Plenty."}
    stored = upload(member, report=report)

    score = member.get(f"{READINESS}/reports/{stored['reportId']}/level").json()

    assert (score["level"], score["levelName"], score["percentage"]) == (1, "Functional", 50.0)
    assert (score["evaluated"], score["criteria"]) == (2, 93)
    assert score["levels"][0] == {
        "level": 1,
        "name": "Functional",
        "percentage": 50.0,
        "evaluated": 2,
        "criteria": 8,
        "notEvaluated": 0,
    }
    assert score["levels"][1]["percentage"] is None
    assert [each["pillar"] for each in score["pillars"] if each["evaluated"]] == [
        "Style & Validation",
        "Documentation",
    ]
    assert score["unknown"] == ["zeal"]


def test_repositories_stand_with_their_newest_report_and_page_by_id(
    member: httpx.Client, org: OrgId
) -> None:
    urls = sorted(
        (f"https://git.example/acme/{n}" for n in range(3)),
        key=lambda url: addresses.id_of(org, url),
    )
    for url in urls:
        upload(member, repoUrl=url)
    newest = upload(member, repoUrl=urls[0], **evaluation())

    first = member.get(f"{READINESS}/repositories", params={"limit": "2"}).json()
    cursor = first["pagination"]["nextCursor"]
    second = member.get(f"{READINESS}/repositories", params={"cursor": cursor}).json()

    assert first["pagination"] == {"hasMore": True, "nextCursor": addresses.id_of(org, urls[1])}
    assert second["pagination"] == {"hasMore": False, "nextCursor": None}
    found = first["repositories"] + second["repositories"]
    assert [each["repoUrl"] for each in found] == urls
    assert found[0]["score"]["level"] == 2
    assert found[0]["createdAt"] == newest["createdAt"]
    assert found[1]["score"]["level"] == 1


def test_the_organizations_level_is_the_mean_of_its_repositories(member: httpx.Client) -> None:
    empty = member.get(f"{READINESS}/organization").json()
    upload(member, repoUrl=f"{SHOP}/a")
    upload(member, repoUrl=f"{SHOP}/b", **evaluation())

    score = member.get(f"{READINESS}/organization").json()

    assert (empty["level"], empty["levelName"], empty["repositories"]) == (None, None, 0)
    assert (score["level"], score["levelName"], score["repositories"]) == (1, "Functional", 2)
    assert [each["repositories"] for each in score["levels"]] == [1, 1, 0, 0, 0]


def test_who_may_do_what(any_server: Server) -> None:
    cast = Cast(any_server.services.db, "roles")
    with any_server.client(cast.keys["member"]) as client:
        report = upload(client, reportId=OWN)["reportId"]
    statuses = {}
    for who, key in cast.keys.items():
        with any_server.client(key) as client:
            reads = {
                client.get(path).status_code
                for path in (OLDER, NEWER, f"{READINESS}/repositories", f"{READINESS}/organization",
                             f"{READINESS}/reports/{report}", f"{READINESS}/reports/{report}/level")
            }  # fmt: skip
            statuses[who] = (
                reads,
                client.post(NEWER, json=a_readiness_report(reportId=OWN)).status_code,
                client.delete(f"{READINESS}/reports/{NOBODYS}").status_code,
            )

    may, reads_only, none = ({200}, 200, 404), ({200}, 200, 403), ({403}, 403, 403)
    assert statuses == {
        "owner": may,
        "manager": may,
        "svc-mgr": may,
        "member": reads_only,
        "svc": reads_only,
        "guest": none,
        "ingest": none,
        "none": ({401}, 401, 401),
        "revoked": ({401}, 401, 401),
    }


def test_a_report_of_another_organization_is_as_unknown_as_nobodys(
    any_server: Server, org: OrgId, member: httpx.Client
) -> None:
    db = any_server.services.db
    theirs = an_organization(db, "Theirs")
    with any_server.client(a_key(db, theirs, a_member(db, theirs, role="manager"))) as client:
        report = upload(client)["reportId"]
    with any_server.client(
        a_key(db, org, a_member(db, org, "m@example.com", "manager"))
    ) as manager:
        for path in (f"{READINESS}/reports/%s", f"{READINESS}/reports/%s/level"):
            foreign, unknown = (manager.get(path % each) for each in (report, NOBODYS))
            assert foreign.status_code == unknown.status_code == 404
            assert foreign.json() == unknown.json()
        gone = [manager.delete(f"{READINESS}/reports/{each}") for each in (report, NOBODYS)]
        assert {answer.status_code for answer in gone} == {404}
        assert manager.get(NEWER).json() == {"reports": []}

    refused = [member.get(NEWER, params={"startAfter": each}) for each in (report, NOBODYS)]
    assert {answer.status_code for answer in refused} == {400}
    assert refused[0].json() == refused[1].json()


def test_a_deleted_report_is_gone_from_everywhere(
    any_server: Server, org: OrgId, member: httpx.Client
) -> None:
    report = f"{READINESS}/reports/{upload(member)['reportId']}"
    db = any_server.services.db
    with any_server.client(
        a_key(db, org, a_member(db, org, "m@example.com", "manager"))
    ) as manager:
        deleted = manager.delete(report)

    assert (deleted.status_code, deleted.content) == (204, b"")
    assert member.get(report).status_code == 404
    assert listed(member) == []
    assert member.get(f"{READINESS}/repositories").json()["repositories"] == []


def test_a_finished_answer_still_tells_what_is_left_of_the_rate(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite", requests_per_minute=9)) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["member"]) as client:
            answers = [client.get(NEWER), client.post(NEWER, json=a_readiness_report())]

    assert [answer.headers["ratelimit"][:9] for answer in answers] == ['"key";r=8', '"key";r=7']
    assert [answer.headers["content-type"] for answer in answers] == ["application/json"] * 2
