"""The last step before the inbox: whose events these are, believable times, and the tally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

from stationmaster.access.model import Caller
from stationmaster.events.model import Event
from stationmaster.ingest.attribution import attribute
from stationmaster.lake.rows import Delivery, Tally

FUTURE_MS = 5 * 60_000
"""How far ahead of ours a sender's clock may be."""
EARLIEST_MS = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""No agent is older."""


def prepare(
    caller: Caller,
    events: list[Event],
    drops: Mapping[tuple[str, str, str], int],
    *,
    received_ms: int,
) -> Delivery:
    """What the inbox takes of one request; the events are changed in place.

    A time that cannot be true is replaced by the time of receipt and flagged `clock_skew`.
    Session ids keep their printable characters only: not every database takes the others.
    """
    attribute(events, caller)
    latest = received_ms + FUTURE_MS
    for event in events:
        if not EARLIEST_MS <= event.ts <= latest:
            _received_instead(event, received_ms)
        if event.session_id is not None and not event.session_id.isprintable():
            event.session_id = _printable(event.session_id)
        if event.root_session_id is not None and not event.root_session_id.isprintable():
            event.root_session_id = _printable(event.root_session_id)
    tally: Tally = dict(drops)
    for (product, source), count in Counter((e.product, e.source) for e in events).items():
        tally[product, source, "kept"] = count
    return Delivery(caller.org_id, events, tally)


def _received_instead(event: Event, received_ms: int) -> None:
    event.ts = received_ms
    event.ts_source = "received"
    flags = set(event.quality.split(",")) if event.quality else set()
    event.quality = ",".join(sorted(flags | {"clock_skew"}))


def _printable(text: str) -> str | None:
    return "".join(c for c in text if c.isprintable()) or None
