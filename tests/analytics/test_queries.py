"""Parameters of the five reports: what is refused, and in which words."""

from __future__ import annotations

from datetime import date

import pytest

from stationmaster.analytics import queries
from stationmaster.analytics.model import DayRange, Question
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.report_names import DIMENSIONS, Dimension, Report

TODAY = date(2026, 11, 21)
ORG = OrgId("org_a")
GOOD = {"startDate": "2026-11-01", "endDate": "2026-11-20"}


def ask(report: Report = "tokens", **given: str) -> Question:
    return queries.parse(ORG, report, given, today=TODAY, days_max=366)


def refusal(report: Report = "tokens", **given: str) -> tuple[str, str, list[dict[str, str]]]:
    with pytest.raises(BadRequest) as refused:
        ask(report, **given)
    fault = refused.value
    return fault.code, fault.detail, fault.metadata["errors"]


def test_a_plain_question_has_its_range_and_nothing_else() -> None:
    assert ask(**GOOD) == Question(ORG, "tokens", DayRange(date(2026, 11, 1), date(2026, 11, 20)))


def test_yesterday_alone_may_be_asked_for() -> None:
    asked = ask(startDate="2026-11-20", endDate="2026-11-20")

    assert asked.range.days == 1


def test_no_parameters_name_both_dates_as_missing() -> None:
    assert refusal() == (
        "missing_date",
        "startDate is required, as YYYY-MM-DD. endDate is required, as YYYY-MM-DD.",
        [
            {"field": "startDate", "reason": "startDate is required, as YYYY-MM-DD."},
            {"field": "endDate", "reason": "endDate is required, as YYYY-MM-DD."},
        ],
    )


@pytest.mark.parametrize(
    "text",
    ["", "2026-1-1", "20261101", "2026-11-31", "2025-02-29", "2026-11-01T00:00:00Z", "gestern",
     " 2026-11-01", "２０２６-11-01", "2026-11-01\n", "-026-11-01", "0000-01-01"],
)  # fmt: skip
def test_a_text_that_is_no_calendar_date_is_refused(text: str) -> None:
    code, detail, _ = refusal(startDate=text, endDate="2026-11-20")

    assert code == "invalid_date"
    assert detail == "startDate must be a calendar date of the form YYYY-MM-DD."


@pytest.mark.parametrize("day", ["2026-11-21", "2026-11-22", "9999-12-31"])
def test_today_and_later_are_refused_because_analytics_lag(day: str) -> None:
    code, detail, _ = refusal(startDate="2026-11-01", endDate=day)

    assert code == "date_not_available"
    assert detail == (
        f"endDate {day} is not available: analytics lag by one day, "
        "data is available through yesterday, 2026-11-20 (UTC)."
    )


def test_a_start_after_the_end_is_refused() -> None:
    code, detail, _ = refusal(startDate="2026-11-20", endDate="2026-11-19")

    assert code == "invalid_range"
    assert detail == "startDate 2026-11-20 is after endDate 2026-11-19."


def test_the_longest_range_is_answered_and_one_day_more_is_refused() -> None:
    assert ask(startDate="2025-11-20", endDate="2026-11-20").range.days == 366

    code, detail, _ = refusal(startDate="2025-11-19", endDate="2026-11-20")
    assert code == "range_too_long"
    assert detail == "A range may have at most 366 days; 2025-11-19 to 2026-11-20 is longer."


@pytest.mark.parametrize(
    ("report", "value"), [("tokens", "model"), ("tools", "tool_name"), ("activity", "client")]
)
def test_each_grouping_names_its_rows(report: Report, value: str) -> None:
    assert ask(report, **GOOD, group_by=value).name == f"{report}_by_{value}"


@pytest.mark.parametrize("value", ["day", "", "Model", "model,tool"])
def test_an_unknown_grouping_is_refused(value: str) -> None:
    code, detail, _ = refusal(**GOOD, group_by=value)

    assert (code, detail) == (
        "invalid_group_by",
        "group_by must be model, agent, repository, team or user.",
    )


@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity"])
@pytest.mark.parametrize("value", DIMENSIONS)
def test_all_reports_but_users_are_grouped_by_what_slices_differ_in(
    report: Report, value: str
) -> None:
    assert ask(report, **GOOD, group_by=value).name == f"{report}_by_{value}"
    assert ask("users", **GOOD, group_by=value).group_by is None


def test_values_of_a_filter_are_spelled_as_events_spell_them() -> None:
    wanted: dict[Dimension, list[str]] = {
        "agent": ["Codex"],
        "repository": ["git@GitHub.com:Acme/App.git", "https://github.com/acme/app", "unknown"],
        "team": ["Core"],
        "user": ["Ada@Example.com", "user_X"],
    }
    asked = queries.parse(ORG, "tokens", GOOD, wanted, today=TODAY, days_max=366)

    assert asked.only == (
        ("agent", ("codex",)),
        ("repository", ("github.com/acme/app", "unknown")),
        ("team", ("Core",)),
        ("user", ("ada@example.com", "user_X")),
    )


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ([""], "invalid_team"),
        (["x" * 255], "invalid_team"),
        (["a\nb"], "invalid_team"),
        (["x"] * 101, "too_many_values"),
    ],
)
def test_a_filter_that_is_no_name_or_has_too_many_is_refused(texts: list[str], code: str) -> None:
    with pytest.raises(BadRequest) as refused:
        queries.parse(ORG, "tokens", GOOD, {"team": texts}, today=TODAY, days_max=366)

    assert refused.value.code == code
    assert refused.value.metadata["errors"][0]["field"] == "team"


@pytest.mark.parametrize("report", ["productivity", "users"])
def test_reports_without_groupings_ignore_the_parameter(report: Report) -> None:
    assert ask(report, **GOOD, group_by="nonsense").group_by is None


@pytest.mark.parametrize("text", ["1", "20", "100", "007"])
def test_a_limit_from_1_to_100_is_taken(text: str) -> None:
    assert ask("users", **GOOD, limit=text).limit == int(text)


@pytest.mark.parametrize("text", ["0", "101", "-1", "1.5", "ten", "", "1e1", "٣", " 5", "9" * 30])
def test_any_other_limit_is_refused(text: str) -> None:
    code, detail, _ = refusal("users", **GOOD, limit=text)

    assert (code, detail) == ("invalid_limit", "limit must be a whole number from 1 to 100.")


def test_limit_and_cursor_mean_users_only() -> None:
    asked = ask("tools", **GOOD, limit="0", cursor="x" * 500)

    assert (asked.limit, asked.cursor) == (20, "")


@pytest.mark.parametrize("text", ["user_a", "' OR 1=1 --", "é" * 128, ""])
def test_any_cursor_of_up_to_128_characters_is_a_position(text: str) -> None:
    assert ask("users", **GOOD, cursor=text).cursor == text


def test_a_cursor_of_129_characters_is_refused() -> None:
    code, detail, _ = refusal("users", **GOOD, cursor="x" * 129)

    assert (code, detail) == ("invalid_cursor", "cursor must be at most 128 characters long.")


def test_a_cursor_ends_at_nul_which_no_user_id_holds() -> None:
    assert ask("users", **GOOD, cursor="user_b\0zzz").cursor == "user_b"


def test_all_faults_are_named_at_once() -> None:
    code, _, faults = refusal("users", startDate="x", limit="0", cursor="x" * 129)

    assert code == "invalid_date"
    assert [fault["field"] for fault in faults] == ["startDate", "endDate", "limit", "cursor"]


def test_unknown_parameters_are_ignored() -> None:
    assert ask(**GOOD, timezone="Europe/Berlin") == ask(**GOOD)
