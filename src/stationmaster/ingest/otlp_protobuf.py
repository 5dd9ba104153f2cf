"""OTLP in protobuf: the standard's own messages, and the quickest way to read values off them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from stationmaster.errors import Malformed

_REQUESTS: dict[str, Any] = {
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
}

_SCALARS = frozenset({"string_value", "bool_value", "int_value", "double_value"})


def parse(signal: str, body: bytes) -> Any:
    """The request message of a body; an empty body is an empty request."""
    try:
        return _REQUESTS[signal].FromString(body)
    except DecodeError as fault:
        raise Malformed(f"The body is not an OTLP {signal} request in protobuf.") from fault


def pick(attributes: Any, wanted: frozenset[str]) -> dict[str, Any]:
    """The wanted ones of a list of attributes; of a repeated key the last value."""
    picked = {}
    for attribute in attributes:
        key = attribute.key
        if key in wanted:
            value = attribute.value
            # Nearly every value is a text or a number other than "" and 0: then there is no need
            # to ask which of its kinds is set.
            picked[key] = value.string_value or value.int_value or _value(value)
    return picked


def everything(attributes: Any) -> dict[str, Any]:
    """All of a list of attributes."""
    return {a.key: a.value.string_value or _value(a.value) for a in attributes}


def text(body: Any) -> str:
    """A log body that is a text; "" for any other."""
    plain: str = body.string_value
    return plain


def milliseconds(nanoseconds: int) -> int:
    """A protobuf time in milliseconds; 0 when it is not set."""
    return nanoseconds // 1_000_000


def hexadecimal(identifier: bytes) -> str:
    """A trace or span id as lower-case hex; "" when it is not set."""
    return identifier.hex()


def points(metric: Any) -> tuple[bool, Iterator[tuple[Any, float | int | None]]]:
    """Is the metric a delta, and its points, each with its value; None where nothing is added up
    (a gauge, a summary, a histogram without a sum).
    """
    form = metric.WhichOneof("data")
    if form is None:
        return False, iter(())
    data = getattr(metric, form)
    if form == "sum":
        values = ((point, _number(point)) for point in data.data_points)
    elif form in ("histogram", "exponential_histogram"):
        values = (
            (point, point.sum if point.HasField("sum") else None) for point in data.data_points
        )
    else:
        return False, ((point, None) for point in data.data_points)
    return data.aggregation_temporality == 1, values


def _number(point: Any) -> float | int | None:
    form = point.WhichOneof("value")
    return None if form is None else getattr(point, form)


def _value(value: Any) -> Any:
    form = value.WhichOneof("value")
    if form in _SCALARS:
        return getattr(value, form)
    if form == "array_value":
        return [_value(item) for item in value.array_value.values]
    if form == "kvlist_value":
        return everything(value.kvlist_value.values)
    return None
