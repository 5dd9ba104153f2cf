"""How long an organization keeps raw events: who sets it to what, and that it is audited."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.access import retention
from stationmaster.access.retention import DAYS_MAX, DAYS_MIN, Retention
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.settings import Settings
from tests.support.builders import a_caller, a_member, an_organization, audited


def test_the_operator_s_number_holds_until_an_owner_sets_one(db: Database, tmp_path: Path) -> None:
    org, other = an_organization(db), an_organization(db, "Other")
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    settings = Settings(data_dir=tmp_path, raw_events_days=90)
    assert retention.of(db, settings, org) == Retention(None, 90)

    assert retention.put(db, settings, org, 30, by=owner) == Retention(30, 90)
    retention.put(db, settings, org, 30, by=owner)

    assert retention.of(db, settings, org).effective_days == 30
    assert retention.of(db, settings, other).effective_days == 90
    record = audited(db, org, "retention_changed")
    assert record.payload == {"days": 30, "previous_days": None}


def test_an_owner_leaves_it_to_the_operator_again(db: Database, tmp_path: Path) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    settings = Settings(data_dir=tmp_path)
    retention.put(db, settings, org, 30, by=owner)
    retention.put(db, settings, org, 31, by=owner)

    assert retention.put(db, settings, org, None, by=owner).effective_days is None

    assert retention.of(db, settings, org) == Retention(None, None)


@pytest.mark.parametrize(
    ("operator_days", "days"),
    [
        (None, DAYS_MIN - 1),
        (None, 0),
        (None, -1),
        (None, DAYS_MAX + 1),
        (90, 91),
        (DAYS_MIN, DAYS_MIN - 1),
        (3, 3),
        (3, DAYS_MIN),
    ],
)
def test_what_is_shorter_than_a_week_or_longer_than_the_operator_s_is_refused(
    db: Database, tmp_path: Path, operator_days: int | None, days: int
) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    settings = Settings(data_dir=tmp_path, raw_events_days=operator_days)

    with pytest.raises(BadRequest) as refused:
        retention.put(db, settings, org, days, by=owner)

    assert refused.value.code == "invalid_retention"
    assert retention.of(db, settings, org) == Retention(None, operator_days)


def test_a_shorter_number_of_the_operator_holds_over_an_earlier_one_of_the_organization(
    db: Database, tmp_path: Path
) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    retention.put(db, Settings(data_dir=tmp_path), org, 30, by=owner)

    later = retention.of(db, Settings(data_dir=tmp_path, raw_events_days=10), org)

    assert (later.days, later.effective_days) == (30, 10)
