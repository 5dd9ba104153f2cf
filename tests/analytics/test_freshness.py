"""What is found current stays so exactly until a database says otherwise, or a rest is over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.analytics import freshness
from stationmaster.analytics.freshness import Freshness
from stationmaster.analytics.model import DayRange
from stationmaster.api.services import Services
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.lake.inbox import Inbox
from stationmaster.lake.rollups import reads, serving, store
from stationmaster.lake.rollups.model import FACTS_OLDEST
from stationmaster.lake.rows import Delivery
from tests.support import databases
from tests.support.builders import an_event
from tests.support.servers import settings_for

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ORG = OrgId("org_a")
DAY = date(2026, 11, 20)
ASKED = DayRange(DAY, DAY)
COLUMNS = "(org_id, day, landed, rolled, rolled_at, cost_ms)"


@pytest.fixture(params=databases.KINDS)
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    clock.freeze(NOW)
    if request.param == "sqlite":
        opened = Services.open(settings_for(tmp_path, "sqlite"))
        yield opened
        opened.close()
        return
    with request.getfixturevalue("postgresql").database() as url:
        opened = Services.open(settings_for(tmp_path, url))
        yield opened
        opened.close()


@pytest.fixture
def fresh(services: Services) -> Freshness:
    """A day that was rolled up just now, which took two seconds, and was found current already."""
    rolled_at = int(NOW.timestamp() * 1000)
    elsewhere(
        services,
        f"INSERT INTO lake_days {COLUMNS} VALUES ('{ORG}', '{DAY}', 1, 1, {rolled_at}, 2000)",
    )
    assert services.freshness.is_current(ORG, ASKED)
    return services.freshness


def elsewhere(services: Services, sql: str) -> None:
    """What another process commits to the state database."""
    other = Database.open(services.settings.state_url)
    with other.transaction() as connection:
        connection.exec_driver_sql(sql)
    other.close()


def test_a_day_stays_current_while_nothing_is_written(fresh: Freshness) -> None:
    clock.freeze(NOW + timedelta(days=30))

    assert fresh.is_current(ORG, ASKED)


def test_a_delivery_that_another_process_accepted_counts_at_once(
    services: Services, fresh: Freshness
) -> None:
    inbox = Inbox.open(services.settings)
    inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    inbox.close()

    assert not fresh.is_current(ORG, ASKED)
    assert fresh.is_current(OrgId("org_b"), ASKED)


def test_a_day_that_was_never_rolled_up_counts_at_once(
    services: Services, fresh: Freshness
) -> None:
    elsewhere(
        services,
        f"INSERT INTO lake_days {COLUMNS} VALUES ('{ORG}', '2026-11-19', 1, 0, NULL, NULL)",
    )

    assert not fresh.is_current(ORG, ASKED)


def test_late_data_of_a_large_day_counts_when_its_rest_is_over_though_nothing_is_written_then(
    services: Services, fresh: Freshness
) -> None:
    elsewhere(services, "UPDATE lake_days SET landed = 2")

    assert fresh.is_current(ORG, ASKED)
    clock.freeze(NOW + timedelta(seconds=39))
    assert fresh.is_current(ORG, ASKED)
    clock.freeze(NOW + timedelta(seconds=40))
    assert not fresh.is_current(ORG, ASKED)


def test_late_data_of_a_small_day_counts_at_once(services: Services, fresh: Freshness) -> None:
    elsewhere(services, "UPDATE lake_days SET landed = 2, cost_ms = 1000")

    assert not fresh.is_current(ORG, ASKED)


def test_late_data_that_nobody_asks_for_gathers_before_the_background_restates_its_day(
    services: Services,
) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.mover.drain(ORG)
    services.freshness.catch_up(threading.Event())
    for second in range(0, 60, 15):
        clock.freeze(NOW + timedelta(seconds=second))
        elsewhere(services, "UPDATE lake_days SET landed = landed + 1")
        services.freshness.catch_up(threading.Event())
        assert reads.due_days(services.db, ORG) == [DAY]

    clock.freeze(NOW + timedelta(seconds=61))
    services.freshness.catch_up(threading.Event())

    assert reads.due_days(services.db, ORG) == []


def test_a_question_restates_late_data_that_the_background_lets_gather(services: Services) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.mover.drain(ORG)
    services.freshness.catch_up(threading.Event())
    elsewhere(services, "UPDATE lake_days SET landed = landed + 1, cost_ms = 1")
    services.freshness.catch_up(threading.Event())

    services.freshness.ensure(ORG, ASKED)

    assert reads.due_days(services.db, ORG) == []


def test_one_range_says_nothing_of_another(services: Services, fresh: Freshness) -> None:
    elsewhere(
        services,
        f"INSERT INTO lake_days {COLUMNS} VALUES ('{ORG}', '2026-11-21', 1, 0, NULL, NULL)",
    )

    assert fresh.is_current(ORG, ASKED)
    assert not fresh.is_current(ORG, DayRange(DAY, date(2026, 11, 21)))


def test_what_is_remembered_is_bounded(fresh: Freshness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "KNOWN_MAX", 3)

    for n in range(10):
        assert fresh.is_current(ORG, DayRange(DAY - timedelta(days=n), DAY))

    assert len(fresh._remembered.ranges) <= 3


def test_an_organization_that_fails_keeps_no_other_from_its_rollup(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for org in ("org_a", "org_b", "org_c"):
        row = f"('{org}', '{DAY}', 1, 0)"
        elsewhere(services, f"INSERT INTO lake_days (org_id, day, landed, rolled) VALUES {row}")
    standing = freshness.serving.current_days

    def refusing(db: Database, org: OrgId, *rest: object) -> object:
        if org == "org_b":
            raise RuntimeError("unreadable")
        return standing(db, org, *rest)  # type: ignore[arg-type]  # what it was given

    monkeypatch.setattr(freshness.serving, "current_days", refusing)
    services.freshness.catch_up(threading.Event())

    done = services.db.rows("SELECT org_id FROM lake_days WHERE rolled = landed ORDER BY 1")
    assert done == [("org_a",), ("org_c",)]


def test_slices_that_an_older_version_left_out_or_behind_are_made_when_they_are_asked_for(
    services: Services,
) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.freshness.ensure(ORG, ASKED, sliced=True)
    kept = serving.slices(services.db, ORG, DAY, DAY)
    assert [day for day, _ in kept] == [DAY]

    for left in ("DELETE FROM day_slices", "UPDATE day_slices SET landed = 0"):
        elsewhere(services, left)
        services.freshness.ensure(ORG, ASKED)
        assert serving.unsliced_days(services.db, ORG, DAY, DAY) == {DAY}
        services.freshness.ensure(ORG, ASKED, sliced=True)
        assert serving.slices(services.db, ORG, DAY, DAY) == kept


def test_the_background_makes_slices_that_are_missing(services: Services) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.freshness.ensure(ORG, ASKED)
    kept = serving.slices(services.db, ORG, DAY, DAY)
    elsewhere(services, "DELETE FROM day_slices")

    services.freshness.catch_up(threading.Event())

    assert serving.slices(services.db, ORG, DAY, DAY) == kept


def test_the_background_makes_facts_that_are_missing_or_of_an_older_form(
    services: Services,
) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.freshness.ensure(ORG, ASKED)
    kept = serving.facts(services.db, ORG, DAY, DAY)
    assert [day for day, *_ in kept] == [DAY]

    for left in ("DELETE FROM day_facts", "UPDATE day_facts SET form = 0"):
        elsewhere(services, left)
        services.freshness.ensure(ORG, ASKED, sliced=True)
        assert serving.factless_days(services.db, ORG, DAY, DAY) == {DAY}
        services.freshness.catch_up(threading.Event())
        assert serving.facts(services.db, ORG, DAY, DAY) == kept


def test_facts_of_the_form_before_are_read_until_their_day_is_counted_again(
    services: Services,
) -> None:
    services.inbox.append(Delivery(ORG, [an_event()], {})).result(10)
    services.freshness.ensure(ORG, ASKED)
    kept = serving.facts(services.db, ORG, DAY, DAY)
    elsewhere(services, f"UPDATE day_facts SET form = {FACTS_OLDEST}")

    assert serving.facts(services.db, ORG, DAY, DAY) == kept
    assert serving.factless_days(services.db, ORG, DAY, DAY) == set()
    due = serving.factless_days(services.db, ORG, DAY, DAY, only_countable=True)
    assert due == {DAY}
    services.freshness.catch_up(threading.Event())
    due = serving.factless_days(services.db, ORG, DAY, DAY, only_countable=True)
    assert due == set()


def test_a_question_over_a_damaged_day_is_answered_as_stored_or_refused(
    services: Services,
) -> None:
    for day in (DAY - timedelta(days=1), DAY):
        at = clock.now_ms() - (NOW.date() - day).days * 86_400_000
        services.inbox.append(Delivery(ORG, [an_event(ts=at)], {})).result(10)
        services.mover.drain(ORG)
        if day < DAY:
            services.freshness.ensure(ORG, DayRange(day, day))
    for part in services.settings.lake_dir.rglob("part-*"):
        part.unlink()
    store.mark_range(services.db, ORG, DAY - timedelta(days=1), DAY)

    before = DayRange(DAY - timedelta(days=1), DAY - timedelta(days=1))
    services.freshness.ensure(ORG, before)
    assert reads.documents(services.db, ORG, "tokens", before.first, before.last)
    with pytest.raises(Unavailable, match=f"There are no figures of {DAY}"):
        services.freshness.ensure(ORG, ASKED)
