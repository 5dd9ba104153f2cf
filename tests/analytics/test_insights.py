"""The reports on facts, of a small organization whose figures are worked out by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from stationmaster import clock
from stationmaster.aggregate import packing
from stationmaster.analytics import privacy, queries, reports
from stationmaster.analytics.formats import export
from stationmaster.analytics.model import Question
from stationmaster.db.engine import Database
from stationmaster.db.tables.lake import lake_days
from stationmaster.db.tables.rollups import day_facts
from stationmaster.errors import BadRequest, Forbidden
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.report_names import INSIGHT_GROUPINGS, INSIGHTS, Insight
from tests.aggregate.lakes import DAY, NOON, event, rolled_up, settings

ORG = OrgId("org_a")
NEXT = DAY + timedelta(days=1)
A_DAY = 86_400_000
APP, WEB = "example.com/acme/app", "example.com/acme/web"


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
def db_with_days(db: Database, tmp_path: Path) -> Database:
    """Two days: ada on main, ben on a branch of his own, and a session over midnight."""
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [*_ada(), *_ben()])
    rolled_up(db, config, ORG, [*_next_day()], NEXT)
    return db


def _ada() -> Iterator[Event]:
    of: dict[str, Any] = {"repo": APP, "branch": "main", "team": "core"}
    python: dict[str, Any] = {"tool": "edit", "tool_raw": "Edit", "language": "Python"}
    call: dict[str, Any] = {"model": "claude-sonnet-4-5", "output_tokens": 10}
    yield event("model_call", input_tokens=100, cache_read_tokens=300, **call, **of)
    yield event("model_call", input_tokens=0, cache_write_tokens=100, **call, **of)
    for _ in range(3):
        yield event("tool_call", decision="accept", success=True, duration_ms=8, **python, **of)
    yield event("tool_call", decision="reject", success=False, **python, **of)
    yield event("tool_call", tool_raw="Bash", success=False, duration_ms=1_000, **of)
    hook: dict[str, Any] = {"hook_matcher": "Edit", "hook_command": "ruff"}
    for success in (True, True, True, False):
        yield event("hook", hook_event="PostToolUse", success=success, **hook, **of)
    for _ in range(2):
        yield event("hook", hook_event="Stop", hook_matcher="", **of)
    change: dict[str, Any] = {"file_op": "edited", "language": "Python"}
    yield event("file_change", lines_added=5, lines_removed=2, **change, **of)
    yield event("git_commit", **of)
    yield event("git_commit", **of)
    yield event("git_pull_request", pr_url="https://example.com/acme/app/pull/1", **of)
    yield event("model_error", error_class="rate_limited", error_status=429, **of)
    yield event("model_error", error_class="overloaded", error_status=529, **of)
    yield event("model_error", error_class="aborted", **of)


def _ben() -> Iterator[Event]:
    of: dict[str, Any] = {"user_id": "user_ben", "root_session_id": "ben", "product": "codex"}
    of |= {"repo": WEB, "branch": "ben/fix"}
    yield event("model_call", model="gpt-5", input_tokens=50, output_tokens=5, **of)
    mcp: dict[str, Any] = {"tool_kind": "mcp", "mcp_server": "linear", "tool_raw": "mcp__linear__x"}
    yield event("tool_call", duration_ms=100, success=True, **mcp, **of)


def _next_day() -> Iterator[Event]:
    of: dict[str, Any] = {"repo": APP, "branch": "main", "team": "core", "ts": NOON + A_DAY}
    yield event("model_call", model="claude-sonnet-4-5", input_tokens=40, **of)
    yield event("model_call", model="m", input_tokens=4, root_session_id="s2", **of)


def answer(db: Database, report: Insight, **asked: Any) -> dict[str, Any]:
    """The decoded JSON."""
    texts = {name: value for name, value in asked.items() if isinstance(value, str)}
    lists = {name: value for name, value in asked.items() if isinstance(value, list)}
    given = {"startDate": str(DAY), "endDate": str(NEXT), **texts}
    question = queries.parse(ORG, report, given, lists, today=clock.today(), days_max=400)
    found = reports.find(db, question)
    decoded: dict[str, Any] = msgspec.json.decode(b"".join(reports.envelope(db, found)))
    return decoded


def figures(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_edits_have_decisions_and_lines(db_with_days: Database) -> None:
    found = answer(db_with_days, "edits")
    names = ("date", "accepted", "rejected", "undecided", "acceptance_rate")
    assert figures(found["data"], *names) == [
        (str(DAY), 3, 1, 0, 0.75),
        (str(NEXT), 0, 0, 0, None),
    ]
    assert figures([found["meta"]["totals"]], "lines_added", "lines_removed") == [(5, 2)]
    by = answer(db_with_days, "edits", group_by="language")["data"]
    assert figures(by, "group_key", "accepted") == [("Python", 3)]


def test_runs_of_tools_have_failures_and_durations(db_with_days: Database) -> None:
    totals = answer(db_with_days, "tool-runs")["meta"]["totals"]
    assert figures([totals], "calls", "failed", "failure_rate", "refused", "timed_calls") == [
        (5, 1, 0.2, 1, 5)
    ]
    # Three of 8 ms, one of 100 ms and one of 1,000 ms: the middles of their buckets.
    names = ("duration_p50_ms", "duration_p90_ms", "duration_p95_ms", "duration_max_ms")
    assert figures([totals], *names) == [(9, 939, 939, 1_000)]
    by = answer(db_with_days, "tool-runs", group_by="tool")["data"]
    assert figures(by, "group_key", "calls", "failed", "refused") == [
        ("Edit", 3, 0, 1),
        ("Bash", 1, 1, 0),
        ("mcp__linear__x", 1, 0, 0),
    ]
    by = answer(db_with_days, "tool-runs", group_by="mcp_server", mcp_server=["Linear"])["data"]
    assert figures(by, "group_key", "calls") == [("linear", 1)]


def test_runs_of_hooks_have_the_outcomes_that_are_reported(db_with_days: Database) -> None:
    totals = answer(db_with_days, "hook-runs")["meta"]["totals"]
    assert totals == {"runs": 6, "succeeded": 3, "failed": 1, "success_rate": 0.75}
    by = answer(db_with_days, "hook-runs", group_by="hook")["data"]
    assert figures(by, "group_key", "runs", "succeeded", "failed") == [
        ("PostToolUse Edit ruff", 4, 3, 1),
        ("Stop", 2, 0, 0),
    ]
    only = answer(db_with_days, "hook-runs", hook=["Stop"])["meta"]["totals"]
    assert only == {"runs": 2, "succeeded": 0, "failed": 0, "success_rate": None}


@pytest.mark.both_databases
def test_a_day_without_a_table_of_facts_is_missing_in_its_report_alone(
    db_with_days: Database,
) -> None:
    with db_with_days.transaction() as connection:
        of_day = day_facts.c.day == str(DAY)
        body = connection.execute(select(day_facts.c.body).where(of_day)).scalar_one()
        tables = packing.unpack(body)
        del tables["hooks"]
        older = packing.pack({name: packing.read(stream) for name, stream in tables.items()})
        connection.execute(update(day_facts).where(of_day).values(body=older))
        # As another writing of the day has it.
        connection.execute(update(lake_days).where(lake_days.c.day == str(DAY)).values(published=1))

    meta = answer(db_with_days, "hook-runs")["meta"]
    assert (meta["missing_days"], meta["totals"]["runs"]) == ([str(DAY)], 0)
    assert answer(db_with_days, "tool-runs")["meta"]["missing_days"] == []


def test_errors_are_by_class_and_no_calls(db_with_days: Database) -> None:
    totals = answer(db_with_days, "errors")["meta"]["totals"]
    assert figures([totals], "errors", "rate_limited", "overloaded", "server", "aborted") == [
        (2, 1, 1, 0, 1)
    ]
    by = answer(db_with_days, "errors", group_by="error")["data"]
    assert figures(by, "group_key", "errors", "aborted") == [
        ("overloaded", 1, 0),
        ("rate_limited", 1, 0),
        ("aborted", 0, 1),
    ]
    assert answer(db_with_days, "spend")["meta"]["totals"]["calls"] == 5


def test_the_cache_has_the_share_of_input_that_was_read_from_it(db_with_days: Database) -> None:
    found = answer(db_with_days, "cache", model=["claude-sonnet-4-5"])
    names = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "read_share")
    assert figures(found["data"], *names) == [(100, 300, 100, 0.6), (40, 0, 0, 0.0)]
    assert figures([found["meta"]["totals"]], *names) == [(140, 300, 100, 0.5556)]


def test_spending_is_by_session_commit_and_branch(db_with_days: Database) -> None:
    found = answer(db_with_days, "spend")
    names = ("calls", "sessions", "git_commits", "git_prs_created")
    # The session of the first day went on after midnight: it began once.
    assert figures(found["data"], *names) == [(3, 2, 2, 1), (2, 1, 0, 0)]
    totals = found["meta"]["totals"]
    assert totals["unpriced_calls"] == 1
    assert float(totals["cost_per_session"]) == pytest.approx(
        float(totals["cost_usd"]) / 3, abs=1e-6
    )
    # Of a million tokens 140 of input at $3, 300 read at $0.30, 100 written at $3.75, 20 of output
    # at $15.
    ada = answer(db_with_days, "spend", model=["claude-sonnet-4-5"])["meta"]["totals"]
    assert ada["cost_usd"] == "0.001185"
    assert answer(db_with_days, "spend", model=["m"])["meta"]["totals"]["cost_usd"] is None
    assert totals["credits_per_commit"] == totals["billable_tokens"] / 2
    assert totals["credits_per_session"] == pytest.approx(totals["billable_tokens"] / 3, abs=1e-4)
    by = answer(db_with_days, "spend", group_by="branch", period="month")
    assert sorted(figures(by["data"], "date", "group_key", "calls", "sessions", "git_commits")) == [
        ("2026-11-01", "ben/fix", 1, 1, 0),
        ("2026-11-01", "main", 4, 2, 2),
    ]
    assert by["meta"]["totals"] == totals


def test_weeks_and_months_begin_on_their_first_day(db_with_days: Database) -> None:
    for period, first in (("week", "2026-11-09"), ("month", "2026-11-01")):
        found = answer(db_with_days, "cache", period=period)
        assert figures(found["data"], "date", "input_tokens") == [(first, 194)]
        assert found["meta"]["period"] == period


@pytest.mark.both_databases
def test_a_comparison_has_the_totals_of_as_many_days_before(db_with_days: Database) -> None:
    meta = answer(db_with_days, "cache", startDate=str(NEXT), compare="previous")["meta"]

    assert meta["totals"]["input_tokens"] == 44
    before = meta["previous"]
    assert (before["start_date"], before["end_date"]) == (str(DAY), str(DAY))
    assert before["totals"]["input_tokens"] == 150


@pytest.mark.parametrize("report", INSIGHTS)
def test_groups_add_up_to_the_totals(db_with_days: Database, report: Insight) -> None:
    totals = answer(db_with_days, report)["meta"]["totals"]
    whole = [name for name, value in totals.items() if isinstance(value, int)]
    whole = [name for name in whole if not name.startswith("duration")]
    for group_by in INSIGHT_GROUPINGS[report]:
        rows = answer(db_with_days, report, group_by=group_by)["data"]
        for name in whole:
            if group_by == "model" and name.startswith("git"):
                continue  # No commit has a model.
            if name == "sessions" and group_by in ("model", "branch", "hour"):
                continue  # One session may be in several.
            if group_by == "mcp_server" and name in ("calls", "failed", "refused"):
                continue  # Checked with "unknown" below.
            assert sum(row[name] for row in rows) == totals[name], (group_by, name)


def test_filters_narrow_rows_and_totals(db_with_days: Database) -> None:
    for narrowed in ({"agent": ["codex"]}, {"user": ["user_ben"]}, {"repository": [WEB]}):
        assert answer(db_with_days, "spend", **narrowed)["meta"]["totals"]["calls"] == 1
    assert answer(db_with_days, "spend", team=["core"])["meta"]["totals"]["calls"] == 4
    assert answer(db_with_days, "spend", branch=["main"])["meta"]["totals"]["git_commits"] == 2


@pytest.mark.both_databases
def test_days_without_facts_are_named(db_with_days: Database) -> None:
    db_with_days.write(
        "UPDATE day_facts SET form = 0 WHERE org_id = ? AND day = ?", [[ORG, str(NEXT)]]
    )

    found = answer(db_with_days, "cache")

    assert figures(found["data"], "date") == [(str(DAY),)]
    assert found["meta"]["missing_days"] == [str(NEXT)]


@pytest.mark.parametrize("report", INSIGHTS)
def test_every_form_has_the_same_rows(db_with_days: Database, report: Insight) -> None:
    given = {"startDate": str(DAY), "endDate": str(NEXT), "group_by": "agent"}
    question = queries.parse(ORG, report, given, today=clock.today(), days_max=400)
    found = reports.find(db_with_days, question)
    rows = msgspec.json.decode(b"".join(reports.envelope(db_with_days, found)))["data"]
    file = io.BytesIO()
    export.to_parquet(question.name, reports.documents(db_with_days, found), file)
    table = pq.read_table(file).to_pylist()
    assert [row | {"date": str(row["date"])} for row in table] == rows
    lines = b"".join(export.to_ndjson(reports.documents(db_with_days, found))).splitlines()
    assert [msgspec.json.decode(line) for line in lines] == rows
    csv = b"".join(export.to_csv(question.name, reports.documents(db_with_days, found)))
    assert csv.decode().splitlines()[0].split(",") == [*rows[0]]


def test_parameters_that_a_report_does_not_know_are_refused(db_with_days: Database) -> None:
    for wrong in ({"group_by": "client"}, {"period": "year"}, {"compare": "next"}):
        with pytest.raises(BadRequest):
            answer(db_with_days, "spend", **wrong)


def test_grouped_modes_show_no_breakdown_and_pseudonyms_no_branch(db_with_days: Database) -> None:
    def judged(report: Insight, mode: str, **asked: str) -> Question:
        given = {"startDate": str(DAY), "endDate": str(NEXT), **asked}
        question = queries.parse(ORG, report, given, today=clock.today(), days_max=400)
        db_with_days.write("DELETE FROM organization_privacy WHERE org_id = ?", [[ORG]])
        insert = (
            "INSERT INTO organization_privacy (org_id, mode, minimum, seed) VALUES (?, ?, 5, ?)"
        )
        db_with_days.write(insert, [[ORG, mode, b"seed"]])
        return privacy.judged(db_with_days, question)

    for group_by in ("model", "branch", "user"):
        with pytest.raises(Forbidden):
            judged("spend", "team-only", group_by=group_by)
    for group_by in ("branch", "hour"):
        with pytest.raises(Forbidden):
            judged("spend", "pseudonymous", group_by=group_by)
    assert judged("spend", "pseudonymous", group_by="model")
    by_team = judged("spend", "team-only", group_by="team")
    assert not [*reports.documents(db_with_days, reports.find(db_with_days, by_team))]
    by_user = reports.find(db_with_days, judged("spend", "pseudonymous", group_by="user"))
    rows = msgspec.json.decode(b"".join(reports.envelope(db_with_days, by_user)))["data"]
    assert len(rows) == 3
    assert all(row["group_key"].startswith("anon_") for row in rows)
