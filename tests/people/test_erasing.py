"""A person is erased: no byte of what is stored names them, whatever dies on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster import clock
from stationmaster.access import audit, service
from stationmaster.errors import Conflict, Forbidden, NotFound
from stationmaster.lake import integrity
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.storage import Lake, LocalFiles
from stationmaster.people import erasure
from stationmaster.people.erasure import Reports
from tests.people.traces import CLOSED, EMAIL, FIRST, OTHER, SECOND, Place
from tests.support.builders import a_caller
from tests.support.deaths import Died, Fate

pytestmark = pytest.mark.attack


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Iterator[Place]:
    made = Place(database_url, tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("reports", ["restate", "anonymise"])
def test_no_byte_names_a_person_who_was_erased(place: Place, reports: Reports) -> None:
    assert sorted(place.traces()) == sorted(place.marks())
    before = place.tokens()
    assert before == dict.fromkeys(before, 3000)
    place.send(*place._day(SECOND), sender=place.eve.user_id)

    asked = place.request(reports)
    place.send(*place._day(SECOND))
    place.erase(asked)

    assert place.traces() == {}
    done = erasure.get(place.db, place.org, asked.erasure_id)
    assert done.finished_at == clock.now_ms()
    assert done.events == 6
    after = place.tokens()
    # Of a day without events nothing is counted again: its figures stay, under no name.
    assert after.pop(CLOSED) == 3_000
    # What came while the person was being erased is Steve's alone.
    first, second = (1_000, 3_000) if reports == "restate" else (3_000, 5_000)
    assert (after[FIRST], after[SECOND]) == (first, second)
    assert integrity.check_all(place.db, Lake.open(place.settings)).faults == []


@pytest.mark.slow
def test_an_erasure_that_dies_at_any_step_ends_as_if_it_had_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = place.request("restate")
    fate, deaths = Fate(), 0
    fate.around_transactions(monkeypatch)
    fate.around(monkeypatch, Lake, "write")
    fate.around(monkeypatch, LocalFiles, "delete")
    while True:
        # Further each time. A transaction has three steps, so that sevens come to each of them.
        fate.left = 1 + 7 * deaths
        try:
            place.erase(asked)
            break
        except Died:
            deaths += 1
            fate.left = 0
            half = place.tokens()
            assert set(half.values()) <= {3_000, 1_000}, deaths
    fate.left = 0

    assert deaths > 12
    assert place.traces() == {}
    assert place.tokens() == {CLOSED: 3_000, FIRST: 1_000, SECOND: 1_000}


@pytest.mark.slow
def test_a_count_beside_an_erasure_sees_the_day_before_or_after_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two batches are rewritten one by one, and change places together."""
    place.send(*place._day(FIRST))
    place.mover.drain()
    place.roll_up()
    assert place.tokens()[FIRST] == 6_000
    seen: list[int] = []
    write = Lake.write
    mark = f"UPDATE lake_days SET landed = landed + 1 WHERE day = '{FIRST}'"

    def counting(lake: Lake, *given: Any) -> Any:
        with place.db.transaction() as connection:
            connection.exec_driver_sql(mark)
        place.roll_up()
        seen.append(place.tokens()[FIRST])
        written = write(lake, *given)
        with place.db.transaction() as connection:
            connection.exec_driver_sql(mark)
        place.roll_up()
        seen.append(place.tokens()[FIRST])
        return written

    monkeypatch.setattr(Lake, "write", counting)
    place.erase(place.request("anonymise"))

    assert set(seen) == {6_000}
    assert place.tokens()[FIRST] == 6_000


def test_what_arrives_later_for_an_erased_address_is_not_stored(place: Place) -> None:
    place.erase(place.request("restate"))

    place.send(*place._day(SECOND))
    place.mover.drain()
    place.roll_up()

    assert place.traces() == {}
    outcomes = dict(place.db.rows("SELECT outcome, sum(count) FROM intake_counts GROUP BY 1"))
    assert outcomes["erased_person"] == 2

    service.invite_member(place.db, place.org, EMAIL, "member", by=place.owner)
    place.send(*place._day(SECOND))
    place.mover.drain()
    assert EMAIL in place.traces()


