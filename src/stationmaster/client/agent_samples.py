"""One record of each agent in the very form in which it sends it, for trying a server.

They hold figures and names of ours; a server is asked not to store them.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.client import otlp_sample

_MAKERS = {
    "logs": otlp_sample.log,
    "traces": otlp_sample.span,
    "metrics": otlp_sample.counter,
}


class Sample(NamedTuple):
    """A request: below which address of a server, in which encoding, and its body."""

    path: str
    content_type: str
    body: bytes


def export_of(agent: str, at_ms: int) -> Sample | None:
    """What an agent exports over OTLP; None for one of which no export should be taken."""
    card = cards.get(agent)
    if card.telemetry is None or card.export is None:
        return None
    form = card.export
    make = _MAKERS[form.signal]
    request = make(form.service, form.scope, at_ms, form.name, form.attributes)
    if form.is_json:
        return Sample(f"/v1/{form.signal}", "application/json", msgspec.json.encode(request))
    body = otlp_sample.protobuf(request)
    return Sample(f"/v1/{form.signal}", "application/x-protobuf", body)
