"""The JSON of the family's hooks: what a tool's answer says, and what every hook says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stationmaster.agents.blanks import Blank
from stationmaster.agents.card import Intake
from stationmaster.agents.gemini_lineage import calls
from stationmaster.agents.gemini_lineage.chats import settle
from stationmaster.agents.values import name, time_ms
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event, Kind


class Hook(NamedTuple):
    """The JSON of one hook, and when it came."""

    given: Mapping[str, Any]
    received_ms: int


def start(make: Blank, hook: Hook) -> Event:
    """An event with the session and time that every hook names."""
    event = make()
    ts = time_ms(hook.given.get("timestamp"))
    event.ts = hook.received_ms if ts is None else ts
    event.ts_source = "received" if ts is None else "event"
    event.session_id = event.root_session_id = name(hook.given.get("session_id"))
    if event.session_id is None:
        event.quality = "no_session"
    event.turn_id = name(hook.given.get("prompt_id"))
    return event


def key(event: Event, *place: str) -> str:
    """The id of an event of its session; `place` tells it from others of its kind."""
    return event_id(event.product, event.kind, event.session_id or "", *place)


def add_context(make: Blank, hook: Hook, intake: Intake) -> None:
    """A session's folder, once for each of its processes."""
    event = start(make, hook)
    folder = hook.given.get("cwd")
    if isinstance(folder, str) and folder:
        event.cwd_hash = path_hash(event.session_id or "", folder)
    event.event_id = key(event, str(event.ts))
    intake.add(event)


def add_person(make: Blank, hook: Hook, intake: Intake) -> None:
    """Somebody sits before the agent: it asks, or they leave."""
    event = start(make, hook)
    event.client, event.surface = "terminal-ui", "cli"
    event.event_id = key(event, "person")
    intake.add(event)


def add_tool_call(
    blanks: Mapping[Kind, Blank], hook: Hook, *place: str, success: bool | None, intake: Intake
) -> None:
    """A tool call that came to its end; `place` is what tells it from others of its session."""
    given = hook.given
    event = start(blanks["tool_call"], hook)
    tool = name(given.get("tool_name")) or "unknown"
    context = given.get("mcp_context")
    server = name(context.get("server_name")) if isinstance(context, dict) else None
    calls.name_tool(event, tool, server)
    intent = calls.take(event, calls.arguments_of(given.get("tool_input")))
    event.tool_call_id = name(given.get("tool_call_id"))
    event.event_id = key(event, *place)
    response, fault = given.get("tool_response"), given.get("error")
    answer = calls.Answer(fault) if isinstance(fault, str) else _answer(response)
    event.success = success
    if isinstance(response, dict) and response.get("error"):
        event.success = False
    settle(event, answer.text)
    intake.add(event)
    for consequence in calls.consequences(blanks, event, intent, answer):
        intake.add(consequence)


def _answer(response: Any) -> calls.Answer:
    if not isinstance(response, dict):
        return calls.Answer()
    display = response.get("returnDisplay")
    return calls.Answer(_text(response.get("llmContent")), calls.display_of(display))


def _text(content: Any) -> str | None:
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    found = [text for text in texts if isinstance(text, str)]
    return "".join(found) if found else None
