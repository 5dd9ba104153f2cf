"""The family's counters as aggregates, for those who export nothing else.

They are cumulative: each export repeats the figure since the series began. Without the figures
before, which a delivery does not bring, there is no difference to count. So a series is one event,
at the time of its beginning: what arrives later replaces it, as the larger figure, on the day of
the earlier one. Counters that count from export to export are an event each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from stationmaster.agents.gemini_lineage import calls, words
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.lineage import Lineage, set_sender
from stationmaster.agents.gemini_lineage.otlp import OPERATIONS, language_of, name_hook
from stationmaster.agents.interface import Blank, Intake, InvalidRecord, NoEvent, Point, Resource
from stationmaster.agents.values import flag, model_name, name, take, tokens
from stationmaster.events.model import Event, Kind, identify, mark

_COUNT_MAX = 1_000_000
_SAME_MOMENT_MS = 1_000
"""The counters of one call's tokens begin one after the other, within this time."""
_COUNTED: dict[str, Kind] = {
    "tool.call.count": "tool_call",
    "hook_call.count": "hook",
    "file.operation.count": "file_change",
}
_IDENTITY = ("session.id", "service.instance.id", "host.name", "process.pid", "user.email")
_TYPES = ("input", "output", "cache", "thought", "tool")


class _Series(NamedTuple):
    """The state of one counter: its figure, and when it began and was read last."""

    first: Point
    start_ms: int
    figure: float


class Counters:
    """Reads the counters of one agent of the family."""

    def __init__(self, lineage: Lineage, blanks: Mapping[Kind, Blank]) -> None:
        self._lineage = lineage
        self._blanks = blanks

    def read(self, resource: Resource, points: Sequence[Point], intake: Intake) -> None:
        """Take all points of one resource together. A point that cannot be is rejected."""
        used: list[Point] = []
        counted: list[Point] = []
        for point in points:
            called = point.name.removeprefix(self._lineage.prefix)
            if called == "token.usage":
                used.append(point)
            elif called in _COUNTED and 1 <= point.value <= _COUNT_MAX:
                counted.append(point)
            else:
                intake.drop("not_counted")
        for series in _latest(counted, intake):
            take(partial(self._add_count, resource), series, intake)
        for together in _calls(_latest(_possible(used, intake), intake)):
            take(partial(self._add_usage, resource), together, intake)

    def _start(self, kind: Kind, resource: Resource, series: _Series, *key: str) -> Event:
        point = series.first
        event = self._blanks[kind]()
        set_sender(event, self._lineage, resource, point.attributes)
        event.is_aggregate = True
        moments = [series.start_ms]
        event.ts = series.start_ms
        if point.is_delta:
            event.ts = point.time_ms
            moments.append(point.time_ms)
        else:
            mark(event, "spread")
        # Without a session, nothing else distinguishes two processes of one moment.
        identity = (str(resource.attributes.get(attribute) or "") for attribute in _IDENTITY)
        place = (event.session_id or "", *identity, *key, *map(str, moments))
        identify(event, *place)
        return event

    def _add_count(self, resource: Resource, series: _Series, intake: Intake) -> None:
        get = series.first.attributes.get
        called = series.first.name.removeprefix(self._lineage.prefix)
        event = self._start(_COUNTED[called], resource, series, series.first.series)
        event.count = int(series.figure)
        if event.kind == "tool_call":
            calls.name_tool(event, name(get("function_name")) or "unknown")
            event.success = flag(get("success"))
            event.decision, event.decision_source = words.verdict(
                get("decision"), None, self._lineage.accepts_by_person, event.client, event.success
            )
        elif event.kind == "hook":
            event.success = flag(get("success"))
            if not name_hook(event, get("hook_event_name"), get("hook_name")):
                raise NoEvent("not_counted")
        else:
            operation = OPERATIONS.get(name(get("operation")) or "")
            if operation is None:
                raise NoEvent("not_counted")
            event.file_op = operation
            event.file_ext, event.language = language_of(
                get("extension"), get("programming_language")
            )
        intake.add(event)

    def _add_usage(self, resource: Resource, together: Sequence[_Series], intake: Intake) -> None:
        figures = dict.fromkeys(_TYPES, 0.0)
        for series in together:
            kind = name(series.first.attributes.get("type")) or ""
            if kind in figures:
                figures[kind] += series.figure
        if not any(figures.values()):
            raise NoEvent("not_counted")
        prompt, output, cached, thoughts, tool = (figures[kind] for kind in _TYPES)
        usage = usage_of(prompt, output, cached, thoughts, tool)
        event = self._start("model_call", resource, together[0], *_caller(together[0].first))
        set_tokens(event, usage, self._lineage.has_thoughts_in_output)
        event.model = model_name(together[0].first.attributes.get("model"))
        event.provider = self._lineage.provider
        intake.add(event)


def _possible(points: Iterable[Point], intake: Intake) -> Iterable[Point]:
    for point in points:
        try:
            tokens(point.value)
        except InvalidRecord as fault:
            intake.reject(str(fault))
        else:
            yield point


def _latest(points: Iterable[Point], intake: Intake) -> list[_Series]:
    """Each series once: where a delivery brings several figures of it, the largest."""
    latest: dict[tuple[str, int, int], _Series] = {}
    for point in points:
        key = (point.series, point.start_ms, point.time_ms if point.is_delta else 0)
        earlier = latest.get(key)
        if earlier is not None:
            intake.drop("redundant")
        if earlier is None or point.value > earlier.figure:
            latest[key] = _Series(point, point.start_ms, point.value)
    return list(latest.values())


def _calls(series: Iterable[_Series]) -> list[list[_Series]]:
    """The series of one model of one process, whatever their type of token."""
    groups: list[list[_Series]] = []
    open_groups: dict[tuple[str, ...], list[_Series]] = {}
    for one in sorted(series, key=lambda one: (one.start_ms, one.first.series)):
        point = one.first
        key = (*_caller(point), str(point.time_ms) if point.is_delta else "")
        group = open_groups.get(key)
        if group is None or (
            not point.is_delta and one.start_ms - group[0].start_ms > _SAME_MOMENT_MS
        ):
            group = open_groups[key] = []
            groups.append(group)
        group.append(one)
    return groups


def _caller(point: Point) -> tuple[str, ...]:
    """What the counters of one call's tokens have in common."""
    return tuple(str(point.attributes.get(key) or "") for key in ("session.id", "model"))
