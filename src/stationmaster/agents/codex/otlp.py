"""Codex's OTLP records as events, each fact from one record.

Codex exports arguments and outputs of tool calls regardless of its settings; they are read here for
what they name and not passed on. Records carry no id of a model call or turn."""

from __future__ import annotations

from typing import Any

from stationmaster.agents import calls, failures, patches
from stationmaster.agents.calls import Call, events_of
from stationmaster.agents.codex import words
from stationmaster.agents.codex.lines import arguments_of, set_tokens, vector
from stationmaster.agents.interface import (
    Attributes,
    Blanks,
    ByName,
    Intake,
    Log,
    NoEvent,
    Reader,
    Resource,
)
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import flag, length, milliseconds, model_name, name, tier, word
from stationmaster.events.model import Event, Kind, identify, identify_in_session

_FIGURES = (
    *("input_token_count", "cached_token_count", "cache_write_token_count"),
    *("output_token_count", "reasoning_token_count"),
)
_blanks = Blanks(words.PRODUCT, "otlp_logs")


def _start(kind: Kind, resource: Resource, record: Log) -> Event:
    """An event with what every record reports of its sender and conversation."""
    get = record.attributes.get
    event = _blanks[kind]()
    event.ts, event.ts_source = record.time_ms, record.ts_source
    event.session_id = event.root_session_id = name(get("conversation.id"))
    if event.session_id is None:
        event.quality = "no_session"
    set_sender(event, resource, record.attributes)
    event.product_version = name(get("app.version")) or resource.service_version
    event.client, event.surface = words.client_of(
        name(get("originator")), name(resource.service_name)
    )
    return event


def set_sender(event: Event, resource: Resource, attributes: Attributes) -> None:
    """Set an event's person, account and team, from the record or else from its resource."""
    of_resource = resource.attributes.get
    event.user_email = name(attributes.get("user.email") or of_resource("user.email"))
    event.account = name(attributes.get("user.account_id"))
    event.team = name(attributes.get("team") or of_resource("team"))


