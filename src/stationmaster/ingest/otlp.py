"""One OTLP/HTTP body into canonical events, and an account of every record that became none."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.agents.recognition import find_otlp
from stationmaster.errors import Malformed
from stationmaster.ingest import media, otlp_json, otlp_protobuf, signals
from stationmaster.ingest.otlp_walk import WALKS, Decoded, Find, Walk, Wire
from stationmaster.ingest.signals import Signal


def decode(
    signal: Signal | None,
    content_type: str | None,
    content_encoding: str | None,
    body: bytes,
    *,
    received_ms: int,
    body_max: int,
    find: Find = find_otlp,
    person_attributes: Sequence[str] = (),
) -> Decoded:
    """The events of one request body. `received_ms` is the time of records without one;
    `person_attributes` are the resource's attributes that name a person: see `Settings`.

    `signal` is that of the address, None where it has none. JSON names its signal itself,
    and is taken as what it is at every address: some agents post all signals to one.

    Raises Malformed, TooLarge or UnsupportedMedia for the body as a whole. A record that cannot
    be true is counted as rejected and takes nothing else down; a record of an unknown sender is
    accepted, and counted under the product `unknown:<service name>`.
    """
    media_type = media.kind(content_type, (media.PROTOBUF, media.JSON))
    plain = media.plain(body, content_encoding, body_max)
    wire: Wire
    if media_type == media.JSON:
        wire, request = otlp_json, otlp_json.parse(plain)
        signal = otlp_json.signal(request) or signal
        if signal is None:
            raise Malformed(signals.UNKNOWN, code="unknown_signal")
    else:
        signal = signal or signals.of_protobuf(plain)
        wire, request = otlp_protobuf, otlp_protobuf.parse(signal, plain)
    walk = Walk(wire, signal, received_ms, find, person_attributes)
    WALKS[signal](walk, request)
    return walk.decoded
