"""The JSON of the family's hooks: what a tool's answer reports, and what every hook reports of
itself."""

from __future__ import annotations

from typing import Any

from stationmaster.agents.gemini_lineage import calls
from stationmaster.agents.gemini_lineage.chats import settle
from stationmaster.agents.hooks import Hook
from stationmaster.agents.interface import Intake
from stationmaster.agents.values import name, time_ms
from stationmaster.events.model import Event, identify_in_session, path_hash


class FamilyHook(Hook):
    """One hook of an agent of the family."""

    moment = staticmethod(time_ms)
    session_members = ("session_id",)

    def fill(self, event: Event) -> None:
        """Set the prompt."""
        event.turn_id = name(self.get("prompt_id"))


def add_context(hook: FamilyHook, intake: Intake) -> None:
    """A session's folder, once for each of its processes."""
    event = hook.event("session_context")
    folder = hook.text("cwd")
    if folder:
        event.cwd_hash = path_hash(event.session_id or "", folder)
    identify_in_session(event, str(event.ts))
    intake.add(event)


def add_person(hook: FamilyHook, intake: Intake) -> None:
    """A person is present: the agent asks, or the person leaves."""
    event = hook.event("session_context")
    event.client, event.surface = "terminal-ui", "cli"
    identify_in_session(event, "person")
    intake.add(event)


def add_tool_call(hook: FamilyHook, *place: str, success: bool | None, intake: Intake) -> None:
    """A tool call that has ended; `place` distinguishes it from others of its session."""
    payload = hook.payload
    event = hook.event("tool_call")
    tool = name(payload.get("tool_name")) or "unknown"
    context = payload.get("mcp_context")
    server = name(context.get("server_name")) if isinstance(context, dict) else None
    calls.name_tool(event, tool, server)
    call = calls.take(event, calls.arguments_of(payload.get("tool_input")))
    event.tool_call_id = name(payload.get("tool_call_id"))
    identify_in_session(event, *place)
    response, fault = payload.get("tool_response"), payload.get("error")
    answer = calls.Answer(fault) if isinstance(fault, str) else _answer(response)
    event.success = success
    if isinstance(response, dict) and response.get("error"):
        event.success = False
    settle(event, answer.text)
    intake.add_all(calls.events_of(hook.blanks, call, answer))


def _answer(response: Any) -> calls.Answer:
    if not isinstance(response, dict):
        return calls.Answer()
    display = response.get("returnDisplay")
    return calls.Answer(_text(response.get("llmContent")), calls.display_of(display))


def _text(content: Any) -> str | None:
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    strings = [text for text in texts if isinstance(text, str)]
    return "".join(strings) if strings else None
