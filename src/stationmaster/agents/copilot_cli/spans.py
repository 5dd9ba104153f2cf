"""Copilot's spans as events, each fact from one of them.

A chat's span is its model call, and the first one of a prompt is the prompt as well; the span of
the whole agent sums up its chats and is left out. Without content capture a tool's span has no
path and no command.
"""

from __future__ import annotations

from functools import partial

from stationmaster.agents.copilot_cli import calls, words
from stationmaster.agents.copilot_cli.usage import set_tokens, vector
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.interface import Blanks, ByName, Intake, NoEvent, Reader, Resource, Span
from stationmaster.agents.values import model_name, name, whole
from stationmaster.events.model import Event, Kind, identify

_blanks = Blanks(PRODUCT, "otlp_traces")
_USAGE = "gen_ai.usage."
_PARAMETERS = "github.copilot.tool.parameters."


def _start(resource: Resource, span: Span, kind: Kind) -> Event:
    """An event with what every span reports of its sender and conversation."""
    event = _blanks[kind]()
    event.ts = span.end_ms
    session = name(span.attributes.get("gen_ai.conversation.id"))
    event.session_id = event.root_session_id = session
    if session is None:
        event.quality = "no_session"
    event.product_version = resource.service_version
    event.user_email = name(resource.attributes.get("user.email"))
    event.team = name(resource.attributes.get("team"))
    agent = name(span.attributes.get("gen_ai.agent.name"))
    if agent is not None:
        event.is_subagent, event.agent_type = True, agent
    return event


def _place(event: Event, span: Span, identity: str | None) -> tuple[str, ...]:
    """What identifies what a span is about; a span without an id is one by itself."""
    session = event.session_id or ""
    return (session, identity) if identity else (session, span.trace_id, span.span_id)


def _read_chat(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    initiator = get("github.copilot.initiator")
    interaction = name(get("github.copilot.interaction_id"))
    if initiator == "user" and interaction is not None:
        message = _start(resource, span, "user_message")
        message.ts = span.start_ms
        message.turn_id = interaction
        identify(message, *_place(message, span, interaction))
        intake.add(message)
    used = vector(
        get(_USAGE + "input_tokens"),
        get(_USAGE + "output_tokens"),
        get(_USAGE + "cache_read.input_tokens"),
        get(_USAGE + "cache_write.input_tokens") or get(_USAGE + "cache_creation.input_tokens"),
        get(_USAGE + "reasoning.output_tokens") or get(_USAGE + "reasoning_tokens"),
    )
    if not any(used):
        # A request that failed.
        raise NoEvent("not_counted")
    event = _start(resource, span, "model_call")
    set_tokens(event, used)
    event.turn_id = interaction
    event.model = model_name(get("gen_ai.response.model")) or model_name(
        get("gen_ai.request.model")
    )
    event.provider = name(get("gen_ai.provider.name"))
    event.duration_ms = max(span.end_ms - span.start_ms, 0)
    words.whose_call(event, initiator)
    place = _place(event, span, name(get("gen_ai.response.id")))
    identify(event, *place)
    intake.add(event)


def _read_tool(resource: Resource, span: Span, intake: Intake) -> None:
    get = span.attributes.get
    event = _start(resource, span, "tool_call")
    words.name_tool(
        event,
        name(get("gen_ai.tool.name")) or "unknown",
        name(get(_PARAMETERS + "mcp_server_name")),
        name(get(_PARAMETERS + "mcp_tool_name")),
    )
    event.tool_call_id = name(get("gen_ai.tool.call.id"))
    event.duration_ms = max(span.end_ms - span.start_ms, 0)
    code = whole(get("process.exit.code"))
    event.success = not (span.is_error or get("error.type")) and code in (None, 0)
    if words.is_refusal(get("error.type")):
        event.decision = "reject"
    place = _place(event, span, event.tool_call_id)
    identify(event, *place)
    arguments = calls.arguments_of(get("gen_ai.tool.call.arguments"))
    path, command = get(_PARAMETERS + "file_path"), get(_PARAMETERS + "command")
    if arguments.path is None and isinstance(path, str):
        arguments.path = path
    if arguments.command is None and isinstance(command, str):
        arguments.command = command
    call = calls.read(event, "\0".join(place[1:]), arguments)
    output = get("gen_ai.tool.call.result")
    new = partial(_start, resource, span)
    intake.add_all(calls.events_of(call, new, output if isinstance(output, str) else None))


def _read_permission(resource: Resource, span: Span, intake: Intake) -> None:
    """A person was asked, at a terminal: programs have no person to ask."""
    event = _start(resource, span, "session_context")
    event.client = "terminal-ui"
    identify(event, *_place(event, span, None))
    intake.add(event)


_READERS: dict[str, Reader[Span]] = {
    "chat": _read_chat,
    "execute_tool": _read_tool,
    "permission": _read_permission,
}
read_span = ByName(_READERS, words.operation, words.unread)
