"""The envelope, paging, refusals, entity tags and forms of the five reports."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from stationmaster.access import reads, service
from tests.spec.conftest import Week
from tests.support.builders import a_key, a_member, a_service_account

REPORTS = ("tokens", "tools", "activity", "productivity", "users")


@pytest.mark.parametrize("report", REPORTS[:4])
def test_the_envelope_echoes_organization_and_range(week: Week, report: str) -> None:
    answer = week.get(report)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json()) == ["data", "meta"]
    assert answer.json()["meta"] == {
        "org_id": week.acme.org,
        "start_date": "2026-11-16",
        "end_date": "2026-11-20",
    }


def test_users_are_paged_by_user_and_never_split(week: Week) -> None:
    everyone = week.get("users").json()
    users = sorted({row["user_id"] for row in everyone["data"]})
    seen: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for number in range(3):
        page = week.get("users", limit="1", **cursor).json()
        assert {row["user_id"] for row in page["data"]} == {users[number]}
        assert page["meta"]["has_more"] is (number < 2)
        assert page["meta"]["next_cursor"] == (users[number] if number < 2 else None)
        seen += page["data"]
        cursor = {"cursor": page["meta"]["next_cursor"] or ""}

    assert seen == everyone["data"]
    assert everyone["meta"] == {
        "org_id": week.acme.org,
        "start_date": "2026-11-16",
        "end_date": "2026-11-20",
        "has_more": False,
        "next_cursor": None,
    }
    assert [(r["user_id"], r["date"]) for r in seen] == sorted(
        (r["user_id"], r["date"]) for r in seen
    )


def test_a_cursor_past_the_last_user_is_an_empty_page(week: Week) -> None:
    page = week.get("users", cursor="zzz").json()

    assert (page["data"], page["meta"]["has_more"], page["meta"]["next_cursor"]) == (
        [],
        False,
        None,
    )


@pytest.mark.parametrize(
    "cursor", ["'; DROP TABLE members; --", "\x00", "%", "💥" * 3, "a\nb"], ids=ascii
)
def test_any_cursor_is_a_position_and_never_an_error(week: Week, cursor: str) -> None:
    assert week.get("users", cursor=cursor).status_code == 200


@pytest.mark.parametrize("report", REPORTS)
def test_a_range_before_the_first_stored_day_has_no_rows(week: Week, report: str) -> None:
    answer = week.get(report, startDate="2026-01-01", endDate="2026-11-16")

    assert (answer.status_code, answer.json()["data"]) == (200, [])


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"startDate": "2026-11-1"}, "invalid_date"),
        ({"startDate": "2026-02-30"}, "invalid_date"),
        ({"endDate": "2026-11-21"}, "date_not_available"),
        ({"endDate": "2026-12-01"}, "date_not_available"),
        ({"startDate": "2026-11-20", "endDate": "2026-11-19"}, "invalid_range"),
        ({"startDate": "2025-11-19"}, "range_too_long"),
    ],
)
def test_a_refused_range_has_the_analytics_error_body(
    week: Week, report: str, params: dict[str, str], code: str
) -> None:
    answer = week.get(report, **params)

    assert answer.status_code == 400
    assert_analytics_error(answer, code)
    assert [set(e) for e in answer.json()["metadata"]["errors"]] == [{"field", "reason"}]


@pytest.mark.parametrize("report", REPORTS)
def test_missing_dates_are_refused(week: Week, report: str) -> None:
    answer = week.client.get(f"/api/v1/analytics/{report}")

    assert answer.status_code == 400
    assert_analytics_error(answer, "missing_date")


@pytest.mark.parametrize("limit", ["0", "101", "ten", "", "1.5", "-3"])
def test_a_limit_out_of_range_is_refused(week: Week, limit: str) -> None:
    answer = week.get("users", limit=limit)

    assert answer.status_code == 400
    assert_analytics_error(answer, "invalid_limit")


def test_a_cursor_of_129_characters_is_refused(week: Week) -> None:
    answer = week.get("users", cursor="x" * 129)

    assert answer.status_code == 400
    assert_analytics_error(answer, "invalid_cursor")


@pytest.mark.parametrize("report", REPORTS[:3])
def test_an_unknown_grouping_is_refused(week: Week, report: str) -> None:
    answer = week.get(report, group_by="day")

    assert answer.status_code == 400
    assert_analytics_error(answer, "invalid_group_by")


@pytest.mark.parametrize("report", ["productivity", "users"])
def test_grouping_and_unknown_parameters_are_ignored_elsewhere(week: Week, report: str) -> None:
    assert week.get(report, group_by="day", timezone="CET").content == week.get(report).content


def test_of_a_repeated_parameter_the_last_counts(week: Week) -> None:
    answer = week.client.get(
        "/api/v1/analytics/tokens?startDate=never&startDate=2026-11-17&endDate=2026-11-17"
    )

    assert answer.json()["meta"]["start_date"] == "2026-11-17"


@pytest.mark.parametrize("report", REPORTS)
def test_without_a_credential_the_answer_is_401(week: Week, report: str) -> None:
    with week.server.client() as client:
        answer = client.get(f"/api/v1/analytics/{report}")

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="stationmaster"'
    assert_analytics_error(answer, "missing_credential")


@pytest.mark.parametrize(
    "value", ["Bearer", "Bearer x", "Basic YTpi", "bearer  sm_" + "a" * 49, "sm_x", "Bearer é"]
)
def test_an_invalid_credential_is_401_invalid_token(week: Week, value: str) -> None:
    with week.server.client() as client:
        answer = client.get(
            "/api/v1/analytics/tokens", headers={"Authorization": value.encode("latin-1")}
        )

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].endswith('error="invalid_token"')
    assert_analytics_error(answer, "invalid_token")


def test_owners_managers_and_granted_programs_may_read_and_others_not(week: Week) -> None:
    db, org = week.server.services.db, week.acme.org
    keys = {
        role: a_key(db, org, a_member(db, org, f"{role}@example.com", role))  # type: ignore[arg-type]  # one of the roles
        for role in ("manager", "member", "guest")
    }
    granted = a_service_account(db, org, "dashboards", "manager")
    keys["granted program"] = a_key(db, org, granted)
    keys["program"] = week.acme.nightly_key
    keys["ingest only"] = a_key(db, org, week.acme.ada, "ingest")

    found = {}
    for name, key in keys.items():
        with week.server.client(key) as client:
            answer = client.get("/api/v1/analytics/users?startDate=2026-11-17&endDate=2026-11-17")
            found[name] = answer.status_code
            if answer.status_code == 403:
                assert_analytics_error(
                    answer, "insufficient_scope" if "ingest" in name else "insufficient_role"
                )
    for role in ("manager", "member", "guest"):
        user = next(m for m in reads.list_members(db, org) if m.email == f"{role}@example.com")
        service.remove_member(db, org, user.user_id)

    assert found == {
        "manager": 200,
        "member": 403,
        "guest": 403,
        "granted program": 200,
        "program": 403,
        "ingest only": 403,
    }


@pytest.mark.parametrize("report", REPORTS)
def test_an_entity_tag_is_answered_with_304_and_no_body(week: Week, report: str) -> None:
    first = week.get(report)
    tag = first.headers["etag"]
    url, headers = first.request.url, {"If-None-Match": f'"other", W/{tag}'}

    again = week.client.get(url, headers=headers)

    assert re.fullmatch('"[0-9a-f]{32}"', tag)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert "content-type" not in again.headers
    assert week.client.get(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_entity_tags_differ_by_range_grouping_page_and_form(week: Week) -> None:
    tags = [
        week.get("tokens").headers["etag"],
        week.get("tokens", startDate="2026-11-15").headers["etag"],
        week.get("tokens", group_by="model").headers["etag"],
        week.get("tools").headers["etag"],
        week.get("users").headers["etag"],
        week.get("users", limit="1").headers["etag"],
        export(week, "tokens", "text/csv").headers["etag"],
        export(week, "tokens", "application/x-ndjson").headers["etag"],
    ]

    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("report", REPORTS)
def test_head_has_the_headers_of_get_and_no_body(week: Week, report: str) -> None:
    get = week.get(report)
    head = week.client.head(get.request.url)

    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "x-stationmaster-revision"):
        assert head.headers[name] == get.headers[name]


def test_csv_has_the_same_figures_one_in_each_cell(week: Week) -> None:
    answer = export(week, "productivity", "text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))

    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["content-disposition"] == (
        'attachment; filename="productivity_2026-11-16_2026-11-20.csv"'
    )
    assert list(rows[0]) == ["date", "measure", "name", "value"]
    of_tuesday = [tuple(row.values())[1:] for row in rows if row["date"] == "2026-11-17"]
    assert of_tuesday == [
        ("files_created", "", "1"),
        ("files_edited", "", "2"),
        ("by_extension", ".ts", "2"),
        ("by_extension", ".py", "1"),
        ("by_language", "TypeScript", "2"),
        ("by_language", "Python", "1"),
        ("git_commits", "", "1"),
        ("git_prs_created", "", "1"),
    ]


def test_csv_of_tokens_has_a_row_for_each_person_and_model_that_adds_up(week: Week) -> None:
    rows = list(csv.DictReader(io.StringIO(export(week, "tokens", "text/csv").text)))

    for day in week.get("tokens").json()["data"]:
        of_day = [row for row in rows if row["date"] == day["date"]]
        for counter in ("billable_tokens", "input_tokens", "cache_write_tokens"):
            assert sum(int(row[counter]) for row in of_day) == day[counter]
        told = [(row["user_email"], row["model_id"]) for row in of_day if row["user_id"]]
        assert told == [
            (user["user_email"] or "", model["model_id"])
            for user in day["by_user"]
            for model in user["by_model"]
        ]


@pytest.mark.parametrize("report", REPORTS)
def test_no_cell_of_csv_holds_json(week: Week, report: str) -> None:
    rows = csv.reader(io.StringIO(export(week, report, "text/csv").text))

    assert [cell for row in rows for cell in row if cell[:1] in ("[", "{")] == []


@pytest.mark.parametrize("report", REPORTS)
def test_ndjson_and_parquet_have_the_same_rows(week: Week, report: str) -> None:
    rows = week.get(report).json()["data"]
    lines = export(week, report, "application/x-ndjson").text.splitlines()
    table = pq.read_table(
        io.BytesIO(export(week, report, "application/vnd.apache.parquet").content)
    )

    assert [json.loads(line) for line in lines] == rows
    assert [r | {"date": r["date"].isoformat()} for r in table.to_pylist()] == rows


def test_a_page_of_users_in_another_form_names_the_next_cursor(week: Week) -> None:
    answer = export(week, "users", "text/csv", limit="1")

    expected = week.get("users", limit="1").json()["meta"]["next_cursor"]
    assert answer.headers["x-stationmaster-next-cursor"] == expected


def test_every_answer_carries_a_request_id_of_its_own(week: Week) -> None:
    seen = {week.get(report).headers["x-request-id"] for report in REPORTS}

    assert len(seen) == 5
    assert all(re.fullmatch("req_[a-z2-7]{16}", each) for each in seen)


def export(week: Week, report: str, media: str, **params: str) -> httpx.Response:
    asked = {"startDate": "2026-11-16", "endDate": "2026-11-20"} | params
    answer = week.client.get(f"/api/v1/analytics/{report}", params=asked, headers={"Accept": media})
    assert answer.status_code == 200
    return answer


def assert_analytics_error(answer: httpx.Response, code: str) -> None:
    body = answer.json()
    assert answer.headers["content-type"] == "application/json"
    assert list(body) == ["detail", "status", "title", "requestId", "metadata"]
    assert body["status"] == answer.status_code
    assert (
        body["title"]
        == {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden"}[answer.status_code]
    )
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["metadata"]["code"] == code
    assert body["detail"]
