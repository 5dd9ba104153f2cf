"""OTLP in protobuf, read with the standard's own descriptors and the quickest ways to its values.

The attributes of log records and spans are declared as maps instead of lists of pairs: the bytes
are the same, of a repeated key the last value counts, and a value is found without a walk over
all those that nobody wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from stationmaster.errors import Malformed

_SERVICES = {
    "logs": (logs_service_pb2.DESCRIPTOR, "ExportLogsServiceRequest"),
    "metrics": (metrics_service_pb2.DESCRIPTOR, "ExportMetricsServiceRequest"),
    "traces": (trace_service_pb2.DESCRIPTOR, "ExportTraceServiceRequest"),
}
_MAPPED = frozenset({"LogRecord", "Span"})
"""The messages whose attributes are looked up; those of all others are read one after the other."""

_SCALARS = frozenset({"string_value", "bool_value", "int_value", "double_value"})


def parse(signal: str, body: bytes) -> Any:
    """The request message of a body; an empty body is an empty request."""
    try:
        return _REQUESTS[signal].FromString(body)
    except DecodeError as fault:
        raise Malformed(f"The body is not an OTLP {signal} request in protobuf.") from fault


def log_name(record: Any) -> str:
    """What a log record is called: its attribute `event.name`, else a text body, else ""."""
    named = record.attributes.get("event.name")
    name: str = named.string_value if named is not None else ""
    return name or record.body.string_value


def pick(attributes: Any, wanted: frozenset[str]) -> dict[str, Any]:
    """The wanted ones of a record's attributes."""
    get = attributes.get
    picked = {}
    for key in wanted:
        value = get(key)
        if value is not None:
            # Nearly every value is a text or a number other than "" and 0: then there is no need
            # to ask which of its kinds is set.
            picked[key] = (
                value.string_value or value.int_value or value.double_value or _value(value)
            )
    return picked


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
    if form == "array_value":
        return [_value(item) for item in value.array_value.values]
    if form == "kvlist_value":
        return everything(value.kvlist_value.values)
    return None


def _requests() -> dict[str, Any]:
    """The request messages by signal, in a pool of their own."""
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
            if message.name in _MAPPED:
                _map_attributes(message)
        pool.AddSerializedFile(definition.SerializeToString())

    requests = {}
    for signal, (file, request) in _SERVICES.items():
        add(file)
        requests[signal] = GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{request}"))
    return requests


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
        type_name=".opentelemetry.proto.common.v1.AnyValue",
        label=optional,
    )
    field.type_name = entry.name


_REQUESTS = _requests()
