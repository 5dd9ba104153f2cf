"""The finer counts of a day: what they are by, what they add up to, how large they can be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.aggregate import facts, packing, slices
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from tests.aggregate.lakes import DAY, NOON, event, rolled_up, settings

ORG = OrgId("org_a")
MINUTE, HOUR = 60_000, 3_600_000


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def at(minute: int, kind: str, **fields: Any) -> Event:
    return event(kind, ts=NOON + minute * MINUTE, **fields)


def stored(db: Database, folder: Path, events: Sequence[Event]) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table."""
    rolled_up(db, settings(folder), ORG, events)
    [(day, _, body)] = serving.facts(db, ORG, DAY, DAY)
    assert day == DAY
    return {name: packing.read(data).to_pylist() for name, data in packing.unpack(body).items()}


def picked(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row[name] for name in names) for row in rows), key=repr)


def test_calls_are_by_session_model_branch_and_hour(db: Database, tmp_path: Path) -> None:
    call: dict[str, Any] = {"model": "claude-sonnet-4-5", "input_tokens": 10, "output_tokens": 1}
    rows = stored(
        db,
        tmp_path,
        [
            at(0, "model_call", branch="main", **call),
            at(1, "model_call", branch="main", **call),
            at(61, "model_call", branch="main", **call),
            at(2, "model_call", root_session_id="s2", model="m", input_tokens=5, output_tokens=5),
        ],
    )["calls"]

    names = ("session", "is_begun", "model", "branch", "hour", "calls", "input_tokens")
    assert picked(rows, *names) == [
        (0, True, "claude-sonnet-4-5", "main", 12, 2, 20),
        (0, True, "claude-sonnet-4-5", "main", 13, 1, 10),
        (1, True, "m", None, 12, 1, 5),
    ]


def test_a_call_without_a_branch_has_that_of_its_session_at_the_time(
    db: Database, tmp_path: Path
) -> None:
    rows = stored(
        db,
        tmp_path,
        [
            at(0, "model_call", input_tokens=1),
            at(1, "session_context", branch="main"),
            at(2, "model_call", input_tokens=2),
            at(3, "session_context", branch="fix"),
            at(4, "model_call", input_tokens=4),
            at(5, "git_commit"),
        ],
    )

    assert picked(rows["calls"], "branch", "input_tokens") == [("fix", 4), ("main", 3)]
    assert picked(rows["git"], "branch", "git_commits") == [("fix", 1)]


