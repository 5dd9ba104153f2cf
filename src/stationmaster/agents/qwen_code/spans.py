"""Qwen Code's spans: the same facts again under the same ids, for those who export nothing else."""

from __future__ import annotations

from stationmaster.agents.gemini_lineage import calls, otlp
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.lineage import set_sender
from stationmaster.agents.gemini_lineage.words import autonomy, set_caller
from stationmaster.agents.interface import (
    Blanks,
    ByName,
    Intake,
    Log,
    NoEvent,
    Reader,
    Resource,
    Span,
)
from stationmaster.agents.qwen_code import words
from stationmaster.agents.values import flag, milliseconds, model_name, name, time_ms
from stationmaster.events.model import Event, Kind, identify_in_session

_BLANKS = Blanks(words.PRODUCT, "otlp_traces")
_logs = otlp.Logs(words.LINEAGE, _BLANKS)
_LOG = "log record"


def _called(name: str) -> str:
    return _LOG if _logs.read.knows(name) else name.removeprefix(words.PREFIX)


def _unread(name: str) -> str:
    # A hook's span does not show whose hook ran; others are of the runtime's own instruments.
    return "redundant" if name.startswith(words.PREFIX) else "not_counted"


def _read_log(resource: Resource, span: Span, intake: Intake) -> None:
    """A log record: where no place for logs is configured, they are sent as spans."""
    stamp = time_ms(span.attributes.get("event.timestamp"))
    at = span.end_ms if stamp is None else stamp
    _logs.read(resource, Log(span.name, at, "event", span.attributes), intake)


def _start(kind: Kind, resource: Resource, span: Span) -> Event:
    event = _BLANKS[kind]()
    event.ts = span.end_ms
    set_sender(event, words.LINEAGE, resource, span.attributes)
    event.turn_id = name(span.attributes.get("qwen-code.prompt_id"))
    return event


def _read_llm_request(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    usage = usage_of(
        get("gen_ai.usage.input_tokens"),
        get("gen_ai.usage.output_tokens"),
        get("gen_ai.usage.cache_read.input_tokens"),
        get("thoughts_token_count"),
    )
    if not any(usage):
        raise NoEvent("not_counted")
    event = _start("model_call", resource, span)
    set_tokens(event, usage, words.LINEAGE.has_thoughts_in_output)
    event.model = model_name(get("gen_ai.request.model"))
    event.duration_ms = milliseconds(get("duration_ms"))
    set_caller(event, None, name(get("subagent_name")), event.turn_id)
    response = name(get("gen_ai.response.id"))
    figures = (usage.prompt, usage.output)
    event.event_id = otlp.call_key(event, response, figures, span.trace_id, span.span_id)
    intake.add(event)


def _read_tool(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _start("tool_call", resource, span)
    calls.name_tool(event, name(get("tool_name")) or "unknown")
    event.tool_call_id = name(get("call_id"))
    event.success = flag(get("success"))
    event.duration_ms = milliseconds(get("duration_ms"))
    if name(get("tool.failure_kind")) in words.REFUSED:
        event.decision, event.decision_source = "reject", "auto"
    identify_in_session(event, event.tool_call_id or f"{span.trace_id}\0{span.span_id}")
    intake.add(event)


def _read_interaction(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    mode = name(get("qwen-code.approval_mode"))
    level = autonomy(mode)
    if level is not None and mode is not None:
        change = _start("mode_change", resource, span)
        change.ts = span.start_ms
        change.autonomy, change.autonomy_raw = level, mode
        identify_in_session(change, change.turn_id or str(change.ts), mode)
        intake.add(change)
    if get("qwen-code.message_type") != "userQuery":
        raise NoEvent("not_counted")
    event = _start("user_message", resource, span)
    event.ts = span.start_ms
    identify_in_session(event, otlp.prompt_key(event, words.LINEAGE))
    intake.add(event)


_READERS: dict[str, Reader[Span]] = {
    "llm_request": _read_llm_request,
    "tool": _read_tool,
    "interaction": _read_interaction,
    _LOG: _read_log,
}
read_span = ByName(_READERS, _called, _unread)
