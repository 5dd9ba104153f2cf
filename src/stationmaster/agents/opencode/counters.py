"""The counters of a plugin: tokens and commits of a session as aggregates, which count last.

A counter that is reset with every export gives one event for each. One that runs on from the
start of its process gives a single event: every export repeats it, and the largest figure wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stationmaster.agents.interface import Intake, NoEvent, Point, Resource, blank
from stationmaster.agents.opencode import words
from stationmaster.agents.opencode.logs import set_sender
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.values import model_name, name, take, tokens
from stationmaster.events.model import Event, identify

_COMMITS_MAX = 1_000_000
_SERIES_ATTRIBUTES = ("session.id", "project.id", "model", "agent", "agent.type")
_Counter = Literal["input", "output", "reasoning", "cache_read", "cache_write"]
_TYPES: dict[str, _Counter] = {
    "input": "input",
    "output": "output",
    "reasoning": "reasoning",
    "cacheRead": "cache_read",
    "cacheCreation": "cache_write",
}
_calls = blank(PRODUCT, "model_call", "otlp_metrics")
_commits = blank(PRODUCT, "git_commit", "otlp_metrics")


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates. A point that cannot be is rejected by itself."""
    usages: dict[tuple[str, ...], dict[_Counter, int]] = {}
    first: dict[tuple[str, ...], Point] = {}

    def read(point: Point, intake: Intake) -> None:
        counter = words.called(point.name)
        if counter == "commit.count":
            _add_commits(resource, point, intake)
            return
        if counter != "token.usage":
            raise NoEvent("not_counted")
        key = _key(point)
        first.setdefault(key, point)
        usage = usages.setdefault(key, {})
        figure = tokens(point.value) or 0
        kind = _TYPES.get(name(point.attributes.get("type")) or "")
        if kind is None:
            raise NoEvent("unknown_record")
        usage[kind] = max(usage.get(kind, 0), figure)

    for point in points:
        take(read, point, intake)
    for key, usage in usages.items():
        _add_usage(resource, first[key], key, usage, intake)


def _key(point: Point) -> tuple[str, ...]:
    """The series whatever its type, and the export; one that runs on is the same in every one."""
    attributes = (name(point.attributes.get(key)) or "" for key in _SERIES_ATTRIBUTES)
    export = str(point.time_ms) if point.is_delta else "total"
    return (*attributes, str(point.start_ms), export)


def _start(event: Event, resource: Resource, point: Point, key: tuple[str, ...]) -> Event:
    get = point.attributes.get
    # What is reported again has to stay on one day.
    event.ts = point.time_ms if point.is_delta else point.start_ms
    event.session_id = event.root_session_id = name(get("session.id"))
    if event.session_id is None:
        event.quality = "no_session"
    set_sender(event, resource)
    agent = name(get("agent"))
    event.is_subagent = get("agent.type") == "subagent" or agent in words.SUBAGENTS
    event.is_aggregate = True
    identify(event, event.user_email or "", *key)
    return event


def _add_usage(
    resource: Resource,
    point: Point,
    key: tuple[str, ...],
    usage: dict[_Counter, int],
    intake: Intake,
) -> None:
    if not any(usage.values()):
        intake.drop("not_counted")
        return
    event = _start(_calls(), resource, point, key)
    event.model = model_name(point.attributes.get("model"))
    event.input_tokens = usage.get("input", 0)
    event.cache_read_tokens = usage.get("cache_read", 0)
    event.cache_write_tokens = usage.get("cache_write", 0)
    event.reasoning_tokens = usage.get("reasoning", 0)
    event.output_tokens = tokens(usage.get("output", 0) + event.reasoning_tokens)
    event.model_tier = "thinking" if event.reasoning_tokens else "standard"
    intake.add(event)


def _add_commits(resource: Resource, point: Point, intake: Intake) -> None:
    count = tokens(point.value) or 0
    if not 1 <= count <= _COMMITS_MAX:
        raise NoEvent("not_counted")
    event = _start(_commits(), resource, point, _key(point))
    event.count = count
    intake.add(event)