def _read_conversation_starts(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    approval, sandbox = (
        words.policy(get("approval_policy")),
        words.sandbox(get("sandbox_policy"), None),
    )
    context = _start("session_context", resource, record)
    place = (context.session_id or "", str(record.time_ms))
    identify(context, *place)
    # The terminal program requests a title in a conversation of its own, without any tools.
    context.is_auxiliary = (
        context.client == "terminal-ui"
        and approval == "never"
        and sandbox == "read-only"
        and not get("mcp_servers")
    )
    intake.add(context)
    level = words.autonomy(approval, sandbox, None, None)
    if level is None:
        return
    event = _start("mode_change", resource, record)
    event.autonomy = level
    event.autonomy_raw = f"{approval}/{sandbox}"
    identify(event, *place, event.autonomy_raw)
    intake.add(event)


def _read_user_prompt(resource: Resource, record: Log, intake: Intake) -> None:
    event = _start("user_message", resource, record)
    identify_in_session(event, str(record.time_ms))
    event.prompt_length = length(record.attributes.get("prompt_length"))
    intake.add(event)


def _read_api_request(resource: Resource, record: Log, intake: Intake) -> None:
    """A request of the model's interface, of which only failed ones are events."""
    get = record.attributes.get
    status = failures.status_of(get("http.response.status_code"))
    if (status is None or status < 400) and get("error.message") is None:
        raise NoEvent("not_counted")
    _add_failure(resource, record, status, intake)


def _add_failure(resource: Resource, record: Log, status: int | None, intake: Intake) -> None:
    event = _start("model_error", resource, record)
    event.model = model_name(record.attributes.get("model"))
    identify_in_session(event, str(record.time_ms))
    failures.set_failure(event, status, "connection")
    intake.add(event)


def _read_sse_event(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    if get("error.message") is not None and get("event.kind") is None:
        # The stream was interrupted.
        _add_failure(resource, record, None, intake)
        return
    if get("event.kind") != "response.completed":
        raise NoEvent("not_counted")
    if get("input_token_count") is None:
        # Every completed response is logged twice, once without figures.
        raise NoEvent("redundant")
    used = vector(map(get, _FIGURES))
    event = _start("model_call", resource, record)
    set_tokens(event, used)
    event.model = model_name(get("model"))
    event.provider = "openai"
    event.model_tier = tier(event.reasoning_tokens, get("model_reasoning_effort"))
    event.service_tier = word(get("service_tier"))
    identify_in_session(event, str(record.time_ms), *map(str, used))
    intake.add(event)


def _read_tool_decision(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    decision = get("decision")
    if not isinstance(decision, str) or not decision.lower().startswith(("denied", "abort")):
        raise NoEvent("redundant")
    event = _tool_call(resource, record)
    event.success = False
    event.decision = "reject"
    source = str(get("source") or "").lower()
    event.decision_source = {"config": "auto", "user": "user"}.get(source, "unknown")
    intake.add(event)


def _tool_call(resource: Resource, record: Log) -> Event:
    get = record.attributes.get
    event = _start("tool_call", resource, record)
    tool = name(get("tool_name")) or "unknown"
    namespace = name(get("tool_namespace")) or ""
    server = name(get("mcp_server"))
    if server is None and namespace.startswith("mcp__"):
        server = namespace[5:]
    name_tool(event, tool, server)
    event.tool_call_id = name(get("call_id"))
    place = event.tool_call_id or f"{record.time_ms}\0{tool}"
    identify_in_session(event, place)
    return event


def name_tool(event: Event, tool: str, server: str | None) -> None:
    """Set the names of a tool; those of an MCP tool have the same form from every source."""
    if server:
        calls.set_mcp(event, server, tool)
    else:
        calls.set_builtin(event, tool, words.WORDS.tools)


def _read_tool_result(resource: Resource, record: Log, intake: Intake) -> None:
    get = record.attributes.get
    arguments = get("arguments")
    text = arguments if isinstance(arguments, str) else ""
    if (
        get("tool_name") == words.CODE_MODE
        and get("tool_namespace") in (None, "", "functions")
        and not text.lstrip().startswith("{")
    ):
        # A script: the calls it makes are logged each by itself.
        raise NoEvent("redundant")
    event = _tool_call(resource, record)
    content = get("output")
    output = content if isinstance(content, str) else ""
    event.success = flag(get("success"))
    event.duration_ms = milliseconds(get("duration_ms"))
    if words.exit_code(output) not in (None, 0):
        event.success = False
    elif event.success is False and words.is_refusal(output):
        event.decision = "reject"
    call = Call(event, event.tool_call_id or event.event_id)
    command = _command(text)
    patch = text if patches.BEGIN in text and not text.startswith("{") else command
    if isinstance(patch, str):
        call.files = patches.of_patch(patch, event.session_id or "")
    if command and event.tool_kind == "builtin":
        call.creations = shell.creations(command)
    intake.add_all(events_of(call, lambda kind: _start(kind, resource, record), output or None))


def _command(text: str) -> str | list[str] | None:
    """The command line, its words, or the patch in a tool call's arguments."""
    if not text.startswith("{"):
        return None
    arguments = arguments_of(text)
    return command_of(arguments.cmd, arguments.command, arguments.input)


def command_of(*candidates: Any) -> str | list[str] | None:
    """The first of the values that is a command line or a list of words."""
    for value in candidates:
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return [word for word in value if isinstance(word, str)]
    return None


def _unread(name: str) -> str:
    # Lines that the program writes about itself have no name; their text is used instead.
    return words.WORDS.unread(name) if name.startswith(words.WORDS.prefix) else "not_counted"


_READERS: dict[str, Reader[Log]] = {
    "conversation_starts": _read_conversation_starts,
    "user_prompt": _read_user_prompt,
    "api_request": _read_api_request,
    "sse_event": _read_sse_event,
    "tool_decision": _read_tool_decision,
    "tool_result": _read_tool_result,
}
read_log = ByName(_READERS, words.WORDS.plain, _unread)
