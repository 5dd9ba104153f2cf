"""What a collector makes of an agent's files and hooks passes the door as it is."""

from __future__ import annotations

import msgspec
import pytest

from stationmaster.events.model import Event
from stationmaster.ingest import events
from tests.agents import filed
from tests.support.recordings import expected


def told(product: str) -> list[Event]:
    read = filed.of_files(product, filed.files(product))
    for session in expected(product):
        read += filed.of_hooks(product, session["run"])
    return read


@pytest.mark.parametrize("product", ["droid", "cursor"])
def test_every_event_of_the_recordings_is_taken_with_the_standing_it_has(product: str) -> None:
    sent = told(product)

    taken = events.check(map(msgspec.json.encode, sent))

    assert taken.errors == []
    standings = [(event.source, event.source_rank, event.source_group) for event in taken.events]
    assert standings == [(e.source, e.source_rank, e.source_group) for e in sent]
