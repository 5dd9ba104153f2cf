"""The walk over an OTLP request, the same for both encodings: which agent, what time, which values.

Of a record's attributes only those are read that its agent asks for, so that content is skipped
where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from stationmaster.agents.dialect import Agent, Intake, Log, Point, Resource, Span
from stationmaster.agents.values import time_ms
from stationmaster.events.model import Event, Source

Find = Callable[[str, str, str], Agent | None]
"""The agent of a service name, a scope and the name of a record, or None."""

MESSAGES_MAX = 5
"""How many reasons of refused records a sender is told."""
_MESSAGE_LENGTH_MAX = 200
_SERVICE_LENGTH_MAX = 60
_NAMES = frozenset({"event.name", "event.timestamp"})
_ERROR = (2, "2", "STATUS_CODE_ERROR")


class Wire(Protocol):
    """How values are read off one encoding; see the functions of `otlp_protobuf`."""

    def parse(self, signal: str, body: bytes) -> Any: ...
    def pick(self, attributes: Any, wanted: frozenset[str]) -> dict[str, Any]: ...
    def everything(self, attributes: Any) -> dict[str, Any]: ...
    def text(self, body: Any) -> str: ...
    def milliseconds(self, nanoseconds: Any) -> int: ...
    def hexadecimal(self, identifier: Any) -> str: ...
    def points(self, metric: Any) -> tuple[bool, Iterable[tuple[Any, float | int | None]]]: ...


class Decoded(msgspec.Struct):
    """What one body held: its events, and its drops by (product, source, reason).

    `items` counts log records, spans or data points; `messages` say why the first refused ones
    were refused.
    """

    events: list[Event] = []
    drops: dict[tuple[str, str, str], int] = {}
    items: int = 0
    rejected: int = 0
    messages: list[str] = []

    def drop(self, product: str, source: str, reason: str, count: int = 1) -> None:
        key = (product, source, reason)
        self.drops[key] = self.drops.get(key, 0) + count

    def refuse(self, why: list[str]) -> None:
        self.rejected += len(why)
        room = MESSAGES_MAX - len(self.messages)
        self.messages += [message[:_MESSAGE_LENGTH_MAX] for message in why[:room]]


class _Agents(dict[str, Agent | None]):
    """The agents of one sender's records by name; the registry is asked once per name."""

    def __init__(self, find: Find, service_name: str, scope: str) -> None:
        super().__init__()
        self._ask = partial(find, service_name, scope)

    def __missing__(self, name: str) -> Agent | None:
        agent = self[name] = self._ask(name)
        return agent


class Walk:
    """What is known while one request is walked: the sender at hand, and what it sent."""

    def __init__(self, wire: Wire, source: Source, received_ms: int, find: Find) -> None:
        self.wire = wire
        self.decoded = Decoded()
        self._source = source
        self._received_ms = received_ms
        self._find = find
        self._intakes: dict[str, Intake] = {}

    def begin(self, resource: Any) -> Resource:
        """A new sender."""
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
        email, team = _email(resource.attributes), _text(resource.attributes.get("team"))
        for product, intake in self._intakes.items():
            events = intake.events
            if email or team:
                for event in events:
                    event.user_email = event.user_email or email
                    event.team = event.team or team
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

    def agents(self, resource: Resource, scope: Any) -> _Agents:
        """The agents of the records of one scope, by the records' names."""
        scope_name = (scope.name or "") if scope is not None else ""
        return _Agents(self._find, resource.service_name, scope_name)

    def unknown(self, resource: Resource) -> None:
        """Count a record of a sender that no agent module knows."""
        shown = "".join(c for c in resource.service_name if c.isprintable())
        product = f"unknown:{shown[:_SERVICE_LENGTH_MAX]}"
        self.decoded.drop(product, self._source, "unknown_source")

    def time_of(self, record: Any) -> tuple[int, str]:
        """When a log record without an `event.timestamp` happened, and what says so."""
        at = self.wire.milliseconds(record.time_unix_nano)
        if at:
            return at, "record"
        at = self.wire.milliseconds(record.observed_time_unix_nano)
        return (at, "observed") if at else (self._received_ms, "received")

    def span(self, agent: Agent, resource: Resource, span: Any) -> None:
        """Hand one span to its agent."""
        wire = self.wire
        start = wire.milliseconds(span.start_time_unix_nano) or self._received_ms
        seen = Span(
            name=span.name or "",
            start_ms=start,
            end_ms=wire.milliseconds(span.end_time_unix_nano) or start,
            attributes=wire.pick(span.attributes, agent.otlp_attributes),
            trace_id=wire.hexadecimal(span.trace_id),
            span_id=wire.hexadecimal(span.span_id),
            is_error=span.status is not None and span.status.code in _ERROR,
        )
        intake = self.intake(agent)
        try:
            agent.span(resource, seen, intake)
        except ValueError as fault:
            intake.reject(str(fault))

    def point(
        self, agent: Agent, name: str, is_delta: bool, point: Any, value: float | int
    ) -> Point:
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
            attributes={k: v for k, v in attributes.items() if k in agent.otlp_attributes},
            # Hashed, because the attributes that no agent asks for may be content.
            series=blake2b(series.encode("utf-8", "replace"), digest_size=16).hexdigest(),
        )


