"""Single rules of the reports, each by a small day with the literal outcome."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stationmaster import clock
from stationmaster.aggregate.day import roll_up
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads
from stationmaster.lake.storage import Lake
from tests.aggregate import lakes
from tests.aggregate.lakes import DAY, NOON, bodies, document, event, settings, user_row
from tests.support.builders import a_member, a_service_account, an_organization

ORG = OrgId("org_a")
MINUTE = 60_000
land = partial(lakes.land, is_entered=False)
rolled_up = partial(lakes.rolled_up, is_entered=False)
"""These days are read in place, as large ones are; those of other modules into memory."""


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.mark.both_databases
def test_a_day_without_events_has_zeros_for_everything(db: Database, tmp_path: Path) -> None:
    result = roll_up(db, settings(tmp_path), ORG, DAY)

    reports, users = bodies(db, ORG)
    assert users == {}
    assert len(result.changed) == 7
    assert reports == {
        "tokens": b'{"date":"2026-11-10","billable_tokens":0,"input_tokens":0,"output_tokens":0,'
        b'"cache_read_tokens":0,"cache_write_tokens":0,"by_model":[],"by_user":[]}',
        "tokens_by_model": b"",
        "tools": b'{"date":"2026-11-10","tool_calls":0,"by_tool":[],"mcp_users_with_mcp":0,'
        b'"mcp_by_server":[],"skills_invocations":0,"skills_by_name":[],'
        b'"slash_commands_invocations":0,"slash_commands_by_name":[],"hooks_invocations":0,'
        b'"hooks_by_event":[],"web_users":0,"autonomy_ratio_avg":0.0,"autonomy_ratio_p50":0.0,'
        b'"autonomy_ratio_p90":0.0,"tool_calls_per_session_avg":0.0,'
        b'"user_turns_per_session_avg":0.0,"tool_autonomy_level_ratio":{"auto_high":0.0,'
        b'"auto_medium":0.0,"auto_low":0.0,"manual":0.0}}',
        "tools_by_tool_name": b"",
        "activity": b'{"date":"2026-11-10","daily_active_users":0,"weekly_active_users":0,'
        b'"monthly_active_users":0,"daily_active_users_by_client":{"terminal-ui":0,"web":0,'
        b'"non-interactive-cli":0},"sessions":0,"messages":0,"user_messages":0}',
        "activity_by_client": b"",
        "productivity": b'{"date":"2026-11-10","files_created":0,"files_edited":0,'
        b'"by_extension":[],"by_language":[],"git_commits":0,"git_prs_created":0}',
    }


@pytest.mark.both_databases
def test_a_small_day_reads_as_it_was(db: Database, tmp_path: Path) -> None:
    org = an_organization(db)
    ada = a_member(db, org, "ada@example.com").user_id
    own = {"user_id": ada, "client": "web"}
    tokens = {"input_tokens": 100, "output_tokens": 50, "cache_read_tokens": 1000}
    events = [
        event("user_message", **own),
        event("model_call", model="claude-opus-4-5", model_tier="thinking", **tokens, **own),
        event("model_call", model="claude-haiku-4-5", cache_write_tokens=10, **own),
        event("tool_call", tool_raw="Bash", tool_kind="builtin", autonomy="auto-low", **own),
        event("tool_call", tool_raw="Bash", tool_kind="builtin", decision="reject", **own),
        event("tool_call", tool_raw="x", tool_kind="mcp", mcp_server="GitHub", **own),
        event("skill", skill="review", **own),
        event("slash_command", slash_command="init", **own),
        event("hook", hook_event="Stop", hook_matcher="Bash", hook_command="lint", count=2, **own),
        event("file_change", file_op="created", file_ext="py", language="Python", **own),
        event("file_change", file_op="deleted", file_ext="py", language="Python", **own),
        event("git_commit", success=True, **own),
        event("git_commit", success=False, **own),
        event("git_pull_request", pr_url="https://example.com/1", **own),
    ]

    rolled_up(db, settings(tmp_path), org, events)

    models = [
        ["claude-opus-4-5", "thinking", 500, 100, 50, 1000, 0],
        ["claude-haiku-4-5", "standard", 4, 0, 0, 0, 10],
    ]
    assert [list(row.values()) for row in document(db, org, "tokens")["by_model"]] == models
    assert document(db, org, "tokens")["by_user"] == [
        {
            "user_id": ada,
            "user_email": "ada@example.com",
            "billable_tokens": 504,
            "by_model": document(db, org, "tokens")["by_model"],
        }
    ]
    assert document(db, org, "tokens_by_model")[1] == {
        "date": "2026-11-10",
        "group_key": "claude-haiku-4-5",
        "billable_tokens": 4,
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_read_tokens": 0,
        "cache_write_tokens": 10,
    }
    assert document(db, org, "tools") == {
        "date": "2026-11-10",
        "tool_calls": 2,
        "by_tool": [{"tool": "Bash", "invocations": 1}, {"tool": "x", "invocations": 1}],
        "mcp_users_with_mcp": 1,
        "mcp_by_server": [{"server": "github", "invocations": 1}],
        "skills_invocations": 1,
        "skills_by_name": [{"name": "review", "count": 1}],
        "slash_commands_invocations": 1,
        "slash_commands_by_name": [{"name": "init", "count": 1}],
        "hooks_invocations": 2,
        "hooks_by_event": [{"event": "Stop", "matcher": "Bash", "command": "lint", "count": 2}],
        "web_users": 1,
        "autonomy_ratio_avg": 2.0,
        "autonomy_ratio_p50": 2.0,
        "autonomy_ratio_p90": 2.0,
        "tool_calls_per_session_avg": 2.0,
        "user_turns_per_session_avg": 1.0,
        "tool_autonomy_level_ratio": {
            "auto_high": 0.0,
            "auto_medium": 0.0,
            "auto_low": 1.0,
            "manual": 0.0,
        },
    }
    assert document(db, org, "activity_by_client") == [
        {"date": "2026-11-10", "group_key": "web", "daily_active_users": 1}
    ]
    assert document(db, org, "productivity") == {
        "date": "2026-11-10",
        "files_created": 1,
        "files_edited": 0,
        "by_extension": [{"extension": ".py", "count": 1}],
        "by_language": [{"language": "Python", "count": 1}],
        "git_commits": 1,
        "git_prs_created": 1,
    }
    assert user_row(db, org, ada) == {
        "user_id": ada,
        "user_email": "ada@example.com",
        "date": "2026-11-10",
        "tool_calls": 2,
        "billable_tokens": 504,
        "primary_model": "claude-opus-4-5",
        "primary_model_tier": "thinking",
        "files_created": 1,
        "files_edited": 0,
        "git_commits": 1,
        "git_prs_created": 1,
        "mcp_calls": 1,
        "skill_calls": 1,
        "slash_commands": 1,
        "hooks": 2,
        "sessions": 1,
        "messages": 3,
        "user_messages": 1,
        "assistant_messages": 2,
        "autonomy_ratio": 2.0,
        "delegation_level": "auto-low",
        "languages": ["Python"],
    }


def test_a_tool_call_has_the_mode_its_session_was_in(db: Database, tmp_path: Path) -> None:
    calls = [event("tool_call", ts=NOON + n * MINUTE) for n in range(4)]
    modes = [
        event("mode_change", autonomy="spec", ts=NOON + MINUTE),
        event("mode_change", autonomy="auto-high", ts=NOON + 2 * MINUTE),
    ]

    rolled_up(db, settings(tmp_path), ORG, calls + modes)

    levels = document(db, ORG, "tools")["tool_autonomy_level_ratio"]
    assert levels == {"auto_high": 0.6667, "auto_medium": 0.0, "auto_low": 0.0, "manual": 0.3333}
    assert user_row(db, ORG, "user_ada")["delegation_level"] == "auto-high"


def test_of_sources_that_nothing_matches_only_the_one_that_tells_most_counts(
    db: Database, tmp_path: Path
) -> None:
    files = {"source": "transcript", "source_rank": 2, "success": True}
    events = [
        *(event("tool_call", tool_raw="Read", **files) for _ in range(2)),
        *(event("tool_call", tool_raw="read_file") for _ in range(3)),
        event("tool_call", tool_raw="Read", root_session_id="s2", **files),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert document(db, ORG, "tools")["by_tool"] == [
        {"tool": "read_file", "invocations": 3},
        {"tool": "Read", "invocations": 1},
    ]


def test_a_counter_without_a_session_counts_where_nothing_else_was_seen(
    db: Database, tmp_path: Path
) -> None:
    counter = {"root_session_id": None, "is_aggregate": True, "skill": "review", "count": 5}
    events = [
        event("skill", **counter),
        event("skill", skill="deploy"),
        event("skill", **counter, user_id="user_ben"),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert user_row(db, ORG, "user_ada")["skill_calls"] == 1
    assert user_row(db, ORG, "user_ben")["skill_calls"] == 5


def test_a_helper_session_is_on_the_bill_and_in_no_conversation(
    db: Database, tmp_path: Path
) -> None:
    helper = {"root_session_id": "title"}
    events = [
        event("session_context", is_auxiliary=True, **helper),
        event("user_message", **helper),
        event("model_call", model="gpt-5", input_tokens=10, is_auxiliary=True, **helper),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    activity = document(db, ORG, "activity")
    assert (activity["sessions"], activity["messages"]) == (0, 0)
    assert document(db, ORG, "tokens")["input_tokens"] == 10


def test_a_file_that_was_read_before_is_edited_not_created(db: Database, tmp_path: Path) -> None:
    write = {"file_op": "created", "quality": "estimated", "ts": NOON + MINUTE}
    events = [
        event("tool_call", tool_raw="Read", file_path_hash="known"),
        event("file_change", file_path_hash="known", tool_call_id="w1", **write),
        event("tool_call", tool_raw="Write", file_path_hash="new", tool_call_id="w2"),
        event("file_change", file_path_hash="new", tool_call_id="w2", **write),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    report = document(db, ORG, "productivity")
    assert (report["files_created"], report["files_edited"]) == (1, 1)


def test_a_redacted_name_loses_to_a_real_one(db: Database, tmp_path: Path) -> None:
    same = {"event_id": "ab" * 16, "tool_kind": "mcp"}
    events = [
        event("tool_call", **same, source_rank=1, tool_raw="mcp_tool", quality="redacted_name"),
        event("tool_call", **same, source_rank=3, tool_raw="mcp__gh__list", mcp_server="gh"),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert document(db, ORG, "tools")["by_tool"] == [{"tool": "mcp__gh__list", "invocations": 1}]
    assert document(db, ORG, "tools")["mcp_by_server"] == [{"server": "gh", "invocations": 1}]


def test_what_a_counter_came_to_later_replaces_what_it_came_to_before(
    db: Database, tmp_path: Path
) -> None:
    counter = {"root_session_id": "s1", "is_aggregate": True}
    tools = {"event_id": "ab" * 16, "tool_raw": "read_file", **counter}
    tokens = {"event_id": "cd" * 16, "model": "gpt-5", "output_tokens": 5, **counter}
    events = [
        event("tool_call", **tools, count=2),
        event("tool_call", **tools, count=7),
        event("tool_call", **tools, count=3),
        event("model_call", **tokens, input_tokens=40),
        event("model_call", **tokens, input_tokens=60),
    ]

    rolled_up(db, settings(tmp_path), ORG, events)

    assert document(db, ORG, "tools")["tool_calls"] == 7
    assert document(db, ORG, "tokens")["input_tokens"] == 60


def test_service_accounts_have_rows_and_are_no_active_users(db: Database, tmp_path: Path) -> None:
    org = an_organization(db)
    bot = a_service_account(db, org).service_account_id
    events = [event("user_message"), event("user_message", user_id=bot, root_session_id="s2")]

    rolled_up(db, settings(tmp_path), org, events)

    activity = document(db, org, "activity")
    assert (activity["daily_active_users"], activity["monthly_active_users"]) == (1, 1)
    assert user_row(db, org, bot)["user_messages"] == 1
    counting = settings(tmp_path, service_accounts_are_active_users=True)
    roll_up(db, counting, org, DAY)
    assert document(db, org, "activity")["weekly_active_users"] == 2


@pytest.mark.both_databases
def test_a_session_over_midnight_begins_once(db: Database, tmp_path: Path) -> None:
    config, after = settings(tmp_path), DAY + timedelta(days=1)

    rolled_up(db, config, ORG, [event("user_message")])
    rolled_up(db, config, ORG, [event("user_message", ts=NOON + 86_400_000)], after)

    assert document(db, ORG, "activity", after)["sessions"] == 0
    assert document(db, ORG, "activity", after)["daily_active_users"] == 1
    assert document(db, ORG, "tools", after)["user_turns_per_session_avg"] == 1.0
    assert user_row(db, ORG, "user_ada", after)["sessions"] == 0


@pytest.mark.both_databases
def test_the_same_events_again_change_nothing(db: Database, tmp_path: Path) -> None:
    events = [event("tool_call", tool_raw="Bash"), event("user_message")]
    rolled_up(db, settings(tmp_path), ORG, events)
    before = bodies(db, ORG)

    result = rolled_up(db, settings(tmp_path), ORG, events)

    assert result.changed == ()
    assert bodies(db, ORG) == before
    assert not reads.is_due(db, ORG, DAY, DAY)


def test_models_off_the_rate_card_are_told(db: Database, tmp_path: Path) -> None:
    events = [event("model_call", model="house-2"), event("model_call", model="gpt-5")]

    assert rolled_up(db, settings(tmp_path), ORG, events).unpriced == ("house-2",)


def test_columns_that_an_older_part_lacks_are_empty(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message", language="Python")]])
    [part] = Lake.open(config).parts(ORG, DAY)
    stored = pq.read_table(part.path, partitioning=None)
    pq.write_table(stored.drop_columns(["client", "pr_url"]), part.path)

    roll_up(db, config, ORG, DAY)

    clients = document(db, ORG, "activity")["daily_active_users_by_client"]
    assert clients == {"terminal-ui": 1, "web": 0, "non-interactive-cli": 0}


@pytest.mark.parametrize("day", [date(2026, 11, 21), date(2026, 11, 22)])
def test_a_day_that_is_not_over_is_refused(db: Database, tmp_path: Path, day: date) -> None:
    with pytest.raises(OperatorError) as caught:
        roll_up(db, settings(tmp_path), ORG, day)

    assert caught.value.code == "day_not_over"
