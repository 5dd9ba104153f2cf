"""Copilot's counters as aggregates, for those who export nothing else. They name no session.

They count from the start of a process: a figure that is reported again is of the same calls
and more, so it has the same identity, and the larger one stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.agents.copilot_cli import words
from stationmaster.agents.copilot_cli.usage import Vector, set_tokens
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.interface import Intake, NoEvent, Point, Resource, blank
from stationmaster.agents.values import flag, model_name, name, take, tokens
from stationmaster.events.model import Event, identify

_INFERENCE = "gen_ai.client.inference.usage."
_OLD_USAGE = "gen_ai.client.token.usage"
_TOOL_CALLS = "github.copilot.tool.call.count"
_COUNT_MAX = 1_000_000
_FIELDS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read.input_tokens": "cache_read",
    "cache_write.input_tokens": "cache_write",
    "reasoning.output_tokens": "reasoning",
}
_FIELDS_OF_TYPE = {"input": "input", "output": "output"}
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "gen_ai.provider.name")

_counted_tokens = blank(PRODUCT, "model_call", "otlp_metrics")
_counted_tools = blank(PRODUCT, "tool_call", "otlp_metrics")
Key = tuple[str, ...]


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates. A point that cannot be is rejected."""
    usages: dict[Key, dict[str, int]] = {}
    first: dict[Key, Point] = {}
    has_usage = any(point.name.startswith(_INFERENCE) for point in points)

    def read(point: Point, intake: Intake) -> None:
        if point.name == _TOOL_CALLS:
            _add_tool_calls(resource, point, intake)
            return
        if point.name == _OLD_USAGE and has_usage:
            raise NoEvent("redundant")
        field = _field(point)
        if field is None:
            raise NoEvent("not_counted")
        model = (name(point.attributes.get(attribute)) or "" for attribute in _MODEL)
        key = (*model, _time(point))
        usage = usages.setdefault(key, {})
        usage[field] = max(usage.get(field, 0), tokens(point.value) or 0)
        earliest = first.setdefault(key, point)
        if point.start_ms < earliest.start_ms:
            first[key] = point

    for point in points:
        take(read, point, intake)
    for key, usage in usages.items():
        if any(usage.values()):
            _add_usage(resource, first[key], key, Vector(**usage), intake)


def _field(point: Point) -> str | None:
    """Which figure of a usage a point reports; None for any other point."""
    if point.name == _OLD_USAGE:
        return _FIELDS_OF_TYPE.get(name(point.attributes.get("gen_ai.token.type")) or "")
    if not point.name.startswith(_INFERENCE):
        return None
    return _FIELDS.get(point.name.removeprefix(_INFERENCE))


def _time(point: Point) -> str:
    return str(point.time_ms) if point.is_delta else ""


def _from_point(event: Event, resource: Resource, point: Point, key: Key) -> Event:
    # A day is that of the process's start, or a figure reported on two days would count on both.
    event.ts = point.time_ms if point.is_delta else point.start_ms
    of_resource = resource.attributes.get
    event.user_email, event.team = name(of_resource("user.email")), name(of_resource("team"))
    process = name(of_resource("service.instance.id")) or ""
    identify(event, event.user_email or "", process, str(point.start_ms), *key)
    event.product_version = resource.service_version
    event.is_aggregate = True
    event.quality = "no_session"
    return event


def _add_usage(resource: Resource, point: Point, key: Key, usage: Vector, intake: Intake) -> None:
    event = _from_point(_counted_tokens(), resource, point, key)
    set_tokens(event, usage)
    event.model = model_name(point.attributes.get("gen_ai.response.model")) or model_name(
        point.attributes.get("gen_ai.request.model")
    )
    event.provider = name(point.attributes.get("gen_ai.provider.name"))
    intake.add(event)


def _add_tool_calls(resource: Resource, point: Point, intake: Intake) -> None:
    tool = name(point.attributes.get("gen_ai.tool.name"))
    if tool is None or not 1 <= point.value <= _COUNT_MAX:
        raise NoEvent("not_counted")
    event = _from_point(_counted_tools(), resource, point, (point.series, _time(point)))
    words.name_tool(event, tool, None, None)
    event.success = flag(point.attributes.get("success"))
    event.count = int(point.value)
    intake.add(event)
