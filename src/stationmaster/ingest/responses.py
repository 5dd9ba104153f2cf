"""What OTLP/HTTP answers, in the encoding of the request: partial success, or a status."""

from __future__ import annotations

from typing import Any

import msgspec
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from stationmaster.errors import (
    Forbidden,
    NotFound,
    RateLimited,
    RequestTimeout,
    StationmasterError,
    Unauthorized,
    Unavailable,
)
from stationmaster.ingest.otlp_walk import Decoded
from stationmaster.ingest.signals import Signal

_RESPONSES: dict[Signal, tuple[Any, str, str]] = {
    "logs": (ExportLogsServiceResponse, "rejected_log_records", "rejectedLogRecords"),
    "metrics": (ExportMetricsServiceResponse, "rejected_data_points", "rejectedDataPoints"),
    "traces": (ExportTraceServiceResponse, "rejected_spans", "rejectedSpans"),
}
# Canonical codes of google.rpc.Code, which the Status message of OTLP carries.
_INVALID_ARGUMENT = 3
_INTERNAL = 13
_CODES: tuple[tuple[type[StationmasterError], int], ...] = (
    (Unauthorized, 16),
    (Forbidden, 7),
    (NotFound, 5),
    (RateLimited, 8),
    (RequestTimeout, 4),
    (Unavailable, 14),
)


def success(is_json: bool, decoded: Decoded) -> bytes:
    """The body of a 200: empty, or a partial success when records were refused."""
    if not decoded.rejected:
        return b"{}" if is_json else b""
    message = "; ".join(decoded.messages)
    response, field, member = _RESPONSES[decoded.signal]
    if is_json:
        # 64-bit integers are texts in the JSON form of protobuf.
        partial = {member: str(decoded.rejected), "errorMessage": message}
        return msgspec.json.encode({"partialSuccess": partial})
    body = response()
    setattr(body.partial_success, field, decoded.rejected)
    body.partial_success.error_message = message
    serialized: bytes = body.SerializeToString()
    return serialized


def failure(is_json: bool, fault: StationmasterError) -> bytes:
    """The body of a 4xx or 5xx: a `google.rpc.Status` with its code and message."""
    code = next((code for kind, code in _CODES if isinstance(fault, kind)), None)
    if code is None:
        code = _INVALID_ARGUMENT if fault.status < 500 else _INTERNAL
    if is_json:
        return msgspec.json.encode({"code": code, "message": fault.detail})
    text = fault.detail.encode()
    # Field 1, a number; field 2, a text. The message type itself is in no package we need.
    return b"\x08" + bytes((code,)) + b"\x12" + _varint(len(text)) + text


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
