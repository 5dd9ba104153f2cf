from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.aggregate.schedule import due, roll_up_due
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.aggregate.lakes import DAY, NOON, document, event, land, settings

ORG = OrgId("org_a")


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 13, 0, 0, 1, tzinfo=UTC))


def later(n: int) -> date:
    return DAY + timedelta(days=n)


def test_every_closed_day_since_the_first_is_rolled_up_once(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])
    land(db, config, ORG, [[event("user_message", ts=NOON + 3 * 86_400_000)]], later(3))

    results = roll_up_due(db, config)

    assert [(r.org, r.day) for r in results] == [(ORG, DAY), (ORG, later(1)), (ORG, later(2))]
    assert document(db, ORG, "activity", later(2))["weekly_active_users"] == 1
    assert due(db) == []
    assert roll_up_due(db, config) == []


def test_late_events_restate_their_day_alone(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])
    roll_up_due(db, config)

    land(db, config, ORG, [[event("tool_call")]])

    assert due(db, ORG) == [(ORG, DAY)]
    [result] = roll_up_due(db, config, ORG)
    assert (result.day, result.changed) == (DAY, ("tools", "tools_by_tool_name"))


def test_a_range_limits_what_is_rolled_up(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])

    results = roll_up_due(db, config, ORG, first=later(1), last=later(1))

    assert [r.day for r in results] == [later(1)]
    assert [day for _, day in due(db)] == [DAY, later(2)]


def test_a_session_that_turns_out_to_be_older_restates_the_later_day(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("hook", hook_event="Stop")]])
    land(db, config, ORG, [[event("user_message", ts=NOON + 86_400_000)]], later(1))
    roll_up_due(db, config)
    assert document(db, ORG, "activity", later(1))["sessions"] == 1

    land(db, config, ORG, [[event("user_message")]])
    results = roll_up_due(db, config)

    assert [r.day for r in results] == [DAY, later(1)]
    assert document(db, ORG, "activity", later(1))["sessions"] == 0


def test_callers_at_once_share_one_rollup(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]], later(2))
    barrier = threading.Barrier(4)
    results: list[int] = []

    def call() -> None:
        barrier.wait()
        results.append(len(roll_up_due(db, config, ORG)))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(results) == [0, 0, 0, 1]
