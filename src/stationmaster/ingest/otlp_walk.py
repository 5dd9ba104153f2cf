"""The walk over an OTLP request, the same for both encodings: which agent, what time, which values.

Of a record's attributes only those are decoded that its agent asks for, so that content is skipped,
and of a record that is only counted by its name nothing else is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from stationmaster.agents.interface import (
    Agent,
    Attributes,
    Intake,
    Log,
    Point,
    Resource,
    Span,
)
from stationmaster.agents.values import name, time_ms
from stationmaster.errors import TooLarge
from stationmaster.events.model import Event, Source
from stationmaster.ingest.signals import Signal

SOURCES: dict[Signal, Source] = {
    "logs": "otlp_logs",
    "metrics": "otlp_metrics",
    "traces": "otlp_traces",
}
Find = Callable[[str, str, str], Agent | None]
"""The agent of a service name, a scope and the name of a record, or None."""

ITEMS_MAX = 50_000
"""Log records, spans or data points of one request."""
SCOPES_MAX = 20_000
"""Resources, scopes and metrics of one request: each takes longer than a record."""
MESSAGES_MAX = 5
"""How many reasons of refused records an answer lists."""
_MESSAGE_LENGTH_MAX = 200
_SERVICE_LENGTH_MAX = 60
_UNKNOWN_MAX = 50
"""Names of unknown senders that one request may add to the accounts."""
_TEAM_ATTRIBUTES = ("team", "team.id", "team.name", "department")
_ERROR = (2, "2", "STATUS_CODE_ERROR")


class Wire(Protocol):
    """How values are read off one encoding; see the functions of `otlp_protobuf`."""

    def log_name(self, record: Any) -> str:
        """The name of a log record: its attribute `event.name`, else a text body, else ""."""

    def attributes_of(self, record: Any) -> Attributes:
        """The attributes of a log record or a span."""

    def everything(self, attributes: Any) -> dict[str, Any]:
        """All of a list of attributes, by key."""

    def milliseconds(self, nanoseconds: Any) -> int:
        """A time in nanoseconds as milliseconds; 0 when it is not set."""

    def hexadecimal(self, identifier: Any) -> str:
        """A trace or span id as lower-case hex; "" when it is not set."""

    def points(self, metric: Any) -> tuple[bool, Iterable[tuple[Any, float | int | None]]]:
        """Whether a metric is a delta, and its points with their values."""


class Decoded(msgspec.Struct):
    """What one body of a signal held: its events, and its drops by (product, source, reason).

    `items` counts log records, spans or data points; `messages` are the reasons why the first
    refused ones were refused.
    """

    signal: Signal = "logs"
    events: list[Event] = []
    drops: dict[tuple[str, str, str], int] = {}
    items: int = 0
    rejected: int = 0
    messages: list[str] = []

    def drop(self, product: str, source: str, reason: str, count: int = 1) -> None:
        """Count records of a product and a source that become no event, by the reason."""
        key = (product, source, reason)
        self.drops[key] = self.drops.get(key, 0) + count

    def count(self, items: int) -> None:
        """Count what is about to be walked. Raises TooLarge for more than one request may hold."""
        self.items += items
        if self.items > ITEMS_MAX:
            raise TooLarge(
                f"One request may have at most {ITEMS_MAX} records; send smaller batches.",
                code="too_many_records",
            )

    def refuse(self, why: list[str]) -> None:
        """Count refused records by their reasons; the first MESSAGES_MAX reasons are kept."""
        self.rejected += len(why)
        room = MESSAGES_MAX - len(self.messages)
        self.messages += [message[:_MESSAGE_LENGTH_MAX] for message in why[:room]]


class _Known(dict[str, tuple[Agent | None, bool]]):
    """The agent of one sender's records by name, and whether it reads them; each asked once."""

    def __init__(self, signal: Signal, find: Find, service_name: str, scope: str) -> None:
        super().__init__()
        self._ask, self._is_log = partial(find, service_name, scope), signal == "logs"

    def __missing__(self, name: str) -> tuple[Agent | None, bool]:
        agent = self._ask(name)
        is_read = agent is not None and (agent.log if self._is_log else agent.span).knows(name)
        self[name] = (agent, is_read)
        return agent, is_read


