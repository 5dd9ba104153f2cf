from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from stationmaster import clock, days
from stationmaster.access import retention as policy
from stationmaster.aggregate import retention, schedule
from stationmaster.analytics.model import DayRange
from stationmaster.analytics.spending import what_if
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake import horizon
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.mover import Mover
from stationmaster.lake.rollups import reads, serving
from stationmaster.lake.rows import Delivery
from stationmaster.lake.storage import Lake, LocalFiles
from stationmaster.pricing.credits.rates import card
from stationmaster.pricing.credits.reading import parse
from stationmaster.settings import Settings
from tests.aggregate import lakes
from tests.support import databases
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.deaths import Died, Fate
from tests.support.object_storage import ObjectStorage

TODAY = date(2026, 11, 21)
KEPT = 2
HORIZON = TODAY - timedelta(days=KEPT)
"""The oldest day that keeps its events."""
DAYS = [TODAY - timedelta(days=n) for n in range(4, 0, -1)]


class Place:
    """An organization with events on each of DAYS, all moved and rolled up, with a policy."""

    def __init__(self, db: Database, folder: Path, **fields: Any) -> None:
        clock.freeze(datetime(2026, 11, 21, 1, tzinfo=UTC))
        self.db = db
        self.org: OrgId = an_organization(db)
        self.settings = Settings(data_dir=folder, **({"raw_events_days": KEPT} | fields))
        self.inbox = Inbox.open(self.settings)
        self.take(*(an_event(day) for day in DAYS))
        self.documents = self.rolled_up()
        clock.freeze(datetime(2026, 11, 21, 23, tzinfo=UTC))

    def take(self, *events: Event, move: bool = True) -> None:
        tally = {("claude-code", "otlp_logs", "kept"): len(events)}
        self.inbox.append(Delivery(self.org, list(events), tally)).result(10)
        if move:
            self.move()

    def move(self) -> None:
        Mover(self.inbox.database, self.db, self.settings).drain()

    def rolled_up(self) -> dict[date, Any]:
        schedule.roll_up_due(self.db, self.settings, self.org)
        return {day: lakes.bodies(self.db, self.org, day) for day in DAYS}

    def enforce(self) -> list[date]:
        done = retention.enforce(self.db, self.inbox, self.settings)
        return [day for org, day in done if org == self.org]

    def with_events(self) -> list[date]:
        lake = Lake.open(self.settings)
        return [day for day in DAYS if lake.parts(self.org, day)]

    def outcomes(self) -> dict[str, int]:
        rows = self.db.rows("SELECT outcome, count FROM intake_counts WHERE org_id = ?", self.org)
        return dict(rows)

    def due(self) -> list[date]:
        return reads.due_days(self.db, self.org)


def an_event(day: date, ms: int = 43_200_000, **fields: Any) -> Event:
    at = days.start_ms(day) + ms
    return lakes.event("model_call", ts=at, model="gpt-5", input_tokens=7, **fields)


@pytest.fixture
def each_place(db: Database, tmp_path: Path) -> Iterator[Place]:
    """On either kind of database."""
    made = Place(db, tmp_path)
    yield made
    made.inbox.close()


@pytest.fixture
def place(sqlite_template: Path, tmp_path: Path) -> Iterator[Place]:
    """On SQLite, for what is the same on both."""
    shutil.copyfile(sqlite_template, tmp_path / "state.sqlite3")
    with closing(Database.open(databases.sqlite_url(tmp_path / "state.sqlite3"))) as db:
        made = Place(db, tmp_path)
        yield made
        made.inbox.close()


def test_old_events_go_and_their_documents_stay(each_place: Place) -> None:
    assert each_place.enforce() == DAYS[:2]
    assert each_place.with_events() == DAYS[2:]
    assert DAYS[2] == HORIZON
    assert each_place.due() == []
    assert each_place.rolled_up() == each_place.documents
    assert each_place.enforce() == []