def _logs(walk: Walk, request: Any) -> None:
    pick, text, hexadecimal = walk.wire.pick, walk.wire.text, walk.wire.hexadecimal
    for resource_logs in request.resource_logs or ():
        resource = walk.begin(resource_logs.resource)
        for scope_logs in resource_logs.scope_logs or ():
            records = scope_logs.log_records or ()
            walk.decoded.items += len(records)
            agents = walk.agents(resource, scope_logs.scope)
            # Records of one scope are of one agent: the second and later ones are read only once.
            likely: Agent | None = None
            wanted, intake = _NAMES, Intake()
            for record in records:
                picked = pick(record.attributes, wanted)
                name = picked.get("event.name")
                if type(name) is not str or not name:
                    name = text(record.body)
                agent = agents[name]
                if agent is None:
                    walk.unknown(resource)
                    continue
                if agent is not likely:
                    likely, wanted = agent, _wanted(agent.otlp_attributes)
                    intake = walk.intake(agent)
                    picked = pick(record.attributes, wanted)
                at, ts_source = time_ms(picked.get("event.timestamp")), "event"
                if at is None:
                    at, ts_source = walk.time_of(record)
                trace_id = hexadecimal(record.trace_id)
                try:
                    agent.log(resource, Log(name, at, ts_source, picked, trace_id), intake)
                except ValueError as fault:
                    intake.reject(str(fault))
        walk.end(resource)


def _traces(walk: Walk, request: Any) -> None:
    for resource_spans in request.resource_spans or ():
        resource = walk.begin(resource_spans.resource)
        for scope_spans in resource_spans.scope_spans or ():
            agents = walk.agents(resource, scope_spans.scope)
            for span in scope_spans.spans or ():
                walk.decoded.items += 1
                agent = agents[span.name or ""]
                if agent is None:
                    walk.unknown(resource)
                else:
                    walk.span(agent, resource, span)
        walk.end(resource)


def _metrics(walk: Walk, request: Any) -> None:
    for resource_metrics in request.resource_metrics or ():
        resource = walk.begin(resource_metrics.resource)
        points: dict[str, tuple[Agent, list[Point]]] = {}
        for scope_metrics in resource_metrics.scope_metrics or ():
            agents = walk.agents(resource, scope_metrics.scope)
            for metric in scope_metrics.metrics or ():
                agent = agents[metric.name or ""]
                is_delta, values = walk.wire.points(metric)
                for point, value in values:
                    walk.decoded.items += 1
                    if agent is None:
                        walk.unknown(resource)
                    elif value is None:
                        walk.intake(agent).drop("not_counted")
                    else:
                        of_agent = points.setdefault(agent.product, (agent, []))[1]
                        of_agent.append(
                            walk.point(agent, metric.name or "", is_delta, point, value)
                        )
        for agent, of_agent in points.values():
            intake = walk.intake(agent)
            try:
                agent.points(resource, of_agent, intake)
            except ValueError as fault:
                intake.reject(str(fault))
        walk.end(resource)


WALKS: dict[str, Callable[[Walk, Any], None]] = {
    "logs": _logs,
    "traces": _traces,
    "metrics": _metrics,
}


@lru_cache(maxsize=64)
def _wanted(asked: frozenset[str]) -> frozenset[str]:
    return asked | _NAMES


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _email(attributes: dict[str, Any]) -> str | None:
    for key in ("user.email", "user_email", "enduser.id"):
        value = _text(attributes.get(key))
        if value is not None and "@" in value:
            return value
    return None
