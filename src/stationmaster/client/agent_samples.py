"""One record of each agent in the very form in which it sends it, for trying a server.

They hold figures and names of ours; a server is asked not to store them.

Of opentelemetry-proto only what samples need is here, by its field numbers; the whole of it
would be a dependency of every laptop.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Hooks
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import run as hook, worker as hook_worker
from stationmaster.client.server import EVENTS_PATH

Json = dict[str, Any]
_Encode = Callable[[Any], bytes]
_VARINT, _FIXED64, _BYTES = 0, 1, 2


class _Field(NamedTuple):
    number: int
    wire: int
    encode: _Encode


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


def protobuf(request: Json) -> bytes:
    """The protobuf form of a request of this module."""
    return _message(_REQUEST)(request)


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


def _varint(value: Any) -> bytes:
    rest, out = int(value), bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def _sized(content: bytes) -> bytes:
    return _varint(len(content)) + content


def _message(fields: dict[str, _Field]) -> _Encode:
    def encode(value: Json) -> bytes:
        out = b""
        for name, content in value.items():
            field = fields[name]
            for one in content if isinstance(content, list) else [content]:
                out += _varint(field.number << 3 | field.wire) + field.encode(one)
        return out

    return encode


def _inner(number: int, fields: dict[str, _Field]) -> _Field:
    encode = _message(fields)
    return _Field(number, _BYTES, lambda value: _sized(encode(value)))


def _text(number: int) -> _Field:
    return _Field(number, _BYTES, lambda value: _sized(value.encode()))


def _id(number: int) -> _Field:
    return _Field(number, _BYTES, lambda value: _sized(bytes.fromhex(value)))


def _time(number: int) -> _Field:
    return _Field(number, _FIXED64, lambda value: struct.pack("<Q", int(value)))


def _whole(number: int) -> _Field:
    return _Field(number, _VARINT, _varint)


_ANY = {"stringValue": _text(1), "boolValue": _whole(2), "intValue": _whole(3)}
_PAIR = {"key": _text(1), "value": _inner(2, _ANY)}
_RESOURCE = {"attributes": _inner(1, _PAIR)}
_SCOPE = {"name": _text(1)}
_LOG = {"timeUnixNano": _time(1), "body": _inner(5, _ANY), "attributes": _inner(6, _PAIR)}
_SPAN = {
    "traceId": _id(1),
    "spanId": _id(2),
    "name": _text(5),
    "startTimeUnixNano": _time(7),
    "endTimeUnixNano": _time(8),
    "attributes": _inner(9, _PAIR),
}
_POINT = {
    "startTimeUnixNano": _time(2),
    "timeUnixNano": _time(3),
    "attributes": _inner(7, _PAIR),
    "asDouble": _Field(4, _FIXED64, lambda value: struct.pack("<d", value)),
}
_SUM = {
    "dataPoints": _inner(1, _POINT),
    "aggregationTemporality": _whole(2),
    "isMonotonic": _whole(3),
}
_METRIC = {"name": _text(1), "sum": _inner(7, _SUM)}


def _resources(kind: str, records: str, record: dict[str, _Field]) -> _Field:
    scoped = {"scope": _inner(1, _SCOPE), records: _inner(2, record)}
    return _inner(1, {"resource": _inner(1, _RESOURCE), f"scope{kind}": _inner(2, scoped)})


_REQUEST = {
    "resourceLogs": _resources("Logs", "logRecords", _LOG),
    "resourceSpans": _resources("Spans", "spans", _SPAN),
    "resourceMetrics": _resources("Metrics", "metrics", _METRIC),
}


_MAKERS = {
    "logs": log,
    "traces": span,
    "metrics": counter,
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
    body = protobuf(request)
    return Sample(f"/v1/{form.signal}", "application/x-protobuf", body)


def hook_of(agent: str, hooks: Hooks) -> Sample:
    """What a hook of an agent sends, as its worker reads it."""
    content = hook.head(agent, hooks.sample_event) + msgspec.json.encode(hooks.sample)
    _, events = hook_worker.read(content, Checkouts())
    return Sample(EVENTS_PATH, "application/x-ndjson", b"\n".join(map(msgspec.json.encode, events)))
