"""Claude Code's hooks as events: prompts by their id, tool calls by theirs, as every other source.

A tool's input and response are what its session file holds of them, and are read as those.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.blanks import blank
from stationmaster.agents.card import Intake
from stationmaster.agents.claude_code import words
from stationmaster.agents.claude_code.lines import Block, Line
from stationmaster.agents.claude_code.prompts import is_persons
from stationmaster.agents.claude_code.results import (
    Waiting,
    consequences,
    names_of,
    read_input,
)
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.given import encoded
from stationmaster.agents.hooks import Hook
from stationmaster.agents.values import command_name, milliseconds, name
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind
from stationmaster.events.source_ranks import standing

_KINDS: tuple[Kind, ...] = (
    *("session_start", "session_end", "user_message", "slash_command", "mode_change", "tool_call"),
)
_blanks = {kind: blank(PRODUCT, kind, "hook") for kind in _KINDS}
_ENDS = frozenset({"PostToolUse", "PostToolUseFailure", "PermissionDenied"})
_REDUNDANT = frozenset({"PreToolUse", "PermissionRequest", "PostToolBatch"})


def read_hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """See card.Agent.hook."""
    hook = Hook(event, given, received_ms)
    if hook.kind == "UserPromptSubmit":
        _read_prompt(hook, intake)
    elif hook.kind == "UserPromptExpansion":
        _read_command(hook, intake)
    elif hook.kind in _ENDS:
        _read_tool(hook, intake)
    elif hook.kind == "SessionStart":
        intake.add(hook.boundary(_blanks["session_start"]))
    elif hook.kind == "SessionEnd":
        intake.add(hook.boundary(_blanks["session_end"]))
    elif hook.kind in _REDUNDANT:
        intake.drop("redundant")
    else:
        intake.drop("not_counted" if hook.kind else "unknown_record")


def _start(hook: Hook, kind: Kind) -> Event:
    """An event with what every hook says of its turn, its mode and its subagent."""
    event = hook.event(_blanks[kind])
    event.turn_id = name(hook.get("prompt_id"))
    mode = name(hook.get("permission_mode"))
    event.autonomy, event.autonomy_raw = words.autonomy(mode), mode
    event.agent_id, event.agent_type = name(hook.get("agent_id")), name(hook.get("agent_type"))
    event.is_subagent = event.agent_id is not None
    return event


def _turn(hook: Hook, event: Event) -> str:
    return event.turn_id or f"{hook.session or ''}\0{hook.ts}"


def _read_prompt(hook: Hook, intake: Intake) -> None:
    event = _start(hook, "user_message")
    prompt = hook.text("prompt") or ""
    command = prompt[1:].split(maxsplit=1) if prompt.startswith("/") else []
    is_local = bool(command) and not words.starts_a_turn(command[0], None)
    if is_local or event.is_subagent or not is_persons(Line(), prompt):
        intake.drop("not_counted")
        return
    event.event_id = event_id(PRODUCT, "user_message", _turn(hook, event))
    event.prompt_length = len(prompt)
    intake.add(event)
    if event.autonomy is not None:
        change = _start(hook, "mode_change")
        key = (hook.session or "", event.turn_id or str(hook.ts), event.autonomy_raw or "")
        change.event_id = event_id(PRODUCT, "mode_change", *key)
        intake.add(change)


def _read_command(hook: Hook, intake: Intake) -> None:
    command = command_name(hook.get("command_name"))
    if command is None or hook.get("expansion_type") not in (None, "slash_command"):
        intake.drop("not_counted")
        return
    event = _start(hook, "slash_command")
    event.event_id = event_id(PRODUCT, "slash_command", _turn(hook, event))
    event.slash_command = command
    event.command_source = name(hook.get("command_source"))
    intake.add(event)


def _read_tool(hook: Hook, intake: Intake) -> None:
    names = names_of(name(hook.get("tool_name")))
    event = _start(hook, "tool_call")
    event.tool, event.tool_raw, event.tool_kind = names.tool, names.tool_raw, names.kind
    if names.server is not None:
        event.mcp_server_raw, event.mcp_server = names.server_raw, names.server
        event.mcp_tool = names.mcp_tool
    event.tool_call_id = name(hook.get("tool_use_id"))
    event.duration_ms = milliseconds(hook.get("duration_ms"))
    event.success = hook.kind == "PostToolUse"
    if hook.kind == "PermissionDenied":
        event.decision, event.decision_source = "reject", "unknown"
    key = (event.tool_call_id,) if event.tool_call_id else (_turn(hook, event), names.tool_raw)
    event.event_id = event_id(PRODUCT, "tool_call", *key)
    waiting = Waiting(event)
    if names.has_input:
        read_input(waiting, Block(input=msgspec.Raw(encoded(hook.get("tool_input")))))
    intake.add(event)
    response = Line(tool_use_result=msgspec.Raw(encoded(hook.get("tool_response"))))
    for consequence in consequences(waiting, response, hook.ts):
        consequence.source, consequence.ts_source = "hook", hook.ts_source
        consequence.source_rank, consequence.source_group = standing(
            PRODUCT, consequence.kind, "hook"
        )
        intake.add(consequence)
