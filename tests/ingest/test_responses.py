from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from stationmaster.errors import (
    Forbidden,
    Malformed,
    OperatorError,
    RateLimited,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from stationmaster.ingest import otlp_protobuf
from stationmaster.ingest.otlp_walk import Decoded

SIGNALS: list[Any] = ["logs", "metrics", "traces"]


def partial_of(signal: Any) -> Decoded:
    return Decoded(signal=signal, items=9, rejected=2, messages=["a", "b"])


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_full_success_is_an_empty_message(signal: Any) -> None:
    assert otlp_protobuf.success(False, Decoded(signal=signal, items=9)) == b""
    assert otlp_protobuf.success(True, Decoded(signal=signal, items=9)) == b"{}"


@pytest.mark.parametrize(
    ("signal", "message", "field"),
    [
        ("logs", ExportLogsServiceResponse, "rejected_log_records"),
        ("metrics", ExportMetricsServiceResponse, "rejected_data_points"),
        ("traces", ExportTraceServiceResponse, "rejected_spans"),
    ],
)
def test_a_partial_success_in_protobuf(signal: Any, message: Any, field: str) -> None:
    partial = message.FromString(otlp_protobuf.success(False, partial_of(signal))).partial_success
    assert (getattr(partial, field), partial.error_message) == (2, "a; b")


@pytest.mark.parametrize(
    ("signal", "member"),
    [
        ("logs", "rejectedLogRecords"),
        ("metrics", "rejectedDataPoints"),
        ("traces", "rejectedSpans"),
    ],
)
def test_a_partial_success_in_json(signal: Any, member: str) -> None:
    assert json.loads(otlp_protobuf.success(True, partial_of(signal))) == {
        "partialSuccess": {member: "2", "errorMessage": "a; b"}
    }


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Malformed("no"), 3),
        (TooLarge("no"), 3),
        (Unauthorized("no"), 16),
        (Forbidden("no"), 7),
        (RateLimited("no", retry_after_s=1), 8),
        (Unavailable("no"), 14),
        (OperatorError("no"), 13),
    ],
)
def test_a_failure_is_a_status_in_both_encodings(fault: Any, code: int) -> None:
    assert json.loads(otlp_protobuf.failure(True, fault)) == {"code": code, "message": "no"}
    assert otlp_protobuf.failure(False, fault) == bytes([0x08, code, 0x12, 2]) + b"no"


def test_a_long_message_has_a_length_of_several_bytes() -> None:
    body = otlp_protobuf.failure(False, Malformed("x" * 300))
    assert body == b"\x08\x03\x12\xac\x02" + b"x" * 300
