"""Claude Code's spans and metrics: the same facts again, for those who export nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.agents import languages
from stationmaster.agents.blanks import blank
from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.otlp import fill, fill_model_call, has_figures, name_tool
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.dialect import Intake, InvalidRecord, Point, Resource, Span
from stationmaster.agents.values import milliseconds, model_name, model_region, name, speed, tokens
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event

_COUNT_MAX = 1_000_000
_SERIES_ATTRIBUTES = (
    *("session.id", "user.id", "model", "query_source", "effort", "speed", "agent.name"),
    *("skill.name", "plugin.name", "marketplace.name", "mcp_server.name", "mcp_tool.name"),
)
_TOKEN_FIELDS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cacheRead": "cache_read_tokens",
    "cacheCreation": "cache_write_tokens",
}

_model_call = blank(PRODUCT, "model_call", "otlp_traces")
_tool_call = blank(PRODUCT, "tool_call", "otlp_traces")
_user_message = blank(PRODUCT, "user_message", "otlp_traces")
_counted_tokens = blank(PRODUCT, "model_call", "otlp_metrics")
_counted_git = {
    "claude_code.commit.count": blank(PRODUCT, "git_commit", "otlp_metrics"),
    "claude_code.pull_request.count": blank(PRODUCT, "git_pull_request", "otlp_metrics"),
}


def read_span(resource: Resource, span: Span, intake: Intake) -> None:
    """Turn one span into an event or a drop. Raises InvalidRecord."""
    if span.name == "claude_code.llm_request":
        _read_llm_request(resource, span, intake)
    elif span.name == "claude_code.tool":
        _read_tool(resource, span, intake)
    elif span.name == "claude_code.interaction":
        _read_interaction(resource, span, intake)
    else:
        intake.drop("redundant" if span.name.startswith("claude_code.") else "unknown_record")


def _read_llm_request(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _model_call()
    session = fill(event, resource, span.attributes, span.end_ms)
    fill_model_call(event, span.attributes, name(get("query_source") or get("query_source_safe")))
    if not has_figures(event):
        intake.drop("not_counted")
        return
    request = name(get("request_id"))
    key = (request,) if request else (session, span.trace_id, span.span_id)
    event.event_id = event_id(PRODUCT, "model_call", *key)
    intake.add(event)


def _read_tool(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _tool_call()
    session = fill(event, resource, span.attributes, span.end_ms)
    name_tool(event, name(get("tool_name")) or "unknown", None, None)
    event.tool_call_id = name(get("tool_use_id"))
    event.duration_ms = milliseconds(get("duration_ms"))
    path = get("file_path")
    if isinstance(path, str) and path:
        event.file_path_hash = path_hash(session, path)
        event.file_ext, event.language = languages.of_path(path)
    key = (event.tool_call_id,) if event.tool_call_id else (session, span.trace_id, span.span_id)
    event.event_id = event_id(PRODUCT, "tool_call", *key)
    intake.add(event)


def _read_interaction(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    prompt = get("user_prompt")
    if isinstance(prompt, str) and prompt.startswith("/"):
        command = prompt[1:].split(maxsplit=1)
        if command and not words.starts_a_turn(command[0], None):
            intake.drop("redundant")
            return
    event = _user_message()
    fill(event, resource, span.attributes, span.start_ms)
    event.event_id = event_id(PRODUCT, "user_message", span.trace_id, span.span_id)
    event.prompt_length = milliseconds(get("user_prompt_length"))
    intake.add(event)


def read_points(resource: Resource, points: Sequence[Point], intake: Intake) -> None:
    """Turn counters into aggregates: one model call per series and export, and git counts.

    A cumulative counter needs the value before it, which is not here; it is not counted. A point
    with an impossible value is rejected by itself.
    """
    calls: dict[str, Event] = {}
    for point in points:
        if point.is_delta and point.name == "claude_code.token.usage":
            try:
                _add_tokens(resource, point, calls, intake)
            except InvalidRecord as fault:
                intake.reject(str(fault))
        elif point.is_delta and point.name in _counted_git and 1 <= point.value < _COUNT_MAX:
            _add_git(resource, point, intake)
        else:
            intake.drop("not_counted")
    for event in calls.values():
        intake.add(event)


def _add_tokens(resource: Resource, point: Point, calls: dict[str, Event], intake: Intake) -> None:
    get = point.attributes.get
    field = _TOKEN_FIELDS.get(name(get("type")) or "")
    if field is None:
        intake.drop("unknown_record")
        return
    figure = tokens(point.value)
    key = _series(point)
    event = calls.get(key)
    if event is None:
        event = calls[key] = _counted_tokens()
        fill(event, resource, point.attributes, point.time_ms)
        event.event_id = event_id(PRODUCT, "model_call", key)
        event.model = model_name(get("model"))
        event.region = model_region(get("model"))
        event.speed = speed(get("speed"))
        event.provider = "anthropic"
        event.model_tier = "standard" if get("effort") in (None, "none", "off") else "thinking"
        whose = words.query_source(name(get("query_source")), name(get("agent.name")))
        event.is_subagent = whose.is_subagent
        event.is_auxiliary = whose.is_auxiliary
        event.agent_type = whose.agent_type
        event.is_aggregate = True
    setattr(event, field, figure)


def _add_git(resource: Resource, point: Point, intake: Intake) -> None:
    event = _counted_git[point.name]()
    fill(event, resource, point.attributes, point.time_ms)
    event.event_id = event_id(PRODUCT, event.kind, _series(point))
    event.count = int(point.value)
    event.is_aggregate = True
    intake.add(event)


def _series(point: Point) -> str:
    """The identity of one export of one series, whatever its token type."""
    attributes = (name(point.attributes.get(key)) or "" for key in _SERIES_ATTRIBUTES)
    return "\0".join((*attributes, str(point.start_ms), str(point.time_ms)))
