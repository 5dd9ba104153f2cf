"""The time zone of an organization: who sets it to what, and that it is audited."""

from __future__ import annotations

import pytest

from stationmaster.access import time_zone
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from tests.support.builders import a_caller, a_member, an_organization, audited


def test_days_are_those_of_utc_until_an_owner_sets_another_zone(db: Database) -> None:
    org, other = an_organization(db), an_organization(db, "Other")
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    assert time_zone.of(db, org) == "UTC"

    assert time_zone.put(db, org, "Asia/Tokyo", by=owner) == "Asia/Tokyo"
    time_zone.put(db, org, "Asia/Tokyo", by=owner)

    assert (time_zone.of(db, org), time_zone.of(db, other)) == ("Asia/Tokyo", "UTC")
    found = audited(db, org, "time_zone_changed")
    assert found.payload == {"time_zone": "Asia/Tokyo", "previous_time_zone": "UTC"}


@pytest.mark.parametrize("name", ["", "Tokyo", "asia/tokyo", "../etc/passwd", "/etc/localtime"])
def test_what_is_not_on_the_list_is_refused_and_changes_nothing(db: Database, name: str) -> None:
    org = an_organization(db)
    owner = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))

    with pytest.raises(BadRequest) as refused:
        time_zone.put(db, org, name, by=owner)

    assert refused.value.code == "invalid_time_zone"
    assert time_zone.of(db, org) == "UTC"
