"""Codex's spans and metrics: the same facts again, for those who export nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.agents.codex import words
from stationmaster.agents.codex.lines import set_tokens, vector
from stationmaster.agents.codex.otlp import name_tool, set_sender
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.interface import (
    Blanks,
    ByName,
    Intake,
    NoEvent,
    Point,
    Resource,
    Span,
    blank,
)
from stationmaster.agents.values import flag, model_name, name, take, tier, tokens
from stationmaster.events.model import Event, identify

_COUNT_MAX = 1_000_000
_TOOL_COUNTERS = frozenset({"codex.tool.call", "codex.mcp.call"})
_NAMED_COUNTERS = frozenset({"codex.hooks.run", "codex.skill.injected"})
_SERIES_ATTRIBUTES = (
    *("app.version", "hook_name", "mcp_server", "model", "model_reasoning_effort", "originator"),
    *("server", "session_source", "skill", "source", "success", "team", "tool", "tool_name"),
    *("user.account_id", "user.email"),
)
_TOKEN_PLACES = {
    "input": 0,
    "cached_input": 1,
    "cache_write_input": 2,
    "output": 3,
    "reasoning_output": 4,
}
_TURN_USAGE = "codex.turn.token_usage."

_turn = blank(PRODUCT, "model_call", "otlp_traces")
_counted = Blanks(PRODUCT, "otlp_metrics")


def _read_turn(resource: Resource, span: Span, intake: Intake) -> None:
    """A turn's span is its tokens as one aggregate."""
    get = span.attributes.get
    if get(_TURN_USAGE + "input_tokens") is None:
        raise NoEvent("redundant")
    event = _turn()
    event.ts = span.end_ms
    # The attribute appears twice: as the number of a thread of the process, then as the session.
    session = name(get("thread.id"))
    event.session_id = event.root_session_id = session
    event.turn_id = name(get("turn.id"))
    event.product_version = resource.service_version
    event.client, event.surface = words.client_of(name(resource.service_name))
    set_sender(event, resource, span.attributes)
    set_tokens(event, vector(get(f"{_TURN_USAGE}{kind}_tokens") for kind in _TOKEN_PLACES))
    event.model = model_name(get("model"))
    event.provider = "openai"
    event.model_tier = tier(event.reasoning_tokens, get("codex.turn.reasoning_effort"))
    event.is_aggregate = True
    identify(event, session or span.trace_id, event.turn_id or span.span_id)
    intake.add(event)


# Some 800 other spans are sent with each prompt.
read_span = ByName({"session_task.turn": _read_turn}, str, lambda _: "redundant")


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates; they name no session. A point that cannot be is rejected."""
    usages: dict[tuple[str, ...], dict[int, int]] = {}
    first: dict[tuple[str, ...], Point] = {}

    def read(point: Point, intake: Intake) -> None:
        if point.is_delta and point.name == "codex.turn.token_usage":
            key = _series(point)
            place = _TOKEN_PLACES.get(name(point.attributes.get("token_type")) or "")
            if place is None:
                # A total of the other types.
                raise NoEvent("redundant")
            first.setdefault(key, point)
            usages.setdefault(key, {})[place] = tokens(point.value) or 0
        elif point.is_delta and point.name in _TOOL_COUNTERS:
            _add_tool_calls(resource, point, intake)
        elif point.is_delta and point.name in _NAMED_COUNTERS:
            _add_named(resource, point, intake)
        else:
            raise NoEvent("not_counted")

    for point in points:
        take(read, point, intake)
    for key, usage in usages.items():
        _add_usage(resource, first[key], key, usage, intake)


def _series(point: Point) -> tuple[str, ...]:
    """The identity of one export of one series, whatever its token type."""
    attributes = (
        f"{key}={value}"
        for key in _SERIES_ATTRIBUTES
        if isinstance(value := point.attributes.get(key), (str, int))
    )
    return (*attributes, str(point.start_ms), str(point.time_ms))


def _from_point(event: Event, resource: Resource, point: Point, key: tuple[str, ...]) -> Event:
    get = point.attributes.get
    event.ts = point.time_ms
    identify(event, name(resource.attributes.get("user.email")) or "", *key)
    event.product_version = name(get("app.version")) or resource.service_version
    event.client, event.surface = words.client_of(
        name(get("session_source")), name(get("originator")), name(resource.service_name)
    )
    set_sender(event, resource, point.attributes)
    event.is_aggregate = True
    event.quality = "no_session"
    return event


def _add_usage(
    resource: Resource, point: Point, key: tuple[str, ...], usage: dict[int, int], intake: Intake
) -> None:
    event = _from_point(_counted["model_call"](), resource, point, key)
    event.model = model_name(point.attributes.get("model"))
    event.provider = "openai"
    get = usage.get
    set_tokens(event, (get(0, 0), get(1, 0), get(2, 0), get(3, 0), get(4, 0)))
    event.model_tier = tier(event.reasoning_tokens, None)
    intake.add(event)


def _add_tool_calls(resource: Resource, point: Point, intake: Intake) -> None:
    tool = name(point.attributes.get("tool"))
    server = name(point.attributes.get("server")) if point.name == "codex.mcp.call" else None
    if tool is None or not 1 <= point.value <= _COUNT_MAX:
        raise NoEvent("not_counted")
    if server is None and (tool == words.CODE_MODE or tool.startswith("mcp__")):
        # A script's calls count each by themselves, and the calls of servers have their own metric.
        raise NoEvent("redundant")
    event = _from_point(_counted["tool_call"](), resource, point, _whole_series(point))
    name_tool(event, tool, server)
    event.success = flag(point.attributes.get("success"))
    event.count = int(point.value)
    intake.add(event)


def _add_named(resource: Resource, point: Point, intake: Intake) -> None:
    """Hooks and skills, which no other record of Codex reports."""
    is_hook = point.name == "codex.hooks.run"
    called = name(point.attributes.get("hook_name" if is_hook else "skill"))
    if called is None or not 1 <= point.value <= _COUNT_MAX:
        raise NoEvent("not_counted")
    event = _counted["hook" if is_hook else "skill"]()
    _from_point(event, resource, point, _whole_series(point))
    if is_hook:
        event.hook_event, event.hook_matcher = called, ""
    else:
        event.skill = called
    event.count = int(point.value)
    intake.add(event)


def _whole_series(point: Point) -> tuple[str, ...]:
    return (point.series, str(point.start_ms), str(point.time_ms))
