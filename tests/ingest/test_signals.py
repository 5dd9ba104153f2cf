from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from stationmaster.errors import Malformed
from stationmaster.ingest import media, otlp, signals
from stationmaster.ingest.signals import Signal
from tests.ingest.otlp_bodies import JSON, PROTOBUF, a_model_call, logs_json, logs_protobuf
from tests.support import recordings

MEMBERS: dict[Signal, str] = {
    "logs": "resourceLogs",
    "metrics": "resourceMetrics",
    "traces": "resourceSpans",
}


def decode(body: bytes, media_type: str, signal: Signal | None = None) -> otlp.Decoded:
    return otlp.decode(signal, media_type, None, body, received_ms=1, body_max=2**20)


def a_log(**fields: Any) -> bytes:
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add(**fields)
    return bytes(request.SerializeToString())


def a_span(**fields: Any) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.add(**fields)
    return bytes(request.SerializeToString())


def a_metric(form: str, **fields: Any) -> bytes:
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(**fields)
    getattr(metric, form).data_points.add(time_unix_nano=1)
    return bytes(request.SerializeToString())


@pytest.mark.parametrize("name", [*recordings.RECORDED, *recordings.VERSIONS])
def test_the_signal_of_every_recorded_protobuf_body_is_found_by_its_content(name: str) -> None:
    for body in recordings.bodies(name):
        if "protobuf" in body.content_type:
            plain = media.plain(body.data, body.content_encoding or None, 2**24)
            assert signals.of_protobuf(plain) == body.signal


@pytest.mark.parametrize(
    ("body", "signal"),
    [
        (a_log(event_name="only a name"), "logs"),
        (a_log(severity_number=9, body={"string_value": "only a body"}), "logs"),
        (a_log(observed_time_unix_nano=1), "logs"),
        (a_span(name="a", start_time_unix_nano=1), "traces"),
        (a_span(trace_id=b"t" * 16, span_id=b"s" * 8, kind=1, end_time_unix_nano=1), "traces"),
        # Of a name and a description as long as the ids of a span.
        (a_metric("gauge", name="n" * 16, description="d" * 8, unit="1"), "metrics"),
        (a_metric("sum", name="n"), "metrics"),
        (a_metric("histogram", name="n"), "metrics"),
        (a_metric("exponential_histogram", name="n"), "metrics"),
        (a_metric("summary", name="n"), "metrics"),
        (logs_protobuf(a_model_call()) * 2, "logs"),
    ],
)
def test_little_is_enough_to_tell_the_signals_apart(body: bytes, signal: Signal) -> None:
    assert signals.of_protobuf(body) == signal


@pytest.mark.parametrize(
    "body",
    [
        b"",
        bytes(ExportLogsServiceRequest(resource_logs=[{}]).SerializeToString()),
        a_log(body={"string_value": "of a metric it would be a gauge"}),
        a_span(name="without a time"),
        logs_protobuf(a_model_call()) + a_span(name="a", start_time_unix_nano=1),
        a_metric("sum", name="n") + a_span(name="a", start_time_unix_nano=1),
        b"\x0a\xff\xff\xff\xff\x0f",
        b"\x0f",
        b"not protobuf",
    ],
)
def test_what_could_be_of_several_signals_or_of_none_is_refused(body: bytes) -> None:
    with pytest.raises(Malformed):
        decode(body, PROTOBUF)


@pytest.mark.parametrize("signal", MEMBERS)
@pytest.mark.parametrize("at", [None, *MEMBERS])
def test_json_is_of_the_signal_that_it_names_whatever_the_address(
    signal: Signal, at: Signal | None
) -> None:
    assert decode(json.dumps({MEMBERS[signal]: []}).encode(), JSON, at).signal == signal


def test_json_at_another_signals_address_becomes_the_same_events() -> None:
    body = logs_json(a_model_call())
    assert decode(body, JSON, "metrics").events == decode(body, JSON, "logs").events != []


def test_json_of_several_signals_is_refused() -> None:
    body = json.dumps({"resourceLogs": [], "resourceSpans": []}).encode()
    with pytest.raises(Malformed, match="holds logs and traces"):
        decode(body, JSON, "logs")


@pytest.mark.parametrize("body", [b"{}", b'{"events": []}', b'{"resourceLogs": null}'])
def test_json_that_names_no_signal_needs_an_address_that_does(body: bytes) -> None:
    assert decode(body, JSON, "logs").signal == "logs"
    with pytest.raises(Malformed, match="/v1/logs"):
        decode(body, JSON)
