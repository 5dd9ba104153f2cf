"""Claude Code's spans: the same facts again, for organizations that export nothing else."""

from __future__ import annotations

from stationmaster.agents import patches
from stationmaster.agents.claude_code import attempts, calls, words
from stationmaster.agents.claude_code.otlp import fill_model_call, name_tool
from stationmaster.agents.claude_code.sender import fill
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.interface import Blanks, Intake, NoEvent, Reader, Resource, Span
from stationmaster.agents.values import flag, length, milliseconds, name
from stationmaster.events.model import Event, event_id, identify

_HIDDEN = "<REDACTED>"
_ANSWER_MS_MIN = 50
"""No model answers faster than this."""
_new = Blanks(PRODUCT, "otlp_traces")


def unread(name: str) -> str:
    """Why a span of a name that no reader reads is dropped."""
    return "redundant" if name.startswith(words.WORDS.prefix) else "unknown_record"


def _read_llm_request(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _new["model_call"]()
    session = fill(event, resource, span.attributes, span.end_ms)
    fill_model_call(event, span.attributes, name(get("query_source") or get("query_source_safe")))
    attempts.add_earlier(event, resource, span, intake)
    if not calls.has_figures(event):
        raise NoEvent("not_counted")
    request = calls.of_request(name(get("request_id")))
    key = (request,) if request else (session, span.trace_id, span.span_id)
    identify(event, *key)
    intake.add(event)


def _read_tool(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _new["tool_call"]()
    session = fill(event, resource, span.attributes, span.end_ms)
    name_tool(event, name(get("tool_name")) or "unknown", None, None)
    event.tool_call_id = name(get("tool_use_id"))
    event.duration_ms = milliseconds(get("duration_ms"))
    path = get("file_path")
    if isinstance(path, str) and path:
        patches.set_file(event, path)
    place = event_id(PRODUCT, "tool_call", session, span.trace_id, span.span_id)
    refused = intake.take_back(place) if event.tool_call_id else None
    if refused is not None:
        event.success, event.decision = refused.success, refused.decision
        event.decision_source = refused.decision_source
    event.event_id = _call_id(event, place)
    intake.add(event)


def _read_execution(resource: Resource, span: Span, intake: Intake) -> None:
    """The part of a tool call in which it ran: only this reports how that ended."""
    event = _new["tool_call"]()
    session = fill(event, resource, span.attributes, span.end_ms)
    event.tool_call_id = name(span.attributes.get("tool_use_id"))
    event.success = flag(span.attributes.get("success"))
    if event.success is None or not (event.tool_call_id or span.parent_id):
        raise NoEvent("redundant")
    place = event_id(PRODUCT, "tool_call", session, span.trace_id, span.parent_id)
    event.event_id = _call_id(event, place)
    intake.add(event)


def _read_decision(resource: Resource, span: Span, intake: Intake) -> None:
    """The part of a tool call that waits for leave: a call that was refused has no other mark.

    It names the call by its span alone, and ends before that span does.
    """
    get = span.attributes.get
    if get("decision") != "reject" or not span.parent_id:
        raise NoEvent("redundant")
    event = _new["tool_call"]()
    session = fill(event, resource, span.attributes, span.end_ms)
    event.success, event.decision = False, "reject"
    event.decision_source = words.decision_source(get("source"))
    identify(event, session, span.trace_id, span.parent_id)
    intake.add(event)


def _call_id(event: Event, place: str) -> str:
    """The id of a tool call: by its own id where spans name it, else by the place of its span."""
    call = event.tool_call_id
    return event_id(PRODUCT, "tool_call", call) if call else place


def _read_interaction(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    prompt = get("user_prompt")
    if isinstance(prompt, str) and prompt.startswith("/"):
        command = prompt[1:].split(maxsplit=1)
        if command and not words.starts_a_turn(command[0], None):
            raise NoEvent("redundant")
    # A command whose text is hidden calls no model, and ends within milliseconds.
    if prompt == _HIDDEN and span.end_ms - span.start_ms < _ANSWER_MS_MIN:
        raise NoEvent("redundant")
    event = _new["user_message"]()
    fill(event, resource, span.attributes, span.start_ms)
    identify(event, span.trace_id, span.span_id)
    event.prompt_length = length(get("user_prompt_length"))
    intake.add(event)


READERS: dict[str, Reader[Span]] = {
    "claude_code.llm_request": _read_llm_request,
    "claude_code.tool": _read_tool,
    "claude_code.interaction": _read_interaction,
    "claude_code.tool.execution": _read_execution,
    "claude_code.tool.blocked_on_user": _read_decision,
}