def test_slices_of_erased_days_stay_and_are_not_asked_of_events_that_are_gone(
    place: Place,
) -> None:
    kept = serving.slices(place.db, place.org, DAYS[0], DAYS[-1])
    assert [day for day, _ in kept] == DAYS

    place.enforce()
    place.rolled_up()

    assert serving.slices(place.db, place.org, DAYS[0], DAYS[-1]) == kept
    with place.db.transaction() as connection:
        connection.execute(text("DELETE FROM day_slices WHERE org_id = :org"), {"org": place.org})
    wanted = serving.unsliced_days(place.db, place.org, DAYS[0], DAYS[-1])
    assert wanted == {day for day in DAYS if day > HORIZON}


def test_without_a_policy_nothing_goes(place: Place) -> None:
    place.settings = msgspec.structs.replace(place.settings, raw_events_days=None)
    assert place.enforce() == []
    assert place.with_events() == DAYS


def keeps(place: Place, org: OrgId, kept_days: int | None) -> None:
    """An owner of an organization sets how many days of events it keeps."""
    owner = a_caller(place.db, org, a_member(place.db, org, f"boss@{org}.example", "owner"))
    policy.put(place.db, place.settings, org, kept_days, by=owner)


def test_an_organization_s_own_number_erases_its_events_and_nobody_else_s(
    each_place: Place,
) -> None:
    place = each_place
    place.settings = msgspec.structs.replace(place.settings, raw_events_days=None)
    org, other = place.org, an_organization(place.db, "Other")
    for place.org in (org, other):
        place.take(*(an_event(TODAY - timedelta(days=n)) for n in (9, 8)))
        place.take(*(an_event(day) for day in DAYS))
        schedule.roll_up_due(place.db, place.settings, place.org)
    clock.freeze(datetime(2026, 11, 22, 12, tzinfo=UTC))
    for place.org in (org, other):
        schedule.roll_up_due(place.db, place.settings, place.org)
    keeps(place, org, 8)

    erased = retention.enforce(place.db, place.inbox, place.settings)

    assert erased == [(org, TODAY - timedelta(days=n)) for n in (9, 8)]
    assert horizon.closed_through(place.db, other) is None
    place.org = other
    lake = Lake.open(place.settings)
    assert all(lake.parts(other, TODAY - timedelta(days=n)) for n in (9, 8))
    assert place.with_events() == DAYS


def test_the_operator_s_shorter_number_holds_over_what_an_organization_set_before(
    place: Place,
) -> None:
    first = place.settings
    place.settings = msgspec.structs.replace(place.settings, raw_events_days=None)
    keeps(place, place.org, 30)
    place.settings = first

    assert place.enforce() == DAYS[:2]


def test_a_day_that_is_not_rolled_up_keeps_its_events_and_those_of_the_days_after_it(
    place: Place,
) -> None:
    place.take(an_event(DAYS[1]))
    assert place.enforce() == []
    assert place.with_events() == DAYS
    place.documents = place.rolled_up()
    assert place.enforce() == DAYS[:2]
    assert place.rolled_up() == place.documents


def test_what_was_accepted_while_a_day_was_open_counts(place: Place) -> None:
    place.take(an_event(DAYS[0]), move=False)
    assert place.enforce() == []
    place.move()
    assert place.rolled_up() != place.documents
    assert place.enforce() == DAYS[:2]
    assert place.outcomes() == {"kept": 5}


def test_an_import_of_what_is_old_counts_whole_before_it_is_erased(place: Place) -> None:
    old = DAYS[0] - timedelta(days=1)
    place.take(an_event(old))
    place.rolled_up()
    assert place.enforce() == []
    place.take(an_event(old), an_event(DAYS[0]))
    place.rolled_up()
    assert place.outcomes() == {"kept": 4 + 3}
    clock.freeze(datetime(2026, 11, 22, 12, tzinfo=UTC))
    place.rolled_up()
    assert place.enforce() == [old, *DAYS[:3]]


def test_a_policy_closes_nothing_where_there_is_nothing_to_erase(place: Place) -> None:
    place.settings = msgspec.structs.replace(place.settings, raw_events_days=90)
    assert place.enforce() == []
    place.take(an_event(TODAY - timedelta(days=92)))
    assert place.outcomes() == {"kept": 5}


