"""Claude Code's counters as aggregates, for organizations that export nothing else.

A counter that counts from export to export is an event each time. A cumulative one repeats its
figure since it began, so it is one event at the time of its beginning, of which the largest figure
counts; after a restart it begins again, and that is another event.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.sender import fill
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.interface import Intake, NoEvent, Point, Resource, blank
from stationmaster.agents.values import model_name, model_region, name, speed, take, tier, tokens
from stationmaster.events.model import Event, identify, mark

_COUNT_MAX = 1_000_000
_SERIES_ATTRIBUTES = (
    *("session.id", "user.id", "model", "query_source", "effort", "speed", "agent.name"),
    *("skill.name", "plugin.name", "marketplace.name", "mcp_server.name", "mcp_tool.name"),
)
_SENDER = ("service.instance.id", "host.name", "process.pid")
_TOKEN_FIELDS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cacheRead": "cache_read_tokens",
    "cacheCreation": "cache_write_tokens",
}

_tokens = blank(PRODUCT, "model_call", "otlp_metrics")
_git = {
    "claude_code.commit.count": blank(PRODUCT, "git_commit", "otlp_metrics"),
    "claude_code.pull_request.count": blank(PRODUCT, "git_pull_request", "otlp_metrics"),
}


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates. A point with an impossible value is rejected by itself."""
    calls: dict[str, Event] = {}
    for point in points:
        if point.name == "claude_code.token.usage":
            take(partial(_add_tokens, resource, calls), point, intake)
        elif point.name in _git and 1 <= point.value < _COUNT_MAX:
            _add_git(resource, point, intake)
        else:
            intake.drop("not_counted")
    intake.add_all(calls.values())


def _add_tokens(resource: Resource, calls: dict[str, Event], point: Point, _: Intake) -> None:
    get = point.attributes.get
    kind = name(get("type")) or ""
    field = _TOKEN_FIELDS.get(kind)
    if field is None:
        raise NoEvent("unknown_record")
    figure = tokens(point.value)
    # The counters of one call's tokens begin one after the other, so each is one by itself.
    key = _series(resource, point, "" if point.is_delta else kind)
    event = calls.get(key)
    if event is None:
        event = calls[key] = _tokens()
        _set_time(event, resource, point)
        identify(event, key)
        event.model = model_name(get("model"))
        event.region = model_region(get("model"))
        event.speed = speed(get("speed"))
        event.provider = "anthropic"
        event.model_tier = tier(None, get("effort"))
        whose = words.query_source(name(get("query_source")), name(get("agent.name")))
        event.is_subagent = whose.is_subagent
        event.is_auxiliary = whose.is_auxiliary
        event.agent_type = whose.agent_type
    elif not point.is_delta:
        figure = max(figure or 0, getattr(event, field) or 0)
    setattr(event, field, figure)


def _add_git(resource: Resource, point: Point, intake: Intake) -> None:
    event = _git[point.name]()
    _set_time(event, resource, point)
    identify(event, _series(resource, point, ""))
    event.count = int(point.value)
    intake.add(event)


def _set_time(event: Event, resource: Resource, point: Point) -> None:
    begun = point.start_ms if not point.is_delta and point.start_ms > 0 else point.time_ms
    fill(event, resource, point.attributes, begun)
    event.is_aggregate = True
    if not point.is_delta:
        mark(event, "spread")


def _series(resource: Resource, point: Point, kind: str) -> str:
    """The identity of one export of a counter, or of all exports of a cumulative one."""
    attributes = (name(point.attributes.get(key)) or "" for key in _SERIES_ATTRIBUTES)
    if point.is_delta:
        return "\0".join((*attributes, str(point.start_ms), str(point.time_ms)))
    # Without a session, nothing else distinguishes two processes of one moment.
    sender = (str(resource.attributes.get(key) or "") for key in _SENDER)
    return "\0".join(("cumulative", *attributes, *sender, kind, str(point.start_ms)))
