"""Where events happened: whose day, with which agent, in which repository, for which team."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.aggregate import slices, tallies
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import serving
from tests.aggregate.lakes import DAY, NOON, event, rolled_up, settings

ORG = OrgId("org_a")
APP, WEB = "example.com/acme/app", "example.com/acme/web"


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def stored(db: Database, folder: Path, events: Sequence[Event]) -> slices.Slices:
    rolled_up(db, settings(folder), ORG, events)
    [(day, body)] = serving.slices(db, ORG, DAY, DAY)
    assert day == DAY
    return slices.unpack(body)


def calls(found: slices.Slices, by: str) -> dict[str, int]:
    tallied = tallies.gather(found, found.column(by))
    return {key: tally.tool_calls for key, tally in tallied.items()}


def at(minute: int, kind: str = "tool_call", **fields: Any) -> Event:
    return event(kind, ts=NOON + minute * 60_000, **fields)


def test_events_without_a_repository_follow_their_session(db: Database, tmp_path: Path) -> None:
    found = stored(
        db,
        tmp_path,
        [
            *(at(0), at(1)),  # Before anything is known: where the session is first seen.
            *(at(2, "session_context", repo=APP), at(2), at(3)),
            *(at(4, "session_context", repo=WEB), at(5), at(6), at(7), at(8, repo=APP), at(9)),
            *(at(10, "session_context", repo=WEB), at(11)),
        ],
    )

    assert calls(found, "repository") == {APP: 4 + 2, WEB: 3 + 1}


def test_another_session_another_agent_and_no_session_say_nothing_about_a_repository(
    db: Database, tmp_path: Path
) -> None:
    found = stored(
        db,
        tmp_path,
        [
            at(0, repo=APP),
            at(1, root_session_id="s2"),
            at(2, product="codex"),
            at(3, root_session_id=None, repo=WEB),
            at(4, root_session_id=None),
        ],
    )

    assert calls(found, "repository") == {APP: 1, WEB: 1, "unknown": 3}


def test_a_session_has_the_team_that_any_of_its_events_names(db: Database, tmp_path: Path) -> None:
    found = stored(db, tmp_path, [at(0), at(1, team="core"), at(2), at(3, root_session_id="s2")])

    assert calls(found, "team") == {"core": 3, "unknown": 1}


def test_of_two_repositories_at_one_time_that_of_the_first_event_holds(
    db: Database, tmp_path: Path
) -> None:
    told = [
        at(0, "session_context", event_id="1" * 32, repo=WEB),
        at(0, "session_context", event_id="0" * 32, repo=APP),
        at(1),
    ]

    assert calls(stored(db, tmp_path, told), "repository") == {APP: 1}


def test_a_copy_gives_its_repository_to_the_better_one(db: Database, tmp_path: Path) -> None:
    same = {"event_id": "1" * 32}
    told = [at(0, **same), at(0, source="transcript", source_rank=2, repo=APP, team="core", **same)]

    found = stored(db, tmp_path, told)

    assert (calls(found, "repository"), calls(found, "team")) == ({APP: 1}, {"core": 1})


def test_a_session_begins_where_it_came_first_and_is_active_wherever_it_was(
    db: Database, tmp_path: Path
) -> None:
    found = stored(db, tmp_path, [at(0, repo=APP), at(1, repo=WEB), at(2, repo=APP)])

    assert tallies.begun(found, found.column("repository")) == {APP: 1}
    assert found["sessions"]["session"].to_pylist() == [0, 0]


@pytest.mark.both_databases
def test_the_same_events_give_the_same_stored_bytes(db: Database, tmp_path: Path) -> None:
    told = [at(n, repo=APP if n % 2 else WEB, tool_raw=f"T{n % 5}") for n in range(40)]
    rolled_up(db, settings(tmp_path / "a"), ORG, told)
    other = OrgId("org_b")
    rolled_up(db, settings(tmp_path / "b"), other, told[::-1])

    assert serving.slices(db, ORG, DAY, DAY) == serving.slices(db, other, DAY, DAY)
