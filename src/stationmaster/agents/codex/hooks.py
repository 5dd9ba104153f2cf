"""Codex's hooks as events: tool calls by their id, prompts by their turn.

A hook's mode shows that no person is asked, and nothing of the sandbox that decides the level: it
is the same for a run that may write nothing and one that may do everything. Only planning is
visible in it.
"""

from __future__ import annotations

from typing import Any

from stationmaster.agents import calls, patches
from stationmaster.agents.codex import words
from stationmaster.agents.codex.otlp import command_of, name_tool
from stationmaster.agents.hooks import Hook, add_end, add_start, reader_of
from stationmaster.agents.interface import Blanks, Intake
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import name
from stationmaster.events.model import Event, identify

_PLAN = "plan"


class _Hook(Hook):
    blanks = Blanks(words.PRODUCT, "hook")

    def fill(self, event: Event) -> None:
        """Set the turn, and the level while planning."""
        event.turn_id = name(self.get("turn_id"))
        if self.get("permission_mode") == _PLAN:
            event.autonomy, event.autonomy_raw = "spec", _PLAN


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    event = hook.event("user_message")
    session, prompt = hook.session or "", hook.text("prompt")
    # A session file counts the messages of a turn; a hook reports the one that began it.
    place = f"{event.turn_id}\0{1}" if event.turn_id else str(hook.ts)
    identify(event, session, place)
    event.prompt_length = len(prompt) if prompt is not None else None
    intake.add(event)
    if event.autonomy is not None:
        change = hook.event("mode_change")
        key = (session, event.turn_id or str(hook.ts), _PLAN)
        identify(change, *key)
        intake.add(change)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    tool = name(hook.get("tool_name")) or "unknown"
    server, tool = calls.mcp_parts(tool) or (None, tool)
    event = hook.event("tool_call")
    name_tool(event, tool, server)
    event.tool_call_id = name(hook.get("tool_use_id"))
    place = event.tool_call_id or f"{hook.ts}\0{tool}"
    identify(event, hook.session or "", place)
    response = hook.get("tool_response")
    output = response if isinstance(response, str) else ""
    code = words.exit_code(output)
    if code is not None:
        event.success = code == 0
    elif words.is_refusal(output):
        event.success, event.decision = False, "reject"
    elif isinstance(response, dict):
        event.success = response.get("isError", response.get("is_error")) is not True
    arguments = hook.get("tool_input")
    call = _call(event, place, arguments if isinstance(arguments, dict) else {})
    intake.add_all(calls.events_of(call, hook.event, output or None))


def _call(event: Event, place: str, arguments: dict[str, Any]) -> calls.Call:
    """The call with the files and commits that its command names."""
    call = calls.Call(event, place)
    command = command_of(arguments.get("command"))
    if isinstance(command, str) and patches.BEGIN in command:
        call.files = patches.of_patch(command, event.session_id or "")
    elif command and event.tool_kind == "builtin":
        call.creations = shell.creations(command)
    return call


read_hook = reader_of(
    _Hook,
    {
        "UserPromptSubmit": _read_prompt,
        "PostToolUse": _read_tool,
        "SessionStart": add_start,
        "SessionEnd": add_end,
    },
    words.WORDS,
)
