"""Groups and filters by agent, repository, team and user, which the specification does not have."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from tests.spec.conftest import Week
from tests.spec.test_analytics_http import REPORTS, assert_analytics_error, export

DIMENSIONS = ("agent", "repository", "team", "user")


@pytest.mark.parametrize("report", REPORTS[:4])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_groups_are_rows_with_a_group_key_the_largest_first(
    week: Week, report: str, dimension: str
) -> None:
    rows = week.get(report, group_by=dimension).json()["data"]

    assert rows
    assert all(list(row)[:2] == ["date", "group_key"] for row in rows)
    assert [(row["date"], -list(row.values())[2], row["group_key"]) for row in rows] == sorted(
        (row["date"], -list(row.values())[2], row["group_key"]) for row in rows
    )


def test_groups_by_user_name_the_users_of_the_plain_report(week: Week) -> None:
    plain = week.get("tokens").json()["data"]
    groups = week.get("tokens", group_by="user").json()["data"]

    assert [(g["date"], g["group_key"], g["billable_tokens"]) for g in groups] == [
        (day["date"], user["user_id"], user["billable_tokens"])
        for day in plain
        for user in day["by_user"]
    ]


def test_what_names_no_repository_and_no_team_is_unknown(week: Week) -> None:
    for dimension in ("repository", "team"):
        rows = week.get("tools", group_by=dimension).json()["data"]
        assert {row["group_key"] for row in rows} == {"unknown"}
        assert week.get("tools", **{dimension: "unknown"}).content == week.get("tools").content


def test_a_user_is_meant_by_id_and_by_address_in_any_case(week: Week) -> None:
    ada = week.acme.ada.user_id
    by_id = week.get("users", user=ada)

    assert {row["user_id"] for row in by_id.json()["data"]} == {ada}
    assert by_id.content == week.get("users", user="ADA@Example.com").content


@pytest.mark.parametrize("report", REPORTS)
def test_values_of_one_filter_add_up_and_filters_narrow_each_other(week: Week, report: str) -> None:
    path = f"/api/v1/analytics/{report}?startDate=2026-11-16&endDate=2026-11-20"
    agents = [row["group_key"] for row in week.get("tools", group_by="agent").json()["data"]]
    every = "".join(f"&agent={agent}" for agent in sorted(set(agents)))

    assert week.client.get(path + every).content == week.client.get(path).content
    nobody = week.client.get(f"{path}{every}&user=nobody%40example.com").json()["data"]
    assert all(not any(_figures(row)) for row in nobody)


def _figures(row: dict[str, object]) -> list[object]:
    return [value for value in row.values() if isinstance(value, int | float | list)]


@pytest.mark.parametrize("report", REPORTS)
def test_an_unknown_value_matches_nothing(week: Week, report: str) -> None:
    rows = week.get(report, team="no such team").json()["data"]

    assert len(rows) == (0 if report == "users" else 4)
    assert week.get(report, agent="none", group_by="agent").status_code == 200


def test_the_specifications_groups_go_with_filters(week: Week) -> None:
    ada = week.acme.ada.user_id
    models = week.get("tokens", user=ada).json()["data"][0]["by_model"]
    groups = week.get("tokens", user=ada, group_by="model").json()["data"]

    first = [group for group in groups if group["date"] == "2026-11-17"]
    assert [group["group_key"] for group in first] == [model["model_id"] for model in models]


@pytest.mark.parametrize("text", ["", "x" * 255, "a\nb"], ids=["empty", "long", "two lines"])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_value_that_is_no_name_is_refused(week: Week, dimension: str, text: str) -> None:
    answer = week.get("tools", **{dimension: text})

    assert answer.status_code == 400
    assert_analytics_error(answer, f"invalid_{dimension}")


def test_more_than_a_hundred_values_are_refused(week: Week) -> None:
    path = "/api/v1/analytics/tokens?startDate=2026-11-16&endDate=2026-11-20"
    answer = week.client.get(path + "&team=x" * 101)

    assert answer.status_code == 400
    assert_analytics_error(answer, "too_many_values")


def test_groups_come_in_every_form_with_an_entity_tag_and_a_revision(week: Week) -> None:
    asked = {"group_by": "agent", "user": "ada@example.com"}
    rows = week.get("productivity", **asked).json()["data"]
    table = export(week, "productivity", "text/csv", **asked)
    lines = export(week, "productivity", "application/x-ndjson", **asked)
    columns = export(week, "productivity", "application/vnd.apache.parquet", **asked)

    assert [row["group_key"] for row in csv.DictReader(io.StringIO(table.text))] == [
        row["group_key"] for row in rows
    ]
    assert [json.loads(line) for line in lines.text.splitlines()] == rows
    assert pq.read_table(io.BytesIO(columns.content)).num_rows == len(rows)
    assert 'filename="productivity_by_agent_' in table.headers["content-disposition"]
    again = week.client.get(table.request.url, headers={"If-None-Match": table.headers["etag"]})
    assert again.status_code == 200  # Of another form, so of another tag.
    first = week.get("productivity", **asked)
    again = week.client.get(first.request.url, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = week.get("productivity").headers["x-stationmaster-revision"]
    assert first.headers["x-stationmaster-revision"] == plain


def test_pages_of_filtered_users_have_tags_of_their_own(week: Week) -> None:
    agent = week.get("tools", group_by="agent").json()["data"][0]["group_key"]
    first = week.get("users", agent=agent, limit="1")
    cursor = first.json()["meta"]["next_cursor"]
    second = week.get("users", agent=agent, limit="1", cursor=cursor)

    assert first.headers["etag"] != second.headers["etag"]
    assert second.json()["data"][0]["user_id"] > cursor
