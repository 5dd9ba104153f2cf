"""What is stored about a person is handed out whole, to those who may have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.errors import Forbidden, NotFound
from stationmaster.lake.storage import Lake
from stationmaster.limits.model import UserLimit
from stationmaster.limits.service import set_user_limits
from stationmaster.people import export
from tests.people.test_erasing import EMAIL, OTHER, Place
from tests.support.builders import a_caller, a_member, a_service_account, an_organization


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Iterator[Place]:
    made = Place(database_url, tmp_path)
    yield made
    made.close()


def exported(place: Place, person: str | None = EMAIL) -> dict[str, list[dict[str, object]]]:
    named = export.of(place.db, place.org, person, by=place.owner)
    found: dict[str, list[dict[str, object]]] = {}
    for record in export.records(place.db, Lake.open(place.settings), place.org, named):
        found.setdefault(record.section, []).append(record.data)
    return found


def test_an_export_has_everything_of_the_person_and_nothing_of_others(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS", 1)
    set_user_limits(place.db, place.owner, [UserLimit(EMAIL, 2_000_000)])

    found = exported(place)

    counts = {section: len(records) for section, records in found.items()}
    # Six events of three days; the day without events has figures.
    assert (counts["events"], counts["days"], counts["keys"]) == (6, 3, 2)
    assert {"members", "limits", "aliases", "evidence", "senders", "computers", "audit"} <= set(
        counts
    )
    assert OTHER not in repr(found).replace(EMAIL, "")
    for secret in ("secret_hash", "link_hash", "credential_hash"):
        assert secret not in repr(found)


def test_owners_export_anybody_and_others_themselves(place: Place) -> None:
    ann = a_caller(place.db, place.org, a_member(place.db, place.org, "ann@example.com", "guest"))
    program = a_caller(place.db, place.org, a_service_account(place.db, place.org))

    own = export.of(place.db, place.org, None, by=ann)
    assert own.emails == ["ann@example.com"]
    assert export.of(place.db, place.org, "ann@example.com", by=ann) == own
    assert export.of(place.db, place.org, "ann@example.com", by=place.owner) == own
    for caller, person in ((ann, EMAIL), (ann, "nobody@example.com"), (program, None)):
        with pytest.raises(Forbidden):
            export.of(place.db, place.org, person, by=caller)


def test_nothing_crosses_an_organization(place: Place) -> None:
    other = an_organization(place.db, "Other")
    owner = a_caller(place.db, other, a_member(place.db, other, "own@example.com", "owner"))
    with pytest.raises(NotFound):
        export.of(place.db, other, place.eve.user_id, by=owner)
    with pytest.raises(NotFound):
        export.of(place.db, other, EMAIL, by=owner)
