"""OpenCode's own spans: model calls and tool calls, for those who export nothing else.

The last calls of a run without a terminal are missing: the program ends before it has sent them.
Arguments and results of tool calls are exported in full; they are read here for what they name.
"""

from __future__ import annotations

from stationmaster.agents.interface import Blanks, ByName, Intake, NoEvent, Reader, Resource, Span
from stationmaster.agents.opencode import tooling, words
from stationmaster.agents.opencode.logs import set_sender
from stationmaster.agents.opencode.records import State, input_of, state_of
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.values import milliseconds, model_name, name, tokens
from stationmaster.events.model import Event, Kind, identify_in_session

_blanks = Blanks(PRODUCT, "otlp_traces")
_USAGE = "ai.usage."
_PARENT = "ai.request.headers.x-parent-session-id"


def _start(kind: Kind, resource: Resource, span: Span) -> Event:
    """An event with what every span reports of its sender and conversation."""
    get = span.attributes.get
    event = _blanks[kind]()
    event.ts = span.start_ms
    session = name(get("session.id"))
    event.session_id, event.root_session_id = session, name(get(_PARENT)) or session
    if session is None:
        event.quality = "no_session"
    event.is_subagent = event.root_session_id != session
    set_sender(event, resource)
    event.product_version = resource.service_version
    event.client, event.surface = words.client_of(name(resource.attributes.get("opencode.client")))
    return event


def _read_model_call(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    if get(_USAGE + "outputTokens") is None:
        # A call that failed.
        raise NoEvent("not_counted")
    event = _start("model_call", resource, span)
    _set_tokens(event, span)
    call = name(get("ai.response.id")) or f"{span.trace_id}\0{span.span_id}"
    identify_in_session(event, call)
    event.model = model_name(get("ai.model.id"))
    provider = name(get("ai.model.provider"))
    event.provider = provider.partition(".")[0] if provider else None
    event.model_tier = "thinking" if event.reasoning_tokens else "standard"
    # Titles and summaries are asked for without any tools.
    event.is_auxiliary = get("ai.prompt.toolChoice") is None
    event.duration_ms = milliseconds(span.end_ms - span.start_ms)
    intake.add(event)


def _set_tokens(event: Event, span: Span) -> None:
    """The input includes what was read from the cache, the output its reasoning."""
    get = span.attributes.get
    cached = tokens(get(_USAGE + "cachedInputTokens")) or 0
    plain = tokens(get(_USAGE + "inputTokenDetails.noCacheTokens"))
    if plain is None:
        plain = (tokens(get(_USAGE + "inputTokens")) or 0) - cached
        if plain < 0:
            plain, event.quality = 0, "estimated"
    event.input_tokens = plain
    event.cache_read_tokens = cached
    event.cache_write_tokens = tokens(get(_USAGE + "inputTokenDetails.cacheWriteTokens")) or 0
    event.output_tokens = tokens(get(_USAGE + "outputTokens"))
    event.reasoning_tokens = tokens(get(_USAGE + "reasoningTokens"))


def _read_tool_call(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    state = state_of(get("ai.toolCall.result"))
    state.input = input_of(get("ai.toolCall.args"))
    state.status = "error" if span.is_error else "completed"
    called = name(get("ai.toolCall.name"))
    _add_tool_events(resource, span, called, name(get("ai.toolCall.id")), state, intake)


def _read_execution(resource: Resource, span: Span, intake: Intake) -> None:
    """The same call again, without its arguments: all there is where the others are off."""
    get = span.attributes.get
    tool = name(get("tool.name"))
    if tool == words.INVALID:
        # Only the other span has the tool's name.
        raise NoEvent("not_counted")
    state = State(status="error" if span.is_error else None)
    _add_tool_events(resource, span, tool, name(get("tool.call_id")), state, intake)


def _add_tool_events(
    resource: Resource, span: Span, tool: str | None, call: str | None, state: State, intake: Intake
) -> None:
    event = _start("tool_call", resource, span)
    event.tool_call_id = call
    key = call or f"{span.trace_id}\0{span.span_id}"
    identify_in_session(event, key)

    def new(kind: Kind) -> Event:
        return _start(kind, resource, span)

    for made in tooling.events_of(event, tool or "unknown", state, None, new):
        if made is event:
            event.duration_ms = milliseconds(span.end_ms - span.start_ms)
        intake.add(made)


def _unread(name: str) -> str:
    # Some thousands are of the program's own running. Spans of plugins, and the spans around those
    # that are read, repeat what is known.
    return "redundant" if name.startswith(("ai.", "opencode.", "gen_ai.")) else "not_counted"


_READERS: dict[str, Reader[Span]] = {
    "ai.streamText.doStream": _read_model_call,
    "ai.toolCall": _read_tool_call,
    "Tool.execute": _read_execution,
}
read_span = ByName(_READERS, str, _unread)
