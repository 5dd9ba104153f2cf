from __future__ import annotations

import pytest

from stationmaster.ingest.delivery import prepare
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
