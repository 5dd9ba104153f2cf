"""Move a recording to another day: every time in it shifts by whole days, nothing else changes."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

RECORDED_ON = date(2026, 11, 21)
_NS_PER_DAY = 86_400_000_000_000
_NANOS_IN_JSON = re.compile(rb'("(?:\w*[tT]imeUnixNano)":\s*")(\d{19})(")')
_REQUESTS: dict[str, type[Message]] = {
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
}


def text(data: bytes, to: date) -> bytes:
    """A transcript or OTLP/JSON body as if recorded on another day."""
    shift = (to - RECORDED_ON).days * _NS_PER_DAY

    def moved(match: re.Match[bytes]) -> bytes:
        return match[1] + str(int(match[2]) + shift).encode() + match[3]

    dated = data.replace(f"{RECORDED_ON}T".encode(), f"{to}T".encode())
    return _NANOS_IN_JSON.sub(moved, dated)


def protobuf(data: bytes, signal: str, to: date) -> bytes:
    """An OTLP/protobuf body as if recorded on another day."""
    request = _REQUESTS[signal]()
    request.ParseFromString(data)
    _shift(request, (to - RECORDED_ON).days * _NS_PER_DAY, str(to))
    return request.SerializeToString()


def _shift(message: Message, shift_ns: int, day: str) -> None:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in value if field.is_repeated else [value]:
                _shift(part, shift_ns, day)
        elif field.name.endswith("time_unix_nano") and value:
            setattr(message, field.name, value + shift_ns)
        elif field.name == "string_value" and value.startswith(f"{RECORDED_ON}T"):
            setattr(message, field.name, day + value[len(day) :])


def index(agent: Path) -> list[dict[str, Any]]:
    """The recorded requests of an agent, in order of arrival: file, run, signal, content type…"""
    return json.loads((agent / "otlp" / "index.json").read_text())["requests"]