def test_a_session_that_went_on_began_on_the_day_before(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    eve = DAY.replace(day=DAY.day - 1)
    call = {"input_tokens": 1, "root_session_id": "long"}
    rolled_up(db, config, ORG, [event("model_call", ts=NOON - 24 * HOUR, **call)], eve)
    rolled_up(db, config, ORG, [event("model_call", **call)])

    begun = [
        packing.read(packing.unpack(body)["calls"])["is_begun"].to_pylist()
        for _, _, body in serving.facts(db, ORG, eve, DAY)
    ]
    assert begun == [[True], [False]]


def test_tool_calls_are_by_duration_and_outcome(db: Database, tmp_path: Path) -> None:
    tool: dict[str, Any] = {"tool_raw": "Bash"}
    rows = stored(
        db,
        tmp_path,
        [
            at(0, "tool_call", duration_ms=0, success=True, **tool),
            at(1, "tool_call", duration_ms=8, success=True, **tool),
            at(2, "tool_call", duration_ms=9, success=False, **tool),
            at(3, "tool_call", **tool),
            at(4, "tool_call", decision="reject", success=False, duration_ms=3, **tool),
        ],
    )["tools"]

    assert picked(rows, "bucket", "calls", "failed", "refused", "longest_ms") == [
        (0, 1, 0, 0, 0),
        (13, 2, 1, 0, 9),
        (None, 1, 0, 1, 0),
    ]


def test_powers_of_two_begin_a_bucket_on_every_engine(db: Database, tmp_path: Path) -> None:
    events = [
        at(0, "tool_call", tool_raw=f"{name}{power}", duration_ms=2**power - less)
        for power in range(28)
        for name, less in (("at", 0), ("below", 1))
    ]
    rows = stored(db, tmp_path, events)["tools"]

    def before(power: int) -> int:
        return 0 if power == 0 else 4 * power if power > 2 else {1: 1, 2: 1 + 6}[power]

    assert {row["tool"]: row["bucket"] for row in rows} == {
        f"{name}{power}": bucket
        for power in range(28)
        for name, bucket in (("at", 4 * power + 1), ("below", before(power)))
    }


def test_edits_are_by_language_with_decisions_and_lines(db: Database, tmp_path: Path) -> None:
    edit: dict[str, Any] = {"tool": "edit", "tool_raw": "Edit", "language": "Python"}
    rows = stored(
        db,
        tmp_path,
        [
            at(0, "tool_call", decision="accept", **edit),
            at(1, "tool_call", decision="reject", success=False, **edit),
            at(2, "tool_call", **edit),
            at(3, "tool_call", tool="shell", decision="reject"),
            at(4, "file_change", file_op="edited", language="Python", lines_added=7),
            at(5, "file_change", file_op="deleted", language="Go", lines_removed=3),
            at(6, "file_change", file_op="edited", lines_added=9, success=False),
        ],
    )["edits"]

    names = ("language", "accepted", "rejected", "undecided", "lines_added", "lines_removed")
    assert picked(rows, *names) == [("Go", 0, 0, 0, 0, 3), ("Python", 1, 1, 1, 7, 0)]


def test_failed_attempts_are_of_the_best_source_that_reports_any(
    db: Database, tmp_path: Path
) -> None:
    limited: dict[str, Any] = {"error_class": "rate_limited", "error_status": 429}
    spans: dict[str, Any] = {"source": "otlp_traces", "source_group": 3}
    rows = stored(
        db,
        tmp_path,
        [
            at(0, "model_error", model="m", **limited),
            at(0, "model_error", error_class="unknown", **spans),
            at(1, "model_error", error_class="aborted", **spans),
            at(2, "model_error", error_class="unknown", root_session_id="s2", count=2, **spans),
        ],
    )["errors"]

    assert picked(rows, "model", "error_class", "errors") == [
        ("m", "rate_limited", 1),
        ("unknown", "aborted", 1),
        ("unknown", "unknown", 2),
    ]


def test_the_most_used_names_are_kept_and_the_rest_is_one(db: Database, tmp_path: Path) -> None:
    most = facts.NAMES_MAX["branch"]
    calls = [
        at(0, "model_call", input_tokens=1, branch=f"b{n:04d}", root_session_id=f"s{n}")
        for n in range(most + 50)
    ]
    often = [at(0, "model_call", input_tokens=1, branch="b0149") for _ in range(3)]

    rows = stored(db, tmp_path, [*calls, *often])["calls"]

    branches = {row["branch"] for row in rows}
    assert len(branches) == most + 1
    assert {"b0149", "b0000", facts.OTHER} < branches
    assert sum(row["input_tokens"] for row in rows) == most + 53


@pytest.mark.both_databases
def test_the_same_events_give_the_same_stored_bytes(db: Database, tmp_path: Path) -> None:
    events = [
        at(n, kind, branch=f"b{n % 3}", tool_raw=f"T{n % 5}", duration_ms=n, input_tokens=n)
        for n in range(20)
        for kind in ("model_call", "tool_call", "git_commit", "model_error")
    ]
    rolled_up(db, settings(tmp_path / "a"), ORG, events)
    other = OrgId("org_b")
    rolled_up(db, settings(tmp_path / "b"), other, events[::-1])

    assert serving.facts(db, ORG, DAY, DAY) == serving.facts(db, other, DAY, DAY)


def test_facts_add_up_to_the_slices(db: Database, tmp_path: Path) -> None:
    events = [
        at(n, "model_call", model=f"m{n % 2}", input_tokens=n, root_session_id=f"s{n % 3}")
        for n in range(9)
    ]
    rows = stored(db, tmp_path, events)["calls"]
    [(_, body)] = serving.slices(db, ORG, DAY, DAY)

    sums = {row[0]: row[1:] for row in slices.unpack(body).summed("tokens", "model")}
    for model, (_, credits, tokens, *_) in sums.items():
        mine = [row for row in rows if row["model"] == model]
        assert sum(row["billable_tokens"] for row in mine) == credits
        assert sum(row["input_tokens"] for row in mine) == tokens
