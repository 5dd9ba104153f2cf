from __future__ import annotations

import gzip
import json
from typing import Any

import msgspec
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from stationmaster.agents.interface import Intake, Log, Point, Resource, Span
from stationmaster.ingest import otlp
from tests.ingest.otlp_bodies import (
    JSON,
    PROTOBUF,
    RECEIVED_MS,
    a_model_call,
    decode,
    logs_json,
    logs_protobuf,
)
from tests.support import recordings

_MISSING = object()


class Reader:
    """Remembers records with the attributes that it asks for; without any it reads no record."""

    def __init__(self, asked: frozenset[str], records: list[Any]) -> None:
        self._asked, self._records = asked, records

    def knows(self, name: str) -> bool:
        return bool(self._asked)

    def __call__(self, resource: Resource, record: Any, intake: Intake) -> None:
        values = {key: record.attributes.get(key, _MISSING) for key in self._asked}
        record.attributes = {key: v for key, v in values.items() if v is not _MISSING}
        self._records.append(record)


class Listener:
    """An agent that only remembers what it was handed."""

    product = "listener"

    def __init__(self, asked: frozenset[str] = frozenset({"a", "b", "event.name"})) -> None:
        self.logs: list[Log] = []
        self.spans: list[Span] = []
        self.all_points: list[Point] = []
        self.log, self.span = Reader(asked, self.logs), Reader(asked, self.spans)

    def find(self, service_name: str, scope: str, name: str) -> Any:
        return self

    def points(self, resource: Resource, points: list[Point], intake: Intake) -> None:
        self.all_points += points


def heard(body: bytes, media: str, signal: otlp.Signal = "logs") -> Listener:
    listener = Listener()
    decode(body, media, signal, find=listener.find)
    return listener


def test_a_model_call_is_the_same_event_from_both_encodings() -> None:
    from_protobuf = decode(logs_protobuf(a_model_call()))
    from_json = decode(logs_json(a_model_call()), JSON)
    assert len(from_protobuf.events) == 1
    assert from_protobuf == from_json
    event = from_protobuf.events[0]
    assert (event.kind, event.product, event.source) == ("model_call", "claude-code", "otlp_logs")
    assert (event.input_tokens, event.output_tokens) == (10, 20)
    assert (event.cache_read_tokens, event.cache_write_tokens) == (30, 40)
    assert (event.ts, event.ts_source) == (1_795_175_940_000, "event")


@pytest.mark.parametrize("agent", recordings.RECORDED)
def test_every_recorded_body_decodes_and_every_record_is_accounted_for(agent: str) -> None:
    for body in recordings.bodies(agent):
        decoded = decode(
            body.data,
            body.content_type,
            body.signal,  # type: ignore[arg-type]  # the index has signals alone
            encoding=body.content_encoding,
            body_max=2**24,
        )
        assert decoded.rejected == 0
        assert decoded.items > 0
        assert decoded.events or decoded.drops
        assert {event.product for event in decoded.events} <= {agent}
        assert {product for product, _, _ in decoded.drops} <= {agent}


def test_a_record_without_any_time_has_that_of_receipt() -> None:
    call = a_model_call()
    del call["event.timestamp"]
    (event,) = decode(logs_protobuf(call)).events
    assert (event.ts, event.ts_source) == (RECEIVED_MS, "received")


def test_the_record_time_comes_before_the_observed_time() -> None:
    call = a_model_call()
    del call["event.timestamp"]
    nanos = 1_795_000_000_123_456_789
    body = logs_protobuf(call, time_unix_nano=nanos, observed_time_unix_nano=nanos + 10**9)
    (event,) = decode(body).events
    assert (event.ts, event.ts_source) == (1_795_000_000_123, "record")
    (event,) = decode(logs_protobuf(call, observed_time_unix_nano=nanos)).events
    assert (event.ts, event.ts_source) == (1_795_000_000_123, "observed")


@pytest.mark.parametrize("nanos", ["1795000000123456789", 1795000000123456789, 1.795000000123e18])
def test_a_json_time_may_be_a_text_or_a_number(nanos: Any) -> None:
    call = a_model_call()
    del call["event.timestamp"]
    (event,) = decode(logs_json(call, timeUnixNano=nanos), JSON).events
    assert (event.ts, event.ts_source) == (1_795_000_000_123, "record")


