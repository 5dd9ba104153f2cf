"""One record of each agent with the names that it sends, for trying a server.

They hold figures and names of ours; a server is asked not to store them. All are JSON, which a
server reads from every agent: protobuf would be a dependency of every laptop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Hooks
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import run as hook, worker as hook_worker
from stationmaster.client.server import EVENTS_PATH

Json = dict[str, Any]


def log(service: str, scope: str, at_ms: int, name: str, attributes: Json) -> Json:
    """A request with one log record; its name is its body, too."""
    record = {
        "timeUnixNano": str(at_ms * 1_000_000),
        "body": {"stringValue": name},
        "attributes": _pairs(attributes),
    }
    return _request("Logs", "logRecords", service, scope, record)


def span(service: str, scope: str, at_ms: int, name: str, attributes: Json) -> Json:
    """A request with one span of a second."""
    record = {
        "traceId": f"{at_ms:032x}",
        "spanId": f"{at_ms:016x}",
        "name": name,
        "startTimeUnixNano": str((at_ms - 1_000) * 1_000_000),
        "endTimeUnixNano": str(at_ms * 1_000_000),
        "attributes": _pairs(attributes),
    }
    return _request("Spans", "spans", service, scope, record)


def counter(service: str, scope: str, at_ms: int, name: str, attributes: Json) -> Json:
    """A request with one delta counter that counted one."""
    point = {
        "attributes": _pairs(attributes),
        "startTimeUnixNano": str((at_ms - 1_000) * 1_000_000),
        "timeUnixNano": str(at_ms * 1_000_000),
        "asDouble": 1.0,
    }
    total = {"dataPoints": [point], "aggregationTemporality": 1, "isMonotonic": True}
    return _request("Metrics", "metrics", service, scope, {"name": name, "sum": total})


def _request(kind: str, records: str, service: str, scope: str, record: Json) -> Json:
    scoped = {"scope": {"name": scope}, records: [record]}
    resource = {"attributes": _pairs({"service.name": service})}
    return {f"resource{kind}": [{"resource": resource, f"scope{kind}": [scoped]}]}


def _pairs(attributes: Json) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


_MAKERS = {"logs": log, "traces": span, "metrics": counter}


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
    return Sample(f"/v1/{form.signal}", "application/json", msgspec.json.encode(request))


def hook_of(agent: str, hooks: Hooks) -> Sample:
    """What a hook of an agent sends, as its worker reads it."""
    content = hook.head(agent, hooks.sample_event) + msgspec.json.encode(hooks.sample)
    _, events = hook_worker.read(content, Checkouts())
    return Sample(EVENTS_PATH, "application/x-ndjson", b"\n".join(map(msgspec.json.encode, events)))
