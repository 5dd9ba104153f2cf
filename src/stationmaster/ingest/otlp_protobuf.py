"""OTLP in protobuf, read with the standard's own descriptors and the quickest ways to its values.

The attributes of log records and spans are declared as maps instead of lists of pairs: the bytes
are the same, of a repeated key the last value counts, and a value is found without a walk over all
those that are not needed. Lists inside values stay bytes until one is read, and fields that are not
read are not in the messages at all, so that no memory is spent on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from stationmaster.errors import (
    Forbidden,
    Malformed,
    NotFound,
    RateLimited,
    RequestTimeout,
    StationmasterError,
    TooLarge,
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

_SERVICES = {
    "logs": (logs_service_pb2.DESCRIPTOR, "ExportLogsServiceRequest"),
    "metrics": (metrics_service_pb2.DESCRIPTOR, "ExportMetricsServiceRequest"),
    "traces": (trace_service_pb2.DESCRIPTOR, "ExportTraceServiceRequest"),
}
_MAPPED = frozenset({"LogRecord", "Span"})
"""The messages whose attributes are looked up; those of all others are read one after the other."""

_COMMON = "opentelemetry.proto.common.v1"
_VARINT, _LENGTH_DELIMITED = 0, 2
_FIXED = {1: 8, 5: 4}
"""Wire types of protobuf, and the bytes of those of a fixed length."""

_SCALARS = frozenset({"string_value", "bool_value", "int_value", "double_value"})


_UNREAD: dict[str, set[str]] = {
    "Resource": {"dropped_attributes_count", "entity_refs"},
    "InstrumentationScope": {"version", "attributes", "dropped_attributes_count"},
    "Span": {"events", "links", "trace_state"},
    "Metric": {"description", "metadata"},
    "NumberDataPoint": {"exemplars"},
    "HistogramDataPoint": {"exemplars", "bucket_counts", "explicit_bounds"},
    "ExponentialHistogramDataPoint": {"exemplars", "positive", "negative"},
    "SummaryDataPoint": {"quantile_values"},
}
"""Fields by their messages that take memory and are not read."""
_NESTED = {"array_value": "ArrayValue", "kvlist_value": "KeyValueList"}
NESTED_BYTES_MAX = 64 * 1024
"""A larger list inside a value counts as no value."""

FIELDS_MAX = 3_000_000
"""Fields of one body: a message of two bytes takes fifty times as much in memory."""
_SMALL_BYTES = 4 * 2**20
"""A body of this size cannot hold enough of them to matter."""
_Shape = dict[int, "_Shape | None"]
_SHAPES: dict[str, _Shape] = {
    "logs": {1: {1: {1: None}, 2: {2: {6: None}}}},
    "traces": {1: {1: {1: None}, 2: {2: {9: None}}}},
    "metrics": {
        1: {
            1: {1: None},
            2: {
                2: {
                    5: {1: {7: None}},
                    7: {1: {7: None}},
                    9: {1: {9: None}},
                    10: {1: {1: None}},
                    11: {1: {7: None}},
                }
            },
        }
    },
}
"""Fields that are messages, by number, with those inside them: down to attributes, which are not
entered."""


def parse(signal: str, body: bytes) -> Any:
    """The request message of a body; an empty body is an empty request.

    Raises Malformed for what is none, TooLarge for more than FIELDS_MAX fields.
    """
    if len(body) > _SMALL_BYTES and _count(body, 0, len(body), _SHAPES[signal]) > FIELDS_MAX:
        raise TooLarge(
            f"The body holds more than {FIELDS_MAX} fields; send smaller requests.",
            code="too_dense",
        )
    try:
        return _REQUESTS[signal].FromString(body)
    except DecodeError as fault:
        raise Malformed(f"The body is not an OTLP {signal} request in protobuf.") from fault


def log_name(record: Any) -> str:
    """What a log record is called: its attribute `event.name`, else a text body, else ""."""
    named = record.attributes.get("event.name")
    name: str = named.string_value if named is not None else ""
    return name or record.body.string_value


class _RecordAttributes:
    """The attributes of a record."""

    __slots__ = ("_get",)

    def __init__(self, record: Any) -> None:
        self._get = record.attributes.get

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an attribute."""
        value = self._get(key)
        if value is None:
            return default
        # Nearly every value is a text or a number other than "" and 0: then there is no need to
        # ask which of its kinds is set.
        return value.string_value or value.int_value or value.double_value or _value(value)


