from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.aggregate import day as one_day
from stationmaster.aggregate.count_days import Counting
from stationmaster.aggregate.day import roll_up
from stationmaster.aggregate.faults.uncountable import EventSelection
from stationmaster.aggregate.schedule import due, roll_up_due, share
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.aggregate.lakes import DAY, NOON, bodies, document, event, land, settings

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


def test_a_day_that_another_has_is_left_to_it_or_waited_for(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])
    items = due(db)

    with db.alone(f"roll up {ORG} {DAY}"):
        here = share(db, config, items, lambda _, run: run, wait=False)
        assert {result.day for result in here} == {later(1), later(2)}
        assert due(db) == [(ORG, DAY)]

        waiting = threading.Thread(target=roll_up_due, args=(db, config))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    waiting.join()

    assert due(db) == []


def test_who_meets_another_goes_on_halfway_through_the_rest(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    days = [DAY - timedelta(days=n) for n in range(6, -1, -1)]
    land(db, config, ORG, [[event("user_message")]], days[0])

    with db.alone(f"roll up {ORG} {days[0]}"):
        here = share(db, config, [(ORG, day) for day in days], lambda _, run: run, wait=False)

    assert [result.day for result in here] == [*days[4:], *days[1:4]]


def test_an_older_count_never_replaces_a_newer_one(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])
    count = Counting.count

    def overtaken(counting: Counting, choices: dict[date, EventSelection]) -> object:
        found = count(counting, choices)
        monkeypatch.undo()
        land(db, config, ORG, [[event("user_message")]])
        assert roll_up(db, config, ORG, DAY).changed
        return found

    monkeypatch.setattr(Counting, "count", overtaken)
    assert roll_up(db, config, ORG, DAY).changed == ()

    assert document(db, ORG, "activity")["user_messages"] == 2
    assert (ORG, DAY) not in due(db)


def test_what_two_processes_share_is_what_one_makes(database_url: str, tmp_path: Path) -> None:
    """Every session lasts past every midnight, so each day changes documents of the others."""
    config = settings(tmp_path)
    databases = [Database.open(database_url) for _ in range(2)]
    for org in ("org_shared", "org_single"):
        for n in range(-3, 1):
            at = NOON + n * 86_400_000
            found = [event("user_message", ts=at, root_session_id=f"s{s}") for s in range(2)]
            found.append(event("user_message", ts=at, user_id=f"user_{n % 2}"))
            land(databases[0], config, OrgId(org), [found], later(n))

    roll_up_due(databases[0], config, OrgId("org_single"))
    sharing = [
        threading.Thread(target=roll_up_due, args=(each, config, OrgId("org_shared")))
        for each in databases
    ]
    for thread in sharing:
        thread.start()
    for thread in sharing:
        thread.join()
    roll_up_due(databases[0], config, OrgId("org_shared"))

    for n in range(-3, 3):
        shared = bodies(databases[0], OrgId("org_shared"), later(n))
        assert shared == bodies(databases[0], OrgId("org_single"), later(n))
    for each in databases:
        each.close()


def test_a_day_that_fails_keeps_no_other_from_its_turn(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(tmp_path)
    land(db, config, ORG, [[event("user_message")]])
    land(db, config, ORG, [[event("user_message", ts=NOON + 86_400_000)]], later(1))
    whole = one_day.report_rows.render

    def render(day: one_day.report_rows.Day) -> object:
        if day.day == DAY:
            raise KeyError("a mistake of ours")
        return whole(day)

    monkeypatch.setattr(one_day.report_rows, "render", render)
    with pytest.raises(KeyError):
        roll_up_due(db, config, ORG, DAY, later(1))

    assert DAY in [day for _, day in due(db, ORG)]
    assert later(1) not in [day for _, day in due(db, ORG)]
