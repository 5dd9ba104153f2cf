"""Days that are rolled up at once have the bytes of days that are rolled up one by one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock, days, ids
from stationmaster.aggregate import schedule
from stationmaster.aggregate.day import roll_up, roll_up_run
from stationmaster.aggregate.keys import CountSeparately
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings
from tests.aggregate.lakes import DAY, bodies, event, land, settings

ONE, MANY = OrgId("org_one"), OrgId("org_many")
RUN = [DAY + timedelta(days=n) for n in range(5)]
LAPTOP = {org: str(ids.user_of_installation(org, "claude-code", "laptop")) for org in (ONE, MANY)}


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def at(day: int, seconds: float = 43_200) -> int:
    return days.start_ms(RUN[day]) + int(seconds * 1_000)


def history() -> list[Event]:
    """Five days, the fourth without events: sessions that last past midnight, copies from a second
    source around it, pull requests and installations that several days know."""
    call = {"model": "claude-opus-4-5", "input_tokens": 10, "root_session_id": "long"}
    other: dict[str, Any] = {"source": "transcript", "source_rank": 2, "source_group": 2}
    found: list[Event] = []
    for day in (0, 1, 2, 4):
        found += [
            event("user_message", ts=at(day)),
            event("model_call", ts=at(day, 100), **call, cost_usd=0.5),
            event("model_call", ts=at(day, 86_390), **call, output_tokens=7 + day),
            event("tool_call", ts=at(day, 500), tool_raw=f"Tool{day}", tool_call_id="c1"),
            event("tool_call", ts=at(day, 501), tool_raw=f"Tool{day}", tool_call_id="c1", **other),
            event("git_pull_request", ts=at(day), pr_url="https://example.com/1"),
            event("git_pull_request", ts=at(day, 50_000), pr_url="https://example.com/1"),
            event("mode_change", ts=at(day, 10), autonomy="auto-high"),
            event("user_message", ts=at(day), user_email=f"A{day}@example.com"),
        ]
    # The same call as the last one of the first day, by another source's clock.
    found.append(event("model_call", ts=at(1, 5), **call, output_tokens=7, **other))
    copy = event("hook", ts=at(1, 86_399), hook_event="Stop", event_id="f" * 32)
    found += [copy, event("hook", ts=at(2, 1), hook_event="Stop", event_id="f" * 32, **other)]
    return found


def known(org: OrgId) -> list[Event]:
    """An installation that a later day shows to be somebody's."""
    alone = {"user_id": LAPTOP[org], "user_source": "installation", "installation": "laptop"}
    mine = {"user_email": "ada@example.com", "installation": "laptop"}
    return [
        event("user_message", ts=at(0), root_session_id="lone", **alone),
        event("user_message", ts=at(2), root_session_id="mine", **mine),
    ]


def landed(db: Database, config: Settings, org: OrgId, events: list[Event]) -> None:
    """Land events on the days of their times, with entries of their parts."""
    for day in RUN:
        mine = [each for each in events if days.of_ms(each.ts) == day]
        if mine:
            land(db, config, org, [mine[::2], mine[1::2]] if mine[1:] else [mine], day)


def stored(db: Database, org: OrgId) -> list[object]:
    slices = [body for _, body in serving.slices(db, org, RUN[0], RUN[-1])]
    facts = [body for _, _, body in serving.facts(db, org, RUN[0], RUN[-1])]
    return [[bodies(db, org, day) for day in RUN], slices, facts]


@pytest.mark.slow
def test_a_run_of_days_has_the_bytes_of_its_days(db: Database, tmp_path: Path) -> None:
    config, events = settings(tmp_path), history()
    for org in (ONE, MANY):
        # Ids of users depend on the organization.
        landed(db, config, org, events)
    for day in RUN:
        roll_up(db, config, ONE, day)
    roll_up(db, config, ONE, RUN[1])

    results = roll_up_run(db, config, MANY, RUN)

    assert [result.day for result in results] == RUN
    assert stored(db, MANY) == stored(db, ONE)
    assert [day for _, day in schedule.due(db, MANY) if day in RUN] == []


def test_a_run_knows_what_its_later_days_show_of_people(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    landed(db, config, MANY, known(MANY))

    roll_up_run(db, config, MANY, RUN)

    assert set(bodies(db, MANY, RUN[0])[1]) == {"user_ada"}
    assert [day for _, day in schedule.due(db, MANY) if day in RUN] == []


def test_days_that_share_an_event_are_counted_apart(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    shared = [event("user_message", ts=at(day), event_id="e" * 32) for day in (0, 3)]
    landed(db, config, MANY, shared)

    with pytest.raises(CountSeparately):
        roll_up_run(db, config, MANY, RUN)
    schedule.roll_up_due(db, config, MANY, RUN[0], RUN[-1])

    counts = [len(bodies(db, MANY, day)[1]) for day in RUN]
    assert counts == [1, 0, 0, 1, 0]


def test_a_run_with_a_day_that_fails_publishes_the_others(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    landed(db, config, MANY, history())
    part = Path(Lake.open(config).parts(MANY, RUN[2])[0].path)
    part.write_bytes(part.read_bytes()[:-1])

    with pytest.raises(Exception, match="missing or changed"):
        schedule.roll_up_due(db, config, MANY, RUN[0], RUN[-1])

    assert [day for _, day in schedule.due(db, MANY) if day in RUN] == [RUN[2]]


def test_small_days_in_a_row_are_one_run(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(tmp_path)
    landed(db, config, MANY, history())
    runs: list[list[date]] = []

    def noted(db: Database, config: Settings, org: OrgId, run: list[date]) -> object:
        runs.append(run)
        return roll_up_run(db, config, org, run)

    monkeypatch.setattr(schedule, "roll_up_run", noted)
    schedule.roll_up_due(db, config, MANY)

    assert len(runs) == 1
