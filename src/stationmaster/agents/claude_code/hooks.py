"""Claude Code's hooks as events: prompts by their id, tool calls by theirs, as every other source.

A tool's input and response are what its session file holds of them, and are read as those.
"""

from __future__ import annotations

import msgspec

from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.lines import Block, Line, is_persons
from stationmaster.agents.claude_code.results import Waiting, consequences, names_of, read_input
from stationmaster.agents.hooks import Hook, add_end, add_start, encoded, reader_of
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.values import command_name, milliseconds, name
from stationmaster.events.model import Event, identify


class _Hook(Hook):
    blanks = Blanks(words.PRODUCT, "hook")

    def fill(self, event: Event) -> None:
        """Set what every hook reports of its turn, its mode and its subagent."""
        event.turn_id = name(self.get("prompt_id"))
        mode = name(self.get("permission_mode"))
        event.autonomy, event.autonomy_raw = words.WORDS.autonomy.get(mode or ""), mode
        event.agent_id, event.agent_type = name(self.get("agent_id")), name(self.get("agent_type"))
        event.is_subagent = event.agent_id is not None


def _turn(hook: _Hook, event: Event) -> str:
    return event.turn_id or f"{hook.session or ''}\0{hook.ts}"


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    event = hook.event("user_message")
    prompt = hook.text("prompt") or ""
    command = prompt[1:].split(maxsplit=1) if prompt.startswith("/") else []
    is_local = bool(command) and not words.starts_a_turn(command[0], None)
    if is_local or event.is_subagent or not is_persons(Line(), prompt):
        raise NoEvent("not_counted")
    identify(event, _turn(hook, event))
    event.prompt_length = len(prompt)
    intake.add(event)
    if event.autonomy is not None:
        change = hook.event("mode_change")
        key = (hook.session or "", event.turn_id or str(hook.ts), event.autonomy_raw or "")
        identify(change, *key)
        intake.add(change)


def _read_command(hook: _Hook, intake: Intake) -> None:
    command = command_name(hook.get("command_name"))
    if command is None or hook.get("expansion_type") not in (None, "slash_command"):
        raise NoEvent("not_counted")
    event = hook.event("slash_command")
    identify(event, _turn(hook, event))
    event.slash_command = command
    event.command_source = name(hook.get("command_source"))
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    names = names_of(name(hook.get("tool_name")))
    event = hook.event("tool_call")
    names.fill(event)
    event.tool_call_id = name(hook.get("tool_use_id"))
    event.duration_ms = milliseconds(hook.get("duration_ms"))
    event.success = hook.kind == "PostToolUse"
    if hook.kind == "PermissionDenied":
        event.decision, event.decision_source = "reject", "unknown"
    key = (event.tool_call_id,) if event.tool_call_id else (_turn(hook, event), names.tool_raw)
    identify(event, *key)
    waiting = Waiting(event)
    if names.has_input:
        read_input(waiting, Block(input=msgspec.Raw(encoded(hook.get("tool_input")))))
    intake.add(event)
    response = Line(tool_use_result=msgspec.Raw(encoded(hook.get("tool_response"))))
    intake.add_all(consequences(waiting, response, hook.ts, hook.blanks))


read_hook = reader_of(
    _Hook,
    {
        "UserPromptSubmit": _read_prompt,
        "UserPromptExpansion": _read_command,
        "PostToolUse": _read_tool,
        "PostToolUseFailure": _read_tool,
        "PermissionDenied": _read_tool,
        "SessionStart": add_start,
        "SessionEnd": add_end,
    },
    words.WORDS,
)
