"""The last step before the inbox: whose events these are, believable times, and the tally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from operator import attrgetter

from stationmaster import ids
from stationmaster.access.model import Caller
from stationmaster.events.model import Event
from stationmaster.ingest.attribution import attribute
from stationmaster.lake.rows import Delivery, Sender, Tally

FUTURE_MS = 5 * 60_000
"""How far ahead of ours a sender's clock may be."""
EARLIEST_MS = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""No agent is older."""
_time = attrgetter("ts")
_stream = attrgetter("product", "source")
_sessions = attrgetter("session_id", "root_session_id")


def prepare(
    caller: Caller,
    events: list[Event],
    drops: Mapping[tuple[str, str, str], int],
    *,
    received_ms: int,
    machine: str | None = None,
) -> Delivery:
    """What the inbox takes of one request; the events are changed in place.

    `machine` is what the sender's client calls the machine that it runs on.

    A time that cannot be true is replaced by the time of receipt and flagged `clock_skew`.
    Session ids keep their printable characters only: not every database takes the others.
    """
    attribute(events, caller)
    tally: Tally = dict(drops)
    if events:
        _correct_times(events, received_ms)
        _clean_sessions(events)
    for (product, source), count in Counter(map(_stream, events)).items():
        tally[product, source, "kept"] = count
    place = ids.machine_of(caller.org_id, machine) if machine else ""
    return Delivery(caller.org_id, events, tally, Sender(caller.principal_id, place))


def _correct_times(events: list[Event], received_ms: int) -> None:
    latest = received_ms + FUTURE_MS
    # Nearly always no event is wrong, which is found out without a step of the interpreter each.
    times = list(map(_time, events))
    if min(times) >= EARLIEST_MS and max(times) <= latest:
        return
    for event in events:
        if not EARLIEST_MS <= event.ts <= latest:
            _received_instead(event, received_ms)


def _clean_sessions(events: list[Event]) -> None:
    if all(id_ is None or id_.isprintable() for ids in set(map(_sessions, events)) for id_ in ids):
        return
    for event in events:
        event.session_id = _printable(event.session_id)
        event.root_session_id = _printable(event.root_session_id)


def _received_instead(event: Event, received_ms: int) -> None:
    event.ts = received_ms
    event.ts_source = "received"
    flags = set(event.quality.split(",")) if event.quality else set()
    event.quality = ",".join(sorted(flags | {"clock_skew"}))


def _printable(text: str | None) -> str | None:
    if text is None or text.isprintable():
        return text
    return "".join(c for c in text if c.isprintable()) or None
