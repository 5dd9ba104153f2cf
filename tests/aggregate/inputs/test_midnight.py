from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock, days
from stationmaster.access import service
from stationmaster.agents.cards.ranks import precedence
from stationmaster.aggregate import schedule
from stationmaster.db.engine import Database
from stationmaster.events.model import Event, Source
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads
from stationmaster.lake.rollups.model import Report
from stationmaster.lake.rows import Delivery
from stationmaster.settings import Settings
from tests.support.builders import an_event

FIRST = date(2026, 11, 18)
SECOND = FIRST + timedelta(days=1)
MIDNIGHT = days.start_ms(SECOND)


@pytest.mark.both_databases
def test_an_event_that_two_sources_time_around_midnight_counts_on_the_earlier_day(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)
    early = {"event_id": "0" * 31 + "1", "ts": MIDNIGHT - 2_000, "source": "transcript"}
    late = {**early, "ts": MIDNIGHT + 2_000, "source": "otlp_logs"}

    installation.take(late)

    assert installation.calls() == {FIRST: 0, SECOND: 1}
    installation.take(early)
    assert installation.calls() == {FIRST: 1, SECOND: 0}
    installation.take(late)
    assert installation.calls() == {FIRST: 1, SECOND: 0}


def test_an_id_of_the_middle_of_the_day_before_is_another_matter(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)

    installation.take({"event_id": "0" * 31 + "1", "ts": MIDNIGHT - 43_200_000})
    installation.take({"event_id": "0" * 31 + "2", "ts": MIDNIGHT + 2_000})

    assert installation.calls() == {FIRST: 1, SECOND: 1}


CLOCKS_S = (45, -45, 300, -300)
"""How far the clock of the second source is ahead."""


@pytest.mark.parametrize("other", ["otlp_logs", "hook"])
@pytest.mark.parametrize("ahead", CLOCKS_S)
def test_calls_of_equal_figures_that_two_clocks_time_count_once_over_two_days(
    db: Database, tmp_path: Path, ahead: int, other: Source
) -> None:
    installation = Installation(db, tmp_path)
    installation.deliver(calls("transcript"))
    installation.deliver(calls(other, ahead))

    assert installation.total("tokens", "input_tokens") == 40_000


@pytest.mark.parametrize("ahead", CLOCKS_S)
def test_calls_of_different_figures_that_two_clocks_time_count_once_over_two_days(
    db: Database, tmp_path: Path, ahead: int
) -> None:
    installation = Installation(db, tmp_path)
    installation.deliver(calls("transcript", step=7))
    installation.deliver(calls("otlp_logs", ahead, step=7))

    assert installation.total("tokens", "input_tokens") == 40_000 + 7 * sum(range(40))


@pytest.mark.parametrize("ahead", [45, -300])
def test_side_calls_that_one_source_alone_reports_count_beside_those_of_both(
    db: Database, tmp_path: Path, ahead: int
) -> None:
    installation = Installation(db, tmp_path)
    installation.deliver(calls("transcript"))
    side = calls("otlp_logs", ahead, is_auxiliary=True, input_tokens=30)
    installation.deliver(calls("otlp_logs", ahead) + side)

    assert installation.total("tokens", "input_tokens") == 40_000 + 40 * 30


@pytest.mark.parametrize("ahead", [45, -300])
@pytest.mark.both_databases
def test_calls_of_shared_ids_that_two_clocks_time_count_once_over_two_days(
    db: Database, tmp_path: Path, ahead: int
) -> None:
    installation = Installation(db, tmp_path)
    for source, seconds in (("transcript", 0), ("otlp_logs", ahead)):
        events = calls(source, seconds)
        for number, event in enumerate(events):
            event.event_id = f"{number + 1:032x}"
        installation.deliver(events)

    assert installation.total("tokens", "input_tokens") == 40_000


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [45, -300])
def test_a_source_that_arrives_late_restates_both_days_to_the_same_figures_in_either_order(
    db: Database, tmp_path: Path, ahead: int
) -> None:
    deliveries = [
        [event for event in calls(source, seconds) if days.of_ms(event.ts) == day]
        for source, seconds in (("transcript", 0), ("otlp_logs", ahead))
        for day in (FIRST, SECOND)
    ]
    stored = []
    for number, order in enumerate(([0, 1, 2, 3], [3, 2, 1, 0])):
        installation = Installation(db, tmp_path / str(number), f"acme-{number}")
        for place in order:
            installation.deliver(deliveries[place])
            installation.total("tokens", "input_tokens")
        assert installation.total("tokens", "input_tokens") == 40_000
        stored.append(installation.bodies("tokens"))

    assert stored[0] == stored[1]


