"""The stored rows of sessions: what they say, and how they follow late data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from stationmaster import clock, ids
from stationmaster.db.engine import Database
from stationmaster.db.tables.sessions import agent_session_models, agent_sessions
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.sessions import ModelPart, SessionDay, ToolPart
from tests.aggregate.lakes import DAY, NOON, event, land, rolled_up, settings

ORG = OrgId("org_a")
MINUTE, HOUR = 60_000, 3_600_000
SONNET = "claude-sonnet-4-5"


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def at(minute: int, kind: str, **fields: Any) -> Event:
    return event(kind, ts=NOON + minute * MINUTE, **fields)


def stored(db: Database, day: date = DAY) -> list[SessionDay]:
    columns = [agent_sessions.c[name] for name in SessionDay._fields]
    with db.reading() as connection:
        of_day = (agent_sessions.c.org_id == ORG, agent_sessions.c.day == day.isoformat())
        rows = connection.execute(select(*columns).where(*of_day).order_by("agent_session_id"))
        return [SessionDay._make(row) for row in rows]


def models_of(db: Database) -> list[tuple[str, str, int]]:
    columns = agent_session_models.c
    with db.reading() as connection:
        found = connection.execute(select(columns.model, columns.session_id, columns.ended_at))
        return sorted(tuple(row) for row in found)


def counted(db: Database, folder: Path, events: Sequence[Event]) -> list[SessionDay]:
    rolled_up(db, settings(folder), ORG, events)
    return stored(db)


def test_a_session_is_one_row_with_its_time_place_and_figures(db: Database, tmp_path: Path) -> None:
    call = {"model": SONNET, "input_tokens": 100_000, "output_tokens": 10}
    place = {"repo": "github.com/acme/shop", "team": "web", "branch": "main"}
    [row] = counted(
        db,
        tmp_path,
        [
            at(-5, "session_start"),
            at(0, "user_message", user_email="Ada@Example.com", **place),
            at(1, "model_call", **call),
            at(2, "tool_call", tool_raw="Bash", success=False),
            at(3, "tool_call", tool_raw="Bash", success=True),
            at(4, "tool_call", tool_raw="Edit", decision="reject"),
            at(5, "file_change", file_op="edited", lines_added=7, lines_removed=2),
            at(6, "model_error", error_class="overloaded"),
            at(7, "git_commit", branch="fix", installation="i1"),
            at(8, "git_pull_request", pr_url="https://example.com/1"),
            at(9, "git_pull_request", pr_url="https://example.com/1"),
        ],
    )

    assert row.session_id == ids.session_of(ORG, "claude-code", "s1")
    assert (row.agent_session_id, row.agent, row.client) == ("s1", "claude-code", "terminal-ui")
    assert (row.user_id, row.user_email) == ("user_ada", "ada@example.com")
    assert (row.repository, row.team, row.branch) == ("github.com/acme/shop", "web", "fix")
    assert (row.machine, row.sources) == (ids.machine_of(ORG, "i1"), "otlp_logs")
    assert (row.started_at, row.ended_at) == (NOON, NOON + 9 * MINUTE)
    assert (row.user_messages, row.model_calls, row.model_errors) == (1, 1, 1)
    assert (row.tool_calls, row.failed_tool_calls, row.refused_tool_calls) == (2, 1, 1)
    assert (row.files_changed, row.lines_added, row.lines_removed) == (1, 7, 2)
    assert (row.git_commits, row.git_prs_created) == (1, 1)
    assert (row.input_tokens, row.output_tokens, row.unpriced_calls) == (100_000, 10, 0)
    [part] = row.model_parts()
    assert part == ModelPart(SONNET, 1, 0, row.billable_tokens, 100_000, 10, 0, 0, 300150000000)
    assert row.amount == "300150000000"
    assert row.tool_parts() == [ToolPart("Bash", 2, 1, 0), ToolPart("Edit", 0, 0, 1)]


def test_a_session_of_two_days_has_a_row_for_each_under_one_id(
    db: Database, tmp_path: Path
) -> None:
    config, eve = settings(tmp_path), DAY - timedelta(days=1)
    rolled_up(db, config, ORG, [event("user_message", ts=NOON - 24 * HOUR)], eve)
    rolled_up(db, config, ORG, [event("user_message"), at(1, "user_message")])

    [before], [after] = stored(db, eve), stored(db)
    assert before.session_id == after.session_id
    assert (before.user_messages, after.user_messages) == (1, 2)


@pytest.mark.both_databases
def test_late_data_restates_rows_and_their_models(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [at(0, "model_call", model="m", input_tokens=1)])
    [(model, session, ended)] = models_of(db)
    assert (model, ended) == ("m", NOON)

    rolled_up(db, config, ORG, [at(1, "model_call", model="n", input_tokens=1)])

    assert models_of(db) == [("m", session, NOON + MINUTE), ("n", session, NOON + MINUTE)]
    assert [row.model_calls for row in stored(db)] == [2]


@pytest.mark.both_databases
def test_a_session_that_is_none_any_longer_goes(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    resumed = {"root_session_id": "s0", "model": "m", "input_tokens": 1}
    rolled_up(db, config, ORG, [at(0, "model_call", **resumed)])
    assert [row.agent_session_id for row in stored(db)] == ["s0"]

    # Beside a prompt of the same person and agent, calls alone are no session.
    land(db, config, ORG, [[at(1, "user_message")]])
    rolled_up(db, config, ORG, [at(2, "user_message")])

    assert [row.agent_session_id for row in stored(db)] == ["s1"]
    assert models_of(db) == []


def test_repeated_and_matched_events_count_once_in_a_session(db: Database, tmp_path: Path) -> None:
    call: dict[str, Any] = {"model": SONNET, "input_tokens": 5, "output_tokens": 7}
    exported = at(0, "model_call", **call)
    read = at(0, "model_call", source="transcript", source_rank=2, source_group=2, **call)
    [row] = counted(db, tmp_path, [exported, exported, read, at(1, "user_message")])

    assert (row.model_calls, row.input_tokens, row.output_tokens) == (1, 5, 7)


@pytest.mark.both_databases
def test_names_beyond_a_bound_are_one_part(db: Database, tmp_path: Path) -> None:
    [row] = counted(db, tmp_path, [at(0, "tool_call", tool_raw=f"tool{n:03d}") for n in range(60)])

    tools = row.tool_parts()
    assert (len(tools), tools[-1]) == (51, ToolPart("other", 10, 0, 0))
    assert row.tool_calls == 60
