"""Gemini CLI's spans: its model calls and tools again, for those who export nothing else.

A call's span has no figure of what was cached and leaves out thoughts, so that its figures are
guesses; a tool's has the id that session files give the call.
"""

from __future__ import annotations

from stationmaster.agents.gemini_cli.words import LINEAGE, PRODUCT
from stationmaster.agents.gemini_lineage import calls
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.lineage import set_sender
from stationmaster.agents.gemini_lineage.words import set_caller
from stationmaster.agents.interface import Blanks, ByName, Intake, NoEvent, Reader, Resource, Span
from stationmaster.agents.values import model_name, name
from stationmaster.events.model import Event, Kind, identify_in_session, mark

_BLANKS = Blanks(PRODUCT, "otlp_traces")
_OWN = frozenset({"schedule_tool_calls", "user_prompt", "system_prompt", "agent_call"})


def _start(kind: Kind, resource: Resource, span: Span) -> Event:
    event = _BLANKS[kind]()
    event.ts = span.end_ms
    session = name(span.attributes.get("gen_ai.conversation.id"))
    set_sender(event, LINEAGE, resource, span.attributes, session)
    return event


def _read_tool_call(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _start("tool_call", resource, span)
    calls.name_tool(event, name(get("gen_ai.tool.name")) or "unknown")
    event.tool_call_id = name(get("gen_ai.tool.call_id"))
    event.duration_ms = max(span.end_ms - span.start_ms, 0)
    place = event.tool_call_id or f"{span.trace_id}\0{span.span_id}"
    identify_in_session(event, place)
    intake.add(event)


def _read_llm_call(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    usage = usage_of(get("gen_ai.usage.input_tokens"), get("gen_ai.usage.output_tokens"), None)
    if not any(usage):
        raise NoEvent("not_counted")
    event = _start("model_call", resource, span)
    set_tokens(event, usage, LINEAGE.has_thoughts_in_output)
    event.cache_read_tokens = event.reasoning_tokens = None
    mark(event, "estimated")
    mark(event, "output_lower_bound")
    event.model = model_name(get("gen_ai.request.model"))
    event.provider = LINEAGE.provider
    event.turn_id = name(get("gen_ai.prompt.name"))
    set_caller(event, None, None, event.turn_id)
    identify_in_session(event, span.trace_id, span.span_id)
    intake.add(event)


_READERS: dict[str, Reader[Span]] = {"tool_call": _read_tool_call, "llm_call": _read_llm_call}
# Any that is not the program's own is of the runtime's instruments.
read_span = ByName(_READERS, str, lambda name: "redundant" if name in _OWN else "not_counted")
