"""A small decoder of recorded OTLP bodies into dialect records, written apart from the real one."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake, Log, Point, Resource, Span
from stationmaster.agents.values import time_ms
from tests.support.recordings import Body

RECEIVED_MS = 1_795_300_000_000
_MESSAGES = {
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
}


def read(bodies: Iterable[Body]) -> Intake:
    """Everything the bodies say, as one intake."""
    intake = Intake()
    for body in bodies:
        _read_body(body, intake)
    return intake


def _read_body(body: Body, intake: Intake) -> None:
    data = gzip.decompress(body.data) if body.content_encoding == "gzip" else body.data
    if "json" in body.content_type:
        document = json.loads(data)
    else:
        message = _MESSAGES[body.signal]()
        message.ParseFromString(data)
        document = MessageToDict(message)
    for part in document.get(f"resource{body.signal.capitalize().replace('Traces', 'Spans')}", ()):
        attributes = _attributes(part["resource"].get("attributes", ()), None)
        resource = Resource(
            attributes.get("service.name", ""),
            attributes.get("service.version"),
            attributes,
            RECEIVED_MS,
        )
        for key in ("scopeLogs", "scopeSpans", "scopeMetrics"):
            for scope in part.get(key, ()):
                name = scope.get("scope", {}).get("name", "")
                _READERS[key](resource, name, scope, intake)


def _read_logs(resource: Resource, scope: str, part: dict[str, Any], intake: Intake) -> None:
    for record in part.get("logRecords", ()):
        everything = _attributes(record.get("attributes", ()), None)
        name = everything.get("event.name") or _text(record.get("body"))
        agent = recognition.find_otlp(resource.service_name, scope, name)
        if agent is None:
            intake.drop("unknown_source")
            continue
        stamp = time_ms(everything.get("event.timestamp")) or (
            int(record.get("timeUnixNano") or record["observedTimeUnixNano"]) // 1_000_000
        )
        agent.log(resource, Log(name, stamp, "event", Noted(everything)), intake)


def _read_spans(resource: Resource, scope: str, part: dict[str, Any], intake: Intake) -> None:
    for record in part.get("spans", ()):
        everything = _attributes(record.get("attributes", ()), None)
        agent = recognition.find_otlp(resource.service_name, scope, record["name"])
        if agent is None:
            intake.drop("unknown_source")
            continue
        span = Span(
            record["name"],
            int(record["startTimeUnixNano"]) // 1_000_000,
            int(record["endTimeUnixNano"]) // 1_000_000,
            Noted(everything),
            _hex(record.get("traceId")),
            _hex(record.get("spanId")),
            record.get("status", {}).get("code") in (2, "STATUS_CODE_ERROR"),
            _hex(record.get("parentSpanId")),
        )
        agent.span(resource, span, intake)


def _read_metrics(resource: Resource, scope: str, part: dict[str, Any], intake: Intake) -> None:
    points: dict[str, list[Point]] = {}
    for metric in part.get("metrics", ()):
        agent = recognition.find_otlp(resource.service_name, scope, metric["name"])
        if agent is None:
            intake.drop("unknown_source")
            continue
        data = metric.get("sum") or metric.get("histogram") or metric.get("gauge") or {}
        is_delta = data.get("aggregationTemporality") in (1, "AGGREGATION_TEMPORALITY_DELTA")
        for point in data.get("dataPoints", ()):
            everything = _attributes(point.get("attributes", ()), None)
            points.setdefault(agent.product, []).append(
                Point(
                    metric["name"],
                    float(point.get("asDouble", point.get("asInt", point.get("sum", 0)))),
                    is_delta,
                    int(point.get("startTimeUnixNano", 0)) // 1_000_000,
                    int(point["timeUnixNano"]) // 1_000_000,
                    Noted(everything),
                    metric["name"] + repr(sorted(everything.items())),
                )
            )
    for product, of_agent in points.items():
        known = recognition.by_product(product)
        assert known is not None
        known.points(resource, of_agent, intake)


_READERS = {"scopeLogs": _read_logs, "scopeSpans": _read_spans, "scopeMetrics": _read_metrics}


class Noted(dict[str, Any]):
    """Attributes that note which of them are asked for."""

    asked: ClassVar[set[str]] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an attribute."""
        self.asked.add(key)
        return super().get(key, default)


def _attributes(pairs: Iterable[dict[str, Any]], default: Any) -> dict[str, Any]:
    return {pair["key"]: _value(pair.get("value") or {}, default) for pair in pairs}


def _value(value: dict[str, Any], default: Any) -> Any:
    for key, read in _VALUES.items():
        if key in value:
            return read(value[key])
    return default


_VALUES = {
    "stringValue": str,
    "intValue": int,
    "doubleValue": float,
    "boolValue": bool,
    "arrayValue": lambda value: [_value(v, None) for v in value.get("values", ())],
}


def _text(body: Any) -> str:
    return body["stringValue"] if isinstance(body, dict) and "stringValue" in body else ""


def _hex(identifier: str | None) -> str:
    if not identifier or len(identifier) in (16, 32):
        return identifier or ""
    return base64.b64decode(identifier).hex()


def lines_of(path: Any) -> Iterator[bytes]:
    """The lines of a session file, without their newlines."""
    yield from path.read_bytes().splitlines()