def test_a_record_of_an_unknown_sender_is_counted_under_its_name() -> None:
    body = logs_protobuf({"event.name": "x"}, resource={"service.name": "my\x00-tool" + "y" * 80})
    decoded = otlp.decode(
        "logs", PROTOBUF, None, body, received_ms=1, body_max=2**20, find=lambda *_: None
    )
    assert decoded.drops == {("unknown:my-tool" + "y" * 53, "otlp_logs", "unknown_source"): 1}
    assert (decoded.items, decoded.rejected, decoded.events) == (1, 0, [])


def test_an_impossible_record_is_rejected_and_the_rest_is_kept() -> None:
    decoded = decode(logs_protobuf(a_model_call(input_tokens=-5), a_model_call()))
    assert len(decoded.events) == 1
    assert (decoded.items, decoded.rejected) == (2, 1)
    assert decoded.drops == {("claude-code", "otlp_logs", "invalid"): 1}
    assert decoded.messages == ["a token count is negative or above 1000000000"]


def test_only_the_first_reasons_are_told() -> None:
    calls = [a_model_call(input_tokens=-5, request_id=f"req_{n}") for n in range(9)]
    decoded = decode(logs_protobuf(*calls))
    assert (decoded.rejected, len(decoded.messages)) == (9, 5)


def test_team_and_address_of_the_resource_reach_the_event() -> None:
    body = logs_protobuf(a_model_call(), resource={"team": "rail", "enduser.id": "ada@example.com"})
    (event,) = decode(body).events
    assert (event.team, event.user_email) == ("rail", "ada@example.com")


def test_an_end_user_that_is_no_address_names_nobody() -> None:
    (event,) = decode(logs_protobuf(a_model_call(), resource={"enduser.id": "ada"})).events
    assert event.user_email is None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"intValue": 5}, 5),
        ({"intValue": "5"}, 5),
        ({"intValue": "five"}, None),
        ({"doubleValue": 1.5}, 1.5),
        ({"doubleValue": "2.5"}, 2.5),
        ({"boolValue": False}, False),
        ({"stringValue": ""}, ""),
        ({}, None),
        ({"bytesValue": "aGk="}, None),
        ({"arrayValue": {"values": [{"intValue": "1"}, {}, {"stringValue": "x"}]}}, [1, None, "x"]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"intValue": 1}}]}}, {"k": 1}),
        ({"someFutureValue": {"x": [1, 2]}}, None),
    ],
)
def test_json_values_are_read_however_they_are_written(value: Any, read: Any) -> None:
    (log,) = heard(logs_json({"a": value}), JSON).logs
    assert log.attributes == {"a": read}


@pytest.mark.parametrize("body", [None, {}, {"stringValue": "n"}, {"arrayValue": {"values": [{}]}}])
def test_a_json_body_of_any_kind_is_taken(body: Any) -> None:
    (log,) = heard(logs_json({"a": 1}, body=body), JSON).logs
    assert log.name == ("n" if body == {"stringValue": "n"} else "")


def test_of_a_repeated_key_the_last_value_counts() -> None:
    pairs = [{"key": "a", "value": {"intValue": n}} for n in (1, 2)]
    body = json.dumps(
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": pairs}]}]}]}
    ).encode()
    (log,) = heard(body, JSON).logs
    assert log.attributes == {"a": 2}


def test_attributes_nobody_asked_for_are_not_handed_on() -> None:
    secret = {"event.name": "e", "a": 1, "prompt": "the secret plan", "b": "x"}
    for body, media in ((logs_protobuf(secret), PROTOBUF), (logs_json(secret), JSON)):
        (log,) = heard(body, media).logs
        assert log.attributes == {"event.name": "e", "a": 1, "b": "x"}


@pytest.mark.parametrize(("wrap", "media"), [(logs_protobuf, PROTOBUF), (logs_json, JSON)])
def test_of_a_record_of_which_nothing_is_asked_only_the_name_is_read(wrap: Any, media: str) -> None:
    listener = Listener(asked=frozenset())
    stamped = {"event.name": "e", "event.timestamp": "2026-11-20T11:59:00Z", "a": 1}
    decode(wrap(stamped), media, find=listener.find)
    assert listener.logs == [Log("e", RECEIVED_MS, "received", {})]