def test_late_data_for_a_closed_day_is_counted_and_changes_nothing(each_place: Place) -> None:
    each_place.enforce()
    each_place.take(*(an_event(day) for day in [*DAYS, DAYS[0] - timedelta(days=30)]))
    assert each_place.outcomes() == {"kept": 4 + 1, "closed_day": 4}
    assert each_place.due() == DAYS[3:]
    after = each_place.rolled_up()
    assert {day: after[day] for day in DAYS[:3]} == {
        day: each_place.documents[day] for day in DAYS[:3]
    }
    assert each_place.with_events() == DAYS[2:]
    assert each_place.enforce() == []


def test_the_day_after_the_horizon_still_leaves_out_what_counts_on_the_day_before(
    place: Place,
) -> None:
    around = {"event_id": "f" * 32}
    place.take(an_event(HORIZON, ms=days.MS_PER_DAY - 1_000, **around))
    place.documents = place.rolled_up()
    place.enforce()
    place.take(an_event(HORIZON + timedelta(days=1), ms=1_000, **around))
    assert place.rolled_up() == place.documents


def test_a_day_that_is_closed_while_a_part_is_written_for_it_loses_the_part(
    each_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Lake.write

    def closing(self: Lake, org: str, day: date, name: str, tables: Any) -> str:
        path = write(self, org, day, name, tables)
        monkeypatch.undo()
        with each_place.db.transaction() as connection:
            horizon.hold(connection, [org])
            horizon.close(connection, org, HORIZON)
        return path

    monkeypatch.setattr(Lake, "write", closing)
    each_place.take(an_event(DAYS[0]), an_event(DAYS[3]))
    assert each_place.outcomes() == {"kept": 5, "closed_day": 1}
    assert each_place.due() == [DAYS[3]]
    lake = Lake.open(each_place.settings)
    assert [len(lake.parts(each_place.org, day)) for day in DAYS] == [1, 1, 1, 2]


def test_a_version_that_knows_no_closed_days_cannot_replace_a_whole_document(
    place: Place,
) -> None:
    place.enforce()
    lakes.land(place.db, place.settings, place.org, [[an_event(DAYS[0])]], DAYS[0])
    assert place.due() == [DAYS[0]]
    assert place.rolled_up() == place.documents
    assert place.due() == []


def test_erasing_that_dies_anywhere_is_made_up_for(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    fate = Fate()
    fate.around(monkeypatch, LocalFiles, "delete")
    fate.around_transactions(monkeypatch)
    deaths = 0
    while True:
        fate.left = deaths + 1
        try:
            place.enforce()
        except Died:
            deaths += 1
            continue
        break
    monkeypatch.undo()
    assert deaths >= 4
    assert place.with_events() == DAYS[2:]
    assert horizon.to_erase(place.db, place.org) == []
    assert place.rolled_up() == place.documents


def test_a_lake_in_a_bucket_gives_the_same_documents_and_erases_the_same_days(
    place: Place, object_storage: ObjectStorage, tmp_path: Path
) -> None:
    (tmp_path / "remote").mkdir()
    url = object_storage.bucket("retention")
    remote = Place(place.db, tmp_path / "remote", lake_url=url)
    assert remote.with_events() == DAYS
    assert remote.documents == place.documents
    assert remote.enforce() == DAYS[:2]
    assert remote.with_events() == DAYS[2:]
    assert not (tmp_path / "remote" / "lake").exists()
    remote.inbox.close()


def test_another_card_makes_do_with_sums_of_a_day_whose_events_are_erased(place: Place) -> None:
    place.enforce()
    thrice = parse(
        '[[families]]\nprefixes = ["gpt-5"]\nsteps = [{ from = 2025-01-01, multiplier = 3 }]', "x"
    )

    span = DayRange(DAYS[0], DAYS[-1])
    found = what_if.compare(place.db, place.settings, card(), thrice, place.org, span)

    assert [row.is_exact for row in found.data] == [day > HORIZON for day in DAYS]
    assert {(row.billable_tokens_now, row.billable_tokens_then) for row in found.data} == {(4, 21)}
    assert not found.meta.totals.is_exact
