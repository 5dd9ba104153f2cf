"""OTLP in JSON, as tolerantly as its senders differ: numbers as numbers or texts, enums as numbers
or names, `{}` and `null` for no value, unknown members.

The types have the names of the protobuf messages, so that both are walked by the same code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from stationmaster.errors import Malformed
from stationmaster.ingest.media import check_density
from stationmaster.ingest.signals import Signal

Number = int | float | str | None


class _Message(msgspec.Struct, rename="camel", gc=False):
    pass


class AnyValue(_Message):
    """A value of an attribute or a body: the member that is set has its type."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Number = None
    double_value: Number = None
    array_value: ArrayValue | None = None
    kvlist_value: KeyValueList | None = None


class ArrayValue(_Message):
    """A list of values."""

    values: list[AnyValue | None] | None = None


class KeyValue(_Message):
    """One attribute."""

    key: str | None = None
    value: AnyValue | None = None


class KeyValueList(_Message):
    """A mapping as a list of its members."""

    values: list[KeyValue] | None = None


class Resource(_Message):
    """The sender of records, by its attributes."""

    attributes: list[KeyValue] | None = None


class Scope(_Message):
    """The instrumentation that made records, by its name."""

    name: str | None = None


class LogRecord(_Message):
    """One log record; times are nanoseconds since 1970."""

    time_unix_nano: Number = None
    observed_time_unix_nano: Number = None
    # A body may be anything and may be content: it is not even read unless its text is the name.
    body: msgspec.Raw = msgspec.Raw(b"null")
    attributes: list[KeyValue] | None = None


class Status(_Message):
    """How a span ended; 2 is an error."""

    code: int | str | None = None


class Span(_Message):
    """One span: ids in hexadecimal, times in nanoseconds since 1970."""

    name: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    start_time_unix_nano: Number = None
    end_time_unix_nano: Number = None
    attributes: list[KeyValue] | None = None
    status: Status | None = None


class DataPoint(_Message):
    """One point of a metric; a sum has a number, a histogram the sum of its values."""

    attributes: list[KeyValue] | None = None
    start_time_unix_nano: Number = None
    time_unix_nano: Number = None
    as_int: Number = None
    as_double: Number = None
    sum: Number = None


class Data(_Message):
    """The points of a metric, and whether they are deltas (1) or totals (2)."""

    data_points: list[DataPoint] | None = None
    aggregation_temporality: int | str | None = None


class Metric(_Message):
    """One metric: the member that is set has its type and its points."""

    name: str | None = None
    sum: Data | None = None
    histogram: Data | None = None
    exponential_histogram: Data | None = None
    gauge: Data | None = None
    summary: Data | None = None


class ScopeLogs(_Message):
    """Log records of one scope."""

    scope: Scope | None = None
    log_records: list[LogRecord] | None = None


class ResourceLogs(_Message):
    """Log records of one sender, by scope."""

    resource: Resource | None = None
    scope_logs: list[ScopeLogs] | None = None


class ScopeSpans(_Message):
    """Spans of one scope."""

    scope: Scope | None = None
    spans: list[Span] | None = None


class ResourceSpans(_Message):
    """Spans of one sender, by scope."""

    resource: Resource | None = None
    scope_spans: list[ScopeSpans] | None = None


class ScopeMetrics(_Message):
    """Metrics of one scope."""

    scope: Scope | None = None
    metrics: list[Metric] | None = None


class ResourceMetrics(_Message):
    """Metrics of one sender, by scope."""

    resource: Resource | None = None
    scope_metrics: list[ScopeMetrics] | None = None


class Request(_Message):
    """An export request of any signal: the member that is there shows which."""

    resource_logs: list[ResourceLogs] | None = None
    resource_metrics: list[ResourceMetrics] | None = None
    resource_spans: list[ResourceSpans] | None = None


_request = msgspec.json.Decoder(Request)
_any_value = msgspec.json.Decoder(AnyValue | None)
_DELTA = (1, "1", "AGGREGATION_TEMPORALITY_DELTA")
# One escape of a JSON text, the pairs of surrogates before the single ones.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def parse(body: bytes) -> Request:
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


def signal(request: Request) -> Signal | None:
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


def log_name(record: LogRecord) -> str:
    """What a log record is called: its attribute `event.name`, else a text body, else ""."""
    named = None
    for attribute in record.attributes or ():
        if attribute.key == "event.name":
            named = attribute.value
    return named.string_value if named is not None and named.string_value else _text(record.body)


def pick(attributes: list[KeyValue] | None, names: frozenset[str]) -> dict[str, Any]:
    """The wanted ones of a list of attributes; of a repeated key the last value."""
    return {a.key: _value(a.value) for a in attributes or () if a.key in names}


def everything(attributes: list[KeyValue] | None) -> dict[str, Any]:
    """All of a list of attributes."""
    return {(a.key or ""): _value(a.value) for a in attributes or ()}


def milliseconds(nanoseconds: Number) -> int:
    """A JSON time in milliseconds; 0 when it is not set or no number."""
    whole = _whole_number(nanoseconds)
    return whole // 1_000_000 if whole is not None else 0


def hexadecimal(identifier: str | None) -> str:
    """A trace or span id as lower-case hex; "" when it is not set."""
    return identifier.lower() if identifier else ""


def points(metric: Metric) -> tuple[bool, Iterator[tuple[DataPoint, float | int | None]]]:
    """Is the metric a delta, and its points, each with its value; None where nothing is added up
    (a gauge, a summary, a histogram without a sum).
    """
    added = metric.sum or metric.histogram or metric.exponential_histogram
    data = added or metric.gauge or metric.summary
    if data is None:
        return False, iter(())
    is_delta = data.aggregation_temporality in _DELTA
    if added is None:
        return False, ((point, None) for point in data.data_points or ())
    if metric.sum is not None:
        return is_delta, ((point, _point_number(point)) for point in data.data_points or ())
    return is_delta, ((point, _real_number(point.sum)) for point in data.data_points or ())


def _point_number(point: DataPoint) -> float | int | None:
    return (
        _whole_number(point.as_int) if point.as_int is not None else _real_number(point.as_double)
    )


def _text(body: msgspec.Raw) -> str:
    try:
        value = _any_value.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    return value.string_value or "" if value is not None else ""


def _value(value: AnyValue | None) -> Any:
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