attributes_of = _RecordAttributes
"""See `otlp_walk.Wire`; a class, so that a record costs one call."""


def everything(attributes: Any) -> dict[str, Any]:
    """All of a list of attributes."""
    return {a.key: a.value.string_value or _value(a.value) for a in attributes}


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
    if form in _NESTED:
        return _nested(form, getattr(value, form))
    return None


def _nested(form: str, body: bytes) -> Any:
    """The list or the mapping inside a value; None for one that is damaged or too large."""
    if len(body) > NESTED_BYTES_MAX:
        return None
    try:
        values = _LISTS[form].FromString(body).values
    except DecodeError:
        return None
    return everything(values) if form == "kvlist_value" else [_value(item) for item in values]


def _count(body: bytes, at: int, end: int, shape: _Shape) -> int:
    """The number of fields in a part of a body, or fewer: counting ends where they are too many,
    and where the bytes are not protobuf, which the parser then reports.
    """
    count = 0
    while at < end and count <= FIELDS_MAX:
        count += 1
        tag, at = _varint(body, at, end)
        kind = tag & 7
        if kind == _LENGTH_DELIMITED:
            length, at = _varint(body, at, end)
            inner = shape.get(tag >> 3)
            if inner is not None and length:
                count += _count(body, at, min(at + length, end), inner)
            at += length
        elif kind == _VARINT:
            _, at = _varint(body, at, end)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            break
    return count


def _varint(body: bytes, at: int, end: int) -> tuple[int, int]:
    """A number and the place after it; the end where it is cut off."""
    # Most numbers of what has many fields are small.
    if at < end and body[at] < 128:
        return body[at], at + 1
    value = shift = 0
    while at < end and shift < 64:
        byte = body[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    return 0, end


def _messages() -> tuple[dict[str, Any], dict[str, Any]]:
    """The request messages by signal and the lists inside values by field, in a pool of their
    own.
    """
    pool = DescriptorPool()
    added: set[str] = set()

    def add(file: Any) -> None:
        if file.name in added:
            return
        added.add(file.name)
        for dependency in file.dependencies:
            add(dependency)
        definition = FileDescriptorProto()
        file.CopyToProto(definition)
        for message in definition.message_type:
            _leave_out(message)
            if message.name in _MAPPED:
                _map_attributes(message)
        pool.AddSerializedFile(definition.SerializeToString())

    def message(name: str) -> Any:
        return GetMessageClass(pool.FindMessageTypeByName(name))

    requests = {}
    for signal, (file, request) in _SERVICES.items():
        add(file)
        requests[signal] = message(f"{file.package}.{request}")
    lists = {field: message(f"{_COMMON}.{name}") for field, name in _NESTED.items()}
    return requests, lists


def _leave_out(message: DescriptorProto) -> None:
    """Take out the fields that are not read; make bytes of the lists inside values."""
    unread = _UNREAD.get(message.name, set())
    kept = [field for field in message.field if field.name not in unread]
    del message.field[:]
    message.field.extend(kept)
    if message.name == "AnyValue":
        for field in message.field:
            if field.name in _NESTED:
                field.type = FieldDescriptorProto.TYPE_BYTES
                field.ClearField("type_name")


def _map_attributes(message: DescriptorProto) -> None:
    field = next(field for field in message.field if field.name == "attributes")
    entry = message.nested_type.add(name="AttributesEntry")
    entry.options.map_entry = True
    optional = FieldDescriptorProto.LABEL_OPTIONAL
    entry.field.add(name="key", number=1, type=FieldDescriptorProto.TYPE_STRING, label=optional)
    entry.field.add(
        name="value",
        number=2,
        type=FieldDescriptorProto.TYPE_MESSAGE,
        type_name=f".{_COMMON}.AnyValue",
        label=optional,
    )
    field.type_name = entry.name


_REQUESTS, _LISTS = _messages()


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
    return b"\x08" + bytes((code,)) + b"\x12" + _varint_bytes(len(text)) + text


def _varint_bytes(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