def test_of_a_span_of_which_nothing_is_asked_only_the_name_is_read() -> None:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.name, span.trace_id, span.start_time_unix_nano = "s", b"t" * 16, 10**18
    listener = Listener(asked=frozenset())
    decode(request.SerializeToString(), PROTOBUF, "traces", find=listener.find)
    assert listener.spans == [Span("s", RECEIVED_MS, RECEIVED_MS, {}, "", "", False)]


def test_of_a_repeated_key_in_protobuf_the_last_value_counts() -> None:
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add()
    for n in (1, 2):
        record.attributes.add(key="a").value.int_value = n
    (log,) = heard(request.SerializeToString(), PROTOBUF).logs
    assert log.attributes == {"a": 2}


def test_half_an_emoji_does_not_cost_the_whole_body() -> None:
    body = logs_json({"a": "x", "b": "y"}).replace(b'"x"', rb'"cut \ud83d"')
    body = body.replace(b'"y"', rb'"whole \ud83d\ude00 and \\ud83d"')
    (log,) = heard(body, JSON).logs
    assert log.attributes == {"a": "cut \ufffd", "b": "whole \U0001f600 and \\ud83d"}


@pytest.mark.parametrize("temporality", [1, "AGGREGATION_TEMPORALITY_DELTA"])
def test_json_points_carry_value_times_and_temporality(temporality: Any) -> None:
    times = {"startTimeUnixNano": "1795000000000000000", "timeUnixNano": "1795000060000000000"}
    point = {"attributes": [{"key": "a", "value": {"stringValue": "x"}}]} | times
    body = {
        "resourceMetrics": [
            {
                "scopeMetrics": [
                    {
                        "metrics": [
                            {
                                "name": "m",
                                "sum": {
                                    "aggregationTemporality": temporality,
                                    "dataPoints": [point | {"asInt": "7"}, point | {"asDouble": 2}],
                                },
                            },
                            {"name": "g", "gauge": {"dataPoints": [point | {"asInt": 1}]}},
                        ]
                    }
                ]
            }
        ]
    }
    listener = Listener()
    decoded = decode(msgspec.json.encode(body), JSON, "metrics", find=listener.find)
    assert [p.value for p in listener.all_points] == [7, 2.0]
    assert {p.is_delta for p in listener.all_points} == {True}
    assert {(p.start_ms, p.time_ms) for p in listener.all_points} == {
        (1_795_000_000_000, 1_795_000_060_000)
    }
    assert len({p.series for p in listener.all_points}) == 1
    assert decoded.drops == {("listener", "otlp_metrics", "not_counted"): 1}
    assert decoded.items == 3


def test_protobuf_histograms_give_their_sum() -> None:
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name = "h"
    metric.histogram.aggregation_temporality = 2
    metric.histogram.data_points.add().sum = 12.5
    metric.histogram.data_points.add().count = 3
    listener = Listener()
    decoded = decode(request.SerializeToString(), PROTOBUF, "metrics", find=listener.find)
    assert [(p.value, p.is_delta) for p in listener.all_points] == [(12.5, False)]
    assert decoded.drops == {("listener", "otlp_metrics", "not_counted"): 1}


def test_json_spans_have_hex_ids_and_a_status() -> None:
    span = {
        "name": "s",
        "traceId": "5B8EFFF798038103D269B633813FC60C",
        "spanId": "EEE19B7EC3C1B174",
        "startTimeUnixNano": "1795000000000000000",
        "endTimeUnixNano": "1795000001000000000",
        "status": {"code": 2},
        "attributes": [{"key": "a", "value": {"intValue": 1}}],
    }
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (seen,) = heard(msgspec.json.encode(body), JSON, "traces").spans
    assert seen == Span(
        name="s",
        start_ms=1_795_000_000_000,
        end_ms=1_795_000_001_000,
        attributes={"a": 1},
        trace_id="5b8efff798038103d269b633813fc60c",
        span_id="eee19b7ec3c1b174",
        is_error=True,
    )


@pytest.mark.parametrize("signal", ["logs", "metrics", "traces"])
def test_empty_requests_are_valid(signal: Any) -> None:
    assert decode(b"", PROTOBUF, signal).items == 0
    assert decode(b"{}", JSON, signal).items == 0
    assert decode(gzip.compress(b""), PROTOBUF, signal, encoding="gzip").items == 0
