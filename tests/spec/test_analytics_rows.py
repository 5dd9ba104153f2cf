"""Every field of every row of the five reports, from events that were sent over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stationmaster.lake.rollups.rows import ROWS
from tests.spec.conftest import Week
from tests.spec.day import HAIKU, SONNET

NO_TOKENS = {
    "billable_tokens": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
}


def usage(model: str, tier: str, *figures: int) -> dict[str, Any]:
    return {"model_id": model, "model_tier": tier} | dict(zip(NO_TOKENS, figures, strict=True))


def by_day(week: Week, report: str) -> dict[str, Any]:
    return {row["date"]: row for row in week.get(report).json()["data"]}


def test_tokens_of_a_day_have_totals_models_and_users(week: Week) -> None:
    ada = usage(SONNET, "thinking", 1550, 1007, 205, 500, 30)

    assert by_day(week, "tokens")["2026-11-17"] == {
        "date": "2026-11-17",
        "billable_tokens": 1722,
        "input_tokens": 1407,
        "output_tokens": 235,
        "cache_read_tokens": 500,
        "cache_write_tokens": 30,
        "by_model": [ada, usage(HAIKU, "standard", 172, 400, 30, 0, 0)],
        "by_user": [
            {
                "user_id": week.acme.ada.user_id,
                "user_email": "ada@example.com",
                "billable_tokens": 1550,
                "by_model": [ada],
            },
            {
                "user_id": week.acme.bob_id,
                "user_email": "bob@example.com",
                "billable_tokens": 128,
                "by_model": [usage(HAIKU, "standard", 128, 300, 20, 0, 0)],
            },
            {
                "user_id": week.acme.nightly.service_account_id,
                "user_email": None,
                "billable_tokens": 44,
                "by_model": [usage(HAIKU, "standard", 44, 100, 10, 0, 0)],
            },
        ],
    }


def test_tokens_by_model_have_one_row_per_day_and_model_largest_first(week: Week) -> None:
    assert week.get("tokens", group_by="model").json()["data"] == [
        {
            "date": "2026-11-17",
            "group_key": SONNET,
            "billable_tokens": 1550,
            "input_tokens": 1007,
            "output_tokens": 205,
            "cache_read_tokens": 500,
            "cache_write_tokens": 30,
        },
        {
            "date": "2026-11-17",
            "group_key": HAIKU,
            "billable_tokens": 172,
            "input_tokens": 400,
            "output_tokens": 30,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
        },
        {
            "date": "2026-11-19",
            "group_key": SONNET,
            "billable_tokens": 12,
            "input_tokens": 10,
            "output_tokens": 0,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
        },
    ]


def test_tools_of_a_day_have_every_count_and_ratio(week: Week) -> None:
    assert by_day(week, "tools")["2026-11-17"] == {
        "date": "2026-11-17",
        "tool_calls": 8,
        "by_tool": [
            {"tool": "Read", "invocations": 4},
            {"tool": "Bash", "invocations": 1},
            {"tool": "Edit", "invocations": 1},
            {"tool": "Write", "invocations": 1},
            {"tool": "mcp__tracker__find", "invocations": 1},
        ],
        "mcp_users_with_mcp": 1,
        "mcp_by_server": [{"server": "tracker", "invocations": 1}],
        "skills_invocations": 1,
        "skills_by_name": [{"name": "release-notes", "count": 1}],
        "slash_commands_invocations": 2,
        "slash_commands_by_name": [{"name": "/review", "count": 2}],
        "hooks_invocations": 2,
        "hooks_by_event": [
            {"event": "PreToolUse", "matcher": "Bash", "command": "lint", "count": 1},
            {"event": "Stop", "matcher": "", "command": "notify", "count": 1},
        ],
        "web_users": 1,
        "autonomy_ratio_avg": 1.6667,
        "autonomy_ratio_p50": 1.0,
        "autonomy_ratio_p90": 2.6,
        "tool_calls_per_session_avg": 2.6667,
        "user_turns_per_session_avg": 1.3333,
        "tool_autonomy_level_ratio": {
            "auto_high": 0.75,
            "auto_medium": 0.0,
            "auto_low": 0.0,
            "manual": 0.25,
        },
    }


def test_tools_by_name_are_largest_first_then_by_name(week: Week) -> None:
    rows = week.get("tools", group_by="tool_name").json()["data"]

    assert rows == [
        {"date": "2026-11-17", "group_key": name, "tool_calls": calls}
        for name, calls in (
            ("Read", 4),
            ("Bash", 1),
            ("Edit", 1),
            ("Write", 1),
            ("mcp__tracker__find", 1),
        )
    ]


def test_activity_counts_people_once_and_programs_never(week: Week) -> None:
    assert by_day(week, "activity")["2026-11-17"] == {
        "date": "2026-11-17",
        "daily_active_users": 2,
        "weekly_active_users": 2,
        "monthly_active_users": 2,
        "daily_active_users_by_client": {"terminal-ui": 1, "web": 1, "non-interactive-cli": 0},
        "sessions": 3,
        "messages": 8,
        "user_messages": 4,
    }


def test_a_session_that_goes_on_is_not_started_again(week: Week) -> None:
    assert by_day(week, "activity")["2026-11-19"] == {
        "date": "2026-11-19",
        "daily_active_users": 1,
        "weekly_active_users": 2,
        "monthly_active_users": 2,
        "daily_active_users_by_client": {"terminal-ui": 1, "web": 0, "non-interactive-cli": 0},
        "sessions": 0,
        "messages": 2,
        "user_messages": 1,
    }


def test_activity_by_client_has_one_row_per_client_that_was_used(week: Week) -> None:
    assert week.get("activity", group_by="client").json()["data"] == [
        {"date": "2026-11-17", "group_key": "terminal-ui", "daily_active_users": 1},
        {"date": "2026-11-17", "group_key": "web", "daily_active_users": 1},
        {"date": "2026-11-19", "group_key": "terminal-ui", "daily_active_users": 1},
    ]


def test_productivity_counts_files_and_git(week: Week) -> None:
    assert by_day(week, "productivity")["2026-11-17"] == {
        "date": "2026-11-17",
        "files_created": 1,
        "files_edited": 2,
        "by_extension": [{"extension": ".ts", "count": 2}, {"extension": ".py", "count": 1}],
        "by_language": [{"language": "TypeScript", "count": 2}, {"language": "Python", "count": 1}],
        "git_commits": 1,
        "git_prs_created": 1,
    }


def test_a_user_row_has_every_field(week: Week) -> None:
    rows = [r for r in week.get("users").json()["data"] if r["user_email"] == "ada@example.com"]

    assert rows[0] == {
        "user_id": week.acme.ada.user_id,
        "user_email": "ada@example.com",
        "date": "2026-11-17",
        "tool_calls": 6,
        "billable_tokens": 1550,
        "primary_model": SONNET,
        "primary_model_tier": "thinking",
        "files_created": 1,
        "files_edited": 2,
        "git_commits": 1,
        "git_prs_created": 1,
        "mcp_calls": 1,
        "skill_calls": 1,
        "slash_commands": 2,
        "hooks": 2,
        "sessions": 1,
        "messages": 4,
        "user_messages": 2,
        "assistant_messages": 2,
        "autonomy_ratio": 3.0,
        "delegation_level": "auto-high",
        "languages": ["Python", "TypeScript"],
    }
    assert [row["date"] for row in rows] == ["2026-11-17", "2026-11-19"]


def test_spec_mode_is_a_delegation_level_of_its_own(week: Week) -> None:
    [bob] = [r for r in week.get("users").json()["data"] if r["user_id"] == week.acme.bob_id]

    assert (bob["delegation_level"], bob["user_email"]) == ("spec", "bob@example.com")


@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity"])
def test_days_go_from_the_first_stored_to_the_end_with_zero_days_between(
    week: Week, report: str
) -> None:
    assert list(by_day(week, report)) == ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"]


def test_a_day_without_activity_is_all_zeros(week: Week) -> None:
    assert by_day(week, "tokens")["2026-11-18"] == {
        "date": "2026-11-18",
        **NO_TOKENS,
        "by_model": [],
        "by_user": [],
    }
    assert by_day(week, "activity")["2026-11-18"] == {
        "date": "2026-11-18",
        "daily_active_users": 0,
        "weekly_active_users": 2,
        "monthly_active_users": 2,
        "daily_active_users_by_client": {"terminal-ui": 0, "web": 0, "non-interactive-cli": 0},
        "sessions": 0,
        "messages": 0,
        "user_messages": 0,
    }
    tools = by_day(week, "tools")["2026-11-18"]
    assert {key: value for key, value in tools.items() if value} == {
        "date": "2026-11-18",
        "tool_autonomy_level_ratio": {
            "auto_high": 0.0,
            "auto_medium": 0.0,
            "auto_low": 0.0,
            "manual": 0.0,
        },
    }


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_have_exactly_the_described_members_in_the_specified_order(
    week: Week, name: str
) -> None:
    report, _, grouping = name.partition("_by_")
    answer = week.get(report, **({"group_by": grouping} if grouping else {}))
    rows = msgspec.json.decode(answer.content)["data"]
    described = [f.encode_name for f in msgspec.structs.fields(ROWS[name])]

    assert rows
    assert all(list(row) == described for row in rows)
    assert msgspec.convert(rows, list[ROWS[name]])  # type: ignore[valid-type]  # a type that is looked up
