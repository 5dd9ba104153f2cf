"""One OTLP/HTTP body into canonical events, and an account of every record that became none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stationmaster.agents.registry import find_otlp
from stationmaster.events.model import Source
from stationmaster.ingest import media, otlp_json, otlp_protobuf
from stationmaster.ingest.otlp_walk import WALKS, Decoded, Find, Walk, Wire

Signal = Literal["logs", "metrics", "traces"]

SOURCES: dict[Signal, Source] = {
    "logs": "otlp_logs",
    "metrics": "otlp_metrics",
    "traces": "otlp_traces",
}


def decode(
    signal: Signal,
    content_type: str | None,
    content_encoding: str | None,
    body: bytes,
    *,
    received_ms: int,
    body_max: int,
    find: Find = find_otlp,
    person_attributes: Sequence[str] = (),
) -> Decoded:
    """The events of one request body. `received_ms` stands in for records without a time;
    `person_attributes` are the resource's attributes that name a person: see `Settings`.

    Raises Malformed, TooLarge or UnsupportedMedia for the body as a whole. A record that cannot
    be true is counted as rejected and takes nothing else down; a record of an unknown sender is
    accepted, and counted under the product `unknown:<service name>`.
    """
    media_type = media.kind(content_type, (media.PROTOBUF, media.JSON))
    wire: Wire = otlp_json if media_type == media.JSON else otlp_protobuf
    request = wire.parse(signal, media.plain(body, content_encoding, body_max))
    walk = Walk(wire, SOURCES[signal], received_ms, find, person_attributes)
    WALKS[signal](walk, request)
    return walk.decoded
