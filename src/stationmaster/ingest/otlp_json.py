"""OTLP in JSON, as tolerantly as its senders differ: numbers as numbers or texts, enums as numbers
or names, `{}` and `null` for no value, unknown members.

The types are made from the descriptors of the protobuf messages, so that both are walked by the
same code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from stationmaster.errors import Malformed
from stationmaster.ingest.media import check_density
from stationmaster.ingest.signals import Signal

Number = int | float | str | None


_READ = frozenset(
    {"string_value", "bool_value", "int_value", "double_value", "array_value", "kvlist_value"}
    | {"values", "key", "value", "name", "resource", "scope", "body", "status", "code", "spans"}
    | {"resource_logs", "resource_metrics", "resource_spans"}
    | {"scope_logs", "scope_metrics", "scope_spans", "log_records", "metrics", "attributes"}
    | {"time_unix_nano", "observed_time_unix_nano", "start_time_unix_nano", "end_time_unix_nano"}
    | {"trace_id", "span_id", "parent_span_id", "data_points", "aggregation_temporality"}
    | {"sum", "histogram", "exponential_histogram", "gauge", "summary", "as_int", "as_double"}
)
"""The members that are decoded. All others, which may be content, are skipped unread."""
_SERVICES = (logs_service_pb2, metrics_service_pb2, trace_service_pb2)
_types: dict[str, type[msgspec.Struct]] = {}


def _request_type() -> type[msgspec.Struct]:
    """An export request of any signal: the member that is there shows which."""
    requests = [
        message
        for service in _SERVICES
        for name, message in service.DESCRIPTOR.message_types_by_name.items()
        if name.endswith("Request")
    ]
    return _type("Request", [field for request in requests for field in request.fields])


def _type(name: str, fields: Iterable[FieldDescriptor]) -> type[msgspec.Struct]:
    """A type with the members of a protobuf message that are read, each of which may be missing."""
    if name not in _types:
        _types[name] = msgspec.Struct  # A value may hold values.
        read = [field for field in fields if field.name in _READ]
        if name == "InstrumentationScope":
            read = [field for field in read if field.name == "name"]
        members = [(field.name, *_member(field)) for field in read]
        made = msgspec.defstruct(name, members, module=__name__, rename="camel", gc=False)
        _types[name] = globals()[name] = made
    return _types[name]


def _member(field: FieldDescriptor) -> tuple[str, Any]:
    """The annotation and the default of a member."""
    if field.name == "body":
        # It may be anything and may be content: it is not even read unless its text is the name.
        return "msgspec.Raw", msgspec.Raw(b"null")
    if field.message_type is not None:
        kind = field.message_type.name
        _type(kind, field.message_type.fields)
    elif field.type == field.TYPE_BOOL:
        kind = "bool"
    else:
        is_text = field.type in (field.TYPE_STRING, field.TYPE_BYTES)
        kind = "str" if is_text else "int | float | str"
    if field.default_value == []:
        kind = f"list[{kind} | None]" if kind == "AnyValue" else f"list[{kind}]"
    return f"{kind} | None", None


_request = msgspec.json.Decoder(_request_type())
_any_value: msgspec.json.Decoder[Any] = msgspec.json.Decoder(_types["AnyValue"] | None)
_DELTA = (1, "1", "AGGREGATION_TEMPORALITY_DELTA")
# One escape of a JSON text, the pairs of surrogates before the single ones.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def parse(body: bytes) -> Any:
    """The request of a body. Malformed for what is no JSON, not UTF-8 or of another shape,
    TooLarge for one of too many values.
    """
    check_density(body)
    try:
        try:
            return _request.decode(body)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            # JavaScript cuts texts between the halves of an emoji, and writes the half it kept.
            if b"\\ud" not in body and b"\\uD" not in body:
                raise
            return _request.decode(
                _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], body)
            )
    except msgspec.ValidationError as fault:
        raise Malformed(f"The body is not an OTLP request: {fault}.") from fault
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Malformed("The body is not valid JSON.") from fault


def signal(request: Any) -> Signal | None:
    """The signal that a request carries, None where it names none. Malformed for several."""
    signals: list[Signal] = []
    if request.resource_logs is not None:
        signals.append("logs")
    if request.resource_metrics is not None:
        signals.append("metrics")
    if request.resource_spans is not None:
        signals.append("traces")
    if len(signals) > 1:
        raise Malformed(
            f"The body holds {' and '.join(signals)}; send each signal in a separate request.",
            code="several_signals",
        )
    return signals[0] if signals else None


def log_name(record: Any) -> str:
    """What a log record is called: its attribute `event.name`, else a text body, else ""."""
    named = None
    for attribute in record.attributes or ():
        if attribute.key == "event.name":
            named = attribute.value
    return named.string_value if named is not None and named.string_value else _text(record.body)


class _RecordAttributes:
    """The attributes of a record; of a repeated key the last value."""

    __slots__ = ("_values",)

    def __init__(self, record: Any) -> None:
        self._values = {a.key: a.value for a in record.attributes or ()}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an attribute."""
        return _value(self._values[key]) if key in self._values else default


attributes_of = _RecordAttributes
"""See `otlp_walk.Wire`; a class, so that a record costs one call."""


def everything(attributes: Any) -> dict[str, Any]:
    """All of a list of attributes."""
    return {(a.key or ""): _value(a.value) for a in attributes or ()}


def milliseconds(nanoseconds: Number) -> int:
    """A JSON time in milliseconds; 0 when it is not set or no number."""
    whole = _whole_number(nanoseconds)
    return whole // 1_000_000 if whole is not None else 0


def hexadecimal(identifier: str | None) -> str:
    """A trace or span id as lower-case hex; "" when it is not set."""
    return identifier.lower() if identifier else ""


def points(metric: Any) -> tuple[bool, Iterator[tuple[Any, float | int | None]]]:
    """Is the metric a delta, and its points, each with its value; None where nothing is added up
    (a gauge, a summary, a histogram without a sum).
    """
    added = metric.sum or metric.histogram or metric.exponential_histogram
    data = added or metric.gauge or metric.summary
    if data is None:
        return False, iter(())
    if added is None:
        return False, ((point, None) for point in data.data_points or ())
    is_delta = added.aggregation_temporality in _DELTA
    if metric.sum is not None:
        return is_delta, ((point, _point_number(point)) for point in data.data_points or ())
    return is_delta, ((point, _real_number(point.sum)) for point in data.data_points or ())


def _point_number(point: Any) -> float | int | None:
    return (
        _whole_number(point.as_int) if point.as_int is not None else _real_number(point.as_double)
    )


def _text(body: msgspec.Raw) -> str:
    try:
        value = _any_value.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    return value.string_value or "" if value is not None else ""


def _value(value: Any) -> Any:
    if value is None:
        return None
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return _whole_number(value.int_value)
    if value.bool_value is not None:
        return value.bool_value
    if value.double_value is not None:
        return _real_number(value.double_value)
    if value.array_value is not None:
        return [_value(item) for item in value.array_value.values or ()]
    if value.kvlist_value is not None:
        return everything(value.kvlist_value.values)
    return None


def _whole_number(value: Number) -> int | None:
    if value is None or type(value) is int:
        return value
    try:
        return int(value)
    except (ValueError, OverflowError):
        # JSON writers may send 100 as "1e2".
        real = _real_number(value)
        return int(real) if real is not None and real.is_integer() else None


def _real_number(value: Number) -> float | None:
    if value is None or type(value) is float:
        return value
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
