from __future__ import annotations

import pytest

from stationmaster import ids
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.ingest.delivery import attribute, prepare
from tests.ingest.otlp_bodies import RECEIVED_MS, a_caller
from tests.support.builders import an_event

FIVE_MINUTES = 300_000
NEW_YEAR_2020 = 1_577_836_800_000


def test_a_delivery_is_of_the_callers_organization_and_counts_what_it_keeps() -> None:
    events = [an_event(), an_event(product="codex"), an_event(), an_event(source="hook")]
    drops = {("codex", "otlp_logs", "redundant"): 4}
    delivery = prepare(a_caller(), events, drops, received_ms=RECEIVED_MS)
    assert delivery.org_id == "org_a"
    assert delivery.events == events
    assert delivery.tally == {
        ("codex", "otlp_logs", "redundant"): 4,
        ("claude-code", "otlp_logs", "kept"): 2,
        ("codex", "otlp_logs", "kept"): 1,
        ("claude-code", "hook", "kept"): 1,
    }


def test_nothing_leaves_an_empty_delivery() -> None:
    delivery = prepare(a_caller(), [], {}, received_ms=RECEIVED_MS)
    assert (delivery.events, delivery.tally) == ([], {})


@pytest.mark.parametrize("ts", [RECEIVED_MS + FIVE_MINUTES, NEW_YEAR_2020])
def test_believable_times_stay(ts: int) -> None:
    event = an_event(ts=ts)
    prepare(a_caller(), [event], {}, received_ms=RECEIVED_MS)
    assert (event.ts, event.ts_source, event.quality) == (ts, "event", None)


@pytest.mark.parametrize("ts", [RECEIVED_MS + FIVE_MINUTES + 1, NEW_YEAR_2020 - 1, -5, 2**70])
def test_unbelievable_times_are_replaced_and_flagged(ts: int) -> None:
    event = an_event(ts=ts, quality="no_session")
    prepare(a_caller(), [event], {}, received_ms=RECEIVED_MS)
    assert (event.ts, event.ts_source) == (RECEIVED_MS, "received")
    assert event.quality == "clock_skew,no_session"


def test_session_ids_keep_printable_characters_only() -> None:
    event = an_event(session_id="s\x001\n", root_session_id="\x00")
    prepare(a_caller(), [event], {}, received_ms=RECEIVED_MS)
    assert (event.session_id, event.root_session_id) == ("s1", None)


ADA = ids.user_of_email(OrgId("org_a"), "ada@example.com")
BEN = ids.user_of_email(OrgId("org_a"), "ben@example.com")
HUMAN = {"principal_kind": "human", "principal_id": ADA, "email": "ada@example.com"}


def attributed(event: Event, **caller: object) -> tuple[str | None, str | None, str | None]:
    attribute([event], a_caller(**caller))
    return event.user_id, event.user_email, event.user_source


def test_a_persons_ingest_key_speaks_for_that_person_whatever_the_telemetry_says() -> None:
    event = an_event(user_email="ben@example.com", user_id="user_forged", installation="i")
    assert attributed(event, scope="ingest", **HUMAN) == (ADA, "ada@example.com", "credential")


def test_an_address_names_the_person_behind_a_service_accounts_key() -> None:
    event = an_event(user_email=" Ben@Example.com ", installation="i")
    assert attributed(event, scope="ingest") == (BEN, "ben@example.com", "email")


def test_an_address_names_the_person_behind_a_full_key() -> None:
    event = an_event(user_email="ben@example.com")
    assert attributed(event, **HUMAN) == (BEN, "ben@example.com", "email")


def test_an_installation_is_a_person_where_a_program_is_the_caller() -> None:
    user = ids.user_of_installation(OrgId("org_a"), "claude-code", "i")
    assert attributed(an_event(installation="i")) == (user, None, "installation")


def test_an_installation_is_nobody_where_a_person_is_the_caller() -> None:
    assert attributed(an_event(installation="i"), **HUMAN) == (ADA, "ada@example.com", "key")


def test_what_names_nobody_belongs_to_the_owner_of_the_key() -> None:
    event = an_event(user_id="user_forged", user_source="credential")
    assert attributed(event) == ("svc_1", None, "key")


@pytest.mark.parametrize("address", ["ada", "@", "a@b@c", "ada @example.com", "x" * 300 + "@y", ""])
def test_what_is_no_address_names_nobody(address: str) -> None:
    assert attributed(an_event(user_email=address)) == ("svc_1", None, "key")


def test_the_same_address_is_another_user_in_another_organization() -> None:
    one, other = an_event(user_email="ada@example.com"), an_event(user_email="ada@example.com")
    attribute([one], a_caller(org_id=OrgId("org_a")))
    attribute([other], a_caller(org_id=OrgId("org_b")))
    assert one.user_id != other.user_id