@pytest.mark.parametrize("ahead", [45, -300])
@pytest.mark.parametrize(
    ("report", "figure", "fields"),
    [
        ("tools", "tool_calls", {"kind": "tool_call", "tool": "Read", "success": True}),
        ("activity", "user_messages", {"kind": "user_message"}),
    ],
)
def test_tool_calls_and_messages_that_two_clocks_time_count_once_over_two_days(
    db: Database, tmp_path: Path, ahead: int, report: Report, figure: str, fields: dict[str, object]
) -> None:
    installation = Installation(db, tmp_path)
    quiet = {"model": None, "input_tokens": None}
    installation.deliver(calls("transcript", **quiet, **fields))
    installation.deliver(calls("otlp_logs", ahead, **quiet, **fields))

    assert installation.total(report, figure) == 40


def test_a_source_that_ends_at_midnight_takes_nothing_from_the_other_one(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)
    installation.deliver(calls("transcript"))
    installation.deliver([event for event in calls("otlp_logs", 45) if event.ts < MIDNIGHT])

    assert installation.total("tokens", "input_tokens") == 40_000


def test_what_may_not_count_on_the_day_before_takes_nothing_from_the_day(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)
    installation.deliver(calls("transcript", step=7))
    # Of the first day it has the last calls alone, among them one of the second day.
    installation.deliver(calls("otlp_logs", -45, step=7)[15:21])

    assert installation.total("tokens", "input_tokens") == 40_000 + 7 * sum(range(40))


def test_an_event_that_the_day_before_sets_aside_does_not_stop_the_day(
    db: Database, tmp_path: Path
) -> None:
    installation = Installation(db, tmp_path)
    late = [event for event in calls("transcript") if event.ts >= MIDNIGHT]
    installation.deliver(late)
    installation.total("tokens", "input_tokens")
    huge = {"input_tokens": 2**62, "cache_read_tokens": 2**62}
    installation.deliver(calls("otlp_logs", **huge)[19:20])
    schedule.roll_up_due(db, installation.settings, installation.org)

    assert installation.by_day("tokens", "input_tokens")[SECOND] == 20_000


def calls(source: Source, ahead: int = 0, step: int = 0, **fields: Any) -> list[Event]:
    """A call of 1000 input tokens every 30 seconds from ten minutes before midnight to ten minutes
    after it, each of `step` tokens more than the one before it, timed by a clock that is `ahead`
    seconds ahead, with ids of the source's own."""
    found = []
    for number in range(40):
        event = an_event(
            **{
                "ts": MIDNIGHT - 600_000 + number * 30_000 + ahead * 1000,
                "source": source,
                "model": "gpt-5",
                "input_tokens": 1000 + number * step,
                "user_id": "user_a",
                **fields,
            }
        )
        event.source_rank, event.source_group = precedence(event.product, event.kind, source)
        found.append(event)
    return found


class Installation:
    """An organization, its inbox and its lake, on a day when the two days are closed."""

    def __init__(self, db: Database, folder: Path, name: str = "acme") -> None:
        clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))
        folder.mkdir(exist_ok=True)
        self._db = db
        self.settings = Settings(data_dir=folder)
        self.org: OrgId = service.create_organization(db, name)

    def take(self, fields: dict[str, object]) -> None:
        quiet = {"model": "gpt-5", "input_tokens": 1, "user_id": "user_a"}
        self.deliver([an_event(**{**quiet, **fields})])

    def deliver(self, events: list[Event]) -> None:
        inbox = Inbox.open(self.settings)
        inbox.append(Delivery(self.org, events, {})).result(10)
        Mover(inbox.database, self._db, self.settings).drain()
        inbox.close()

    def bodies(self, report: Report) -> dict[date, bytes]:
        """The documents of the two days, after a rollup of what is due."""
        schedule.roll_up_due(self._db, self.settings, self.org)
        found = reads.documents(self._db, self.org, report, FIRST, SECOND)
        return {document.day: document.body for document in found}

    def by_day(self, report: Report, figure: str) -> dict[date, int]:
        return {day: json.loads(body)[figure] for day, body in self.bodies(report).items()}

    def total(self, report: Report, figure: str) -> int:
        return sum(self.by_day(report, figure).values())

    def calls(self) -> dict[date, int]:
        schedule.roll_up_due(self._db, self.settings, self.org)
        found = {
            document.day: document.body.count(b'"model_id":"gpt-5"')
            for document in reads.documents(self._db, self.org, "tokens", FIRST, SECOND)
        }
        return {day: min(found.get(day, 0), 1) for day in (FIRST, SECOND)}