def test_mail_to_an_erased_person_is_deleted_and_mail_to_others_waits(place: Place) -> None:
    assert "waiting mail" in place.traces()[EMAIL]

    place.erase(place.request("restate"))

    [(org, mail_id, sealed)] = place.db.rows("SELECT org_id, mail_id, sealed FROM outgoing_mail")
    message = place.vault.unseal(bytes(sealed), f"mail {org} {mail_id}").reveal()
    assert msgspec.json.decode(message)["recipients"] == [OTHER]


def test_mail_that_does_not_open_is_deleted(place: Place) -> None:
    with place.db.transaction() as connection:
        connection.exec_driver_sql("UPDATE outgoing_mail SET mail_id = 'x' || mail_id")

    place.erase(place.request("restate"))

    assert place.db.rows("SELECT mail_id FROM outgoing_mail") == []


def test_sessions_of_closed_days_lose_their_ids_person_by_person(place: Place) -> None:
    """The second erasure, too, knows which ids are the person's."""
    key = (place.org, CLOSED.isoformat())
    place.erase(place.request("restate"))
    steve = erasure.request(place.db, place.org, OTHER, "restate", by=place.owner)
    place.erase(steve)

    ids_left = {
        session
        for (session,) in place.db.rows(
            "SELECT session_id FROM session_days WHERE org_id = ? AND day = ?", *key
        )
    }
    [(worst,)] = place.db.rows(
        "SELECT worst FROM source_comparisons WHERE org_id = ? AND day = ?", *key
    )
    compared = {session for session, _, _ in msgspec.json.decode(worst)}
    assert len(ids_left) == 3
    assert compared == ids_left
    assert not any("eve-" in session for session in ids_left | compared)


def test_access_ends_with_the_request(place: Place) -> None:
    assert place.db.rows(
        "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND principal_id = ?", place.eve.user_id
    )
    place.request("restate")
    assert not place.db.rows(
        "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND principal_id = ?", place.eve.user_id
    )


def test_the_audit_log_stays_without_the_name(place: Place) -> None:
    before = audit.page(place.db, place.org, limit=100)
    place.erase(place.request("restate"))

    records = audit.page(place.db, place.org, limit=100)
    events = [record.event_type for record in records]
    assert len(records) == len(before) + 3
    assert {"person_erasure_requested", "person_erased"} <= set(events)
    changed = next(r for r in records if r.event_type == "member_role_changed")
    assert changed.actor is not None
    assert (changed.actor.email, changed.actor.id) == ("erased person", "erased person")


def test_the_last_owner_managers_and_strangers_are_refused(place: Place) -> None:
    with pytest.raises(Conflict):
        erasure.request(place.db, place.org, "own@example.com", "restate", by=place.owner)
    manager = a_caller(place.db, place.org, place.eve)
    with pytest.raises(Forbidden):
        erasure.request(place.db, place.org, EMAIL, "restate", by=manager)
    with pytest.raises(NotFound):
        erasure.request(place.db, place.org, "nobody@example.com", "restate", by=place.owner)


def test_a_changed_part_stops_an_erasure_until_it_is_restored(place: Place) -> None:
    part = Path(Lake.open(place.settings).parts(place.org, FIRST)[0].path)
    whole = part.read_bytes()
    part.write_bytes(whole[:-3])
    asked = place.request("restate")
    with pytest.raises(DamagedParts):
        place.erase(asked)

    part.write_bytes(whole)
    place.erase(asked)

    assert place.traces() == {}


def test_two_people_with_similar_addresses_are_two(place: Place) -> None:
    place.erase(place.request("restate"))
    emails = [OTHER.encode() in body for _, body in place.everything()]
    assert any(emails)