class Walk:
    """What is known while one request is walked: the sender at hand, and what it sent."""

    def __init__(
        self,
        wire: Wire,
        signal: Signal,
        received_ms: int,
        find: Find,
        person_attributes: Sequence[str] = (),
    ) -> None:
        """`person_attributes`: see `Settings`."""
        self.wire = wire
        self._person_attributes = person_attributes
        self.decoded = Decoded(signal=signal)
        self._source = SOURCES[signal]
        self._received_ms = received_ms
        self._find = find
        self._intakes: dict[str, Intake] = {}
        self._unknown: set[str] = set()
        self._scopes = 0

    def begin(self, resource: Any) -> Resource:
        """A new sender."""
        self.enter()
        attributes = self.wire.everything(resource.attributes) if resource is not None else {}
        self._intakes = {}
        return Resource(
            service_name=_text(attributes.get("service.name")) or "",
            service_version=_text(attributes.get("service.version")),
            attributes=attributes,
            received_ms=self._received_ms,
        )

    def end(self, resource: Resource) -> None:
        """Take over what the sender's records became."""
        decoded = self.decoded
        email = _email(resource.attributes)
        team = _first(resource.attributes, _TEAM_ATTRIBUTES)
        machine_user = _first(resource.attributes, self._person_attributes)
        for product, intake in self._intakes.items():
            events = intake.events
            if email or team or machine_user:
                for event in events:
                    event.user_email = event.user_email or email
                    event.team = event.team or team
                    event.machine_user = machine_user
            decoded.events += events
            for reason, count in intake.drops.items():
                decoded.drop(product, self._source, reason, count)
            decoded.refuse(intake.invalid)

    def intake(self, agent: Agent) -> Intake:
        """Where the current sender's records of an agent are collected."""
        intake = self._intakes.get(agent.product)
        if intake is None:
            intake = self._intakes[agent.product] = Intake()
        return intake

    def agents_of(self, resource: Resource, scope: Any) -> _Known:
        """The agents of the records of one scope, by the records' names."""
        self.enter()
        scope_name = (scope.name or "") if scope is not None else ""
        return _Known(self.decoded.signal, self._find, resource.service_name, scope_name)

    def enter(self, count: int = 1) -> None:
        """Count the containers of records. Raises TooLarge for more than one request may hold."""
        self._scopes += count
        if self._scopes > SCOPES_MAX:
            raise TooLarge(
                f"One request may have at most {SCOPES_MAX} resources, scopes and metrics.",
                code="too_many_records",
            )

    def unknown(self, resource: Resource) -> None:
        """Count a record of a sender that no agent module knows."""
        shown = "".join(c for c in resource.service_name if c.isprintable())
        product = f"unknown:{shown[:_SERVICE_LENGTH_MAX]}"
        if product not in self._unknown:
            if len(self._unknown) >= _UNKNOWN_MAX:
                product = "unknown:other"
            self._unknown.add(product)
        self.decoded.drop(product, self._source, "unknown_source")

    def log(self, is_read: bool, name: str, record: Any) -> Log:
        """One log record as its agent takes it."""
        if not is_read:
            return Log(name, self._received_ms, "received", {})
        attributes = self.wire.attributes_of(record)
        at, ts_source = time_ms(attributes.get("event.timestamp")), "event"
        if at is None:
            at, ts_source = self._time_of(record)
        return Log(name, at, ts_source, attributes)

    def _time_of(self, record: Any) -> tuple[int, str]:
        """When a log record without an `event.timestamp` happened, and the source of that time."""
        at = self.wire.milliseconds(record.time_unix_nano)
        if at:
            return at, "record"
        at = self.wire.milliseconds(record.observed_time_unix_nano)
        return (at, "observed") if at else (self._received_ms, "received")

    def span(self, is_read: bool, name: str, span: Any) -> Span:
        """One span as its agent takes it."""
        if not is_read:
            return Span(name, self._received_ms, self._received_ms, {}, "", "", False)
        wire = self.wire
        start = wire.milliseconds(span.start_time_unix_nano) or self._received_ms
        return Span(
            name=name,
            start_ms=start,
            end_ms=wire.milliseconds(span.end_time_unix_nano) or start,
            attributes=wire.attributes_of(span),
            trace_id=wire.hexadecimal(span.trace_id),
            span_id=wire.hexadecimal(span.span_id),
            is_error=span.status is not None and span.status.code in _ERROR,
            parent_id=wire.hexadecimal(span.parent_span_id),
        )

    def point(self, name: str, is_delta: bool, point: Any, value: float | int) -> Point:
        """One data point as its agent takes it."""
        wire = self.wire
        attributes = wire.everything(point.attributes)
        series = repr((name, sorted(attributes.items(), key=lambda item: item[0])))
        at = wire.milliseconds(point.time_unix_nano) or self._received_ms
        return Point(
            name=name,
            value=value,
            is_delta=is_delta,
            start_ms=wire.milliseconds(point.start_time_unix_nano) or at,
            time_ms=at,
            attributes=attributes,
            # Hashed, because the attributes that no agent asks for may be content.
            series=blake2b(series.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        )


def _logs(walk: Walk, request: Any) -> None:
    log_name = walk.wire.log_name
    for resource_logs in request.resource_logs or ():
        resource = walk.begin(resource_logs.resource)
        for scope_logs in resource_logs.scope_logs or ():
            records = scope_logs.log_records or ()
            walk.decoded.count(len(records))
            agents = walk.agents_of(resource, scope_logs.scope)
            # Records of one scope are of one agent.
            likely: Agent | None = None
            intake = Intake()
            for record in records:
                name = log_name(record)
                agent, is_read = agents[name]
                if agent is None:
                    walk.unknown(resource)
                    continue
                if agent is not likely:
                    likely, intake = agent, walk.intake(agent)
                try:
                    agent.log(resource, walk.log(is_read, name, record), intake)
                except ValueError as fault:
                    intake.reject(str(fault))
        walk.end(resource)


def _traces(walk: Walk, request: Any) -> None:
    for resource_spans in request.resource_spans or ():
        resource = walk.begin(resource_spans.resource)
        for scope_spans in resource_spans.scope_spans or ():
            spans = scope_spans.spans or ()
            walk.decoded.count(len(spans))
            agents = walk.agents_of(resource, scope_spans.scope)
            for span in spans:
                name = span.name or ""
                agent, is_read = agents[name]
                if agent is None:
                    walk.unknown(resource)
                    continue
                intake = walk.intake(agent)
                try:
                    agent.span(resource, walk.span(is_read, name, span), intake)
                except ValueError as fault:
                    intake.reject(str(fault))
        walk.end(resource)


def _metrics(walk: Walk, request: Any) -> None:
    for resource_metrics in request.resource_metrics or ():
        resource = walk.begin(resource_metrics.resource)
        points: dict[str, tuple[Agent, list[Point]]] = {}
        for scope_metrics in resource_metrics.scope_metrics or ():
            agents = walk.agents_of(resource, scope_metrics.scope)
            metrics = scope_metrics.metrics or ()
            walk.enter(len(metrics))
            for metric in metrics:
                agent, _ = agents[metric.name or ""]
                is_delta, values = walk.wire.points(metric)
                for point, value in values:
                    walk.decoded.count(1)
                    if agent is None:
                        walk.unknown(resource)
                    elif value is None:
                        walk.intake(agent).drop("not_counted")
                    else:
                        of_agent = points.setdefault(agent.product, (agent, []))[1]
                        of_agent.append(walk.point(metric.name or "", is_delta, point, value))
        for agent, of_agent in points.values():
            intake = walk.intake(agent)
            try:
                agent.points(resource, of_agent, intake)
            except ValueError as fault:
                intake.reject(str(fault))
        walk.end(resource)


WALKS: dict[Signal, Callable[[Walk, Any], None]] = {
    "logs": _logs,
    "traces": _traces,
    "metrics": _metrics,
}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _first(attributes: dict[str, Any], keys: Sequence[str]) -> str | None:
    """The first of some attributes that is a name."""
    return next((text for key in keys if (text := name(attributes.get(key)))), None)


def _email(attributes: dict[str, Any]) -> str | None:
    for key in ("user.email", "user_email", "enduser.id"):
        value = _text(attributes.get(key))
        if value is not None and "@" in value:
            return value
    return None
