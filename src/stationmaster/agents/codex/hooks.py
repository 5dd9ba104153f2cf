"""Codex's hooks as events: tool calls by their id, prompts by their turn.

A hook's mode says that nobody is asked, and nothing of the sandbox that decides the level: a run
that may write nothing says the same as one that may do everything. Only planning is told by it.
"""

from __future__ import annotations

from typing import Any

from stationmaster.agents import calls, patches, tools
from stationmaster.agents.blanks import blank
from stationmaster.agents.calls import Call
from stationmaster.agents.card import Intake
from stationmaster.agents.codex import words
from stationmaster.agents.codex.otlp import command_of, name_tool
from stationmaster.agents.codex.words import PRODUCT
from stationmaster.agents.hooks import Hook
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import name
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind

_KINDS: tuple[Kind, ...] = (
    *("session_start", "session_end", "user_message", "mode_change", "tool_call"),
    *("file_change", "git_commit", "git_pull_request"),
)
_blanks = {kind: blank(PRODUCT, kind, "hook") for kind in _KINDS}
_REDUNDANT = frozenset({"PreToolUse", "PermissionRequest"})
_PLAN = "plan"


def read_hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """See card.Agent.hook."""
    hook = Hook(event, given, received_ms)
    if hook.kind == "UserPromptSubmit":
        _read_prompt(hook, intake)
    elif hook.kind == "PostToolUse":
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
    event = hook.event(_blanks[kind])
    event.turn_id = name(hook.get("turn_id"))
    if hook.get("permission_mode") == _PLAN:
        event.autonomy, event.autonomy_raw = "spec", _PLAN
    return event


def _read_prompt(hook: Hook, intake: Intake) -> None:
    event = _start(hook, "user_message")
    session, prompt = hook.session or "", hook.text("prompt")
    # A session file counts the messages of a turn; a hook tells the one that began it.
    place = f"{event.turn_id}\0{1}" if event.turn_id else str(hook.ts)
    event.event_id = event_id(PRODUCT, "user_message", session, place)
    event.prompt_length = len(prompt) if prompt is not None else None
    intake.add(event)
    if event.autonomy is not None:
        change = _start(hook, "mode_change")
        key = (session, event.turn_id or str(hook.ts), _PLAN)
        change.event_id = event_id(PRODUCT, "mode_change", *key)
        intake.add(change)


def _read_tool(hook: Hook, intake: Intake) -> None:
    tool = name(hook.get("tool_name")) or "unknown"
    server, tool = tools.mcp_parts(tool) or (None, tool)
    event = _start(hook, "tool_call")
    name_tool(event, tool, server)
    event.tool_call_id = name(hook.get("tool_use_id"))
    place = event.tool_call_id or f"{hook.ts}\0{tool}"
    event.event_id = event_id(PRODUCT, "tool_call", hook.session or "", place)
    response = hook.get("tool_response")
    output = response if isinstance(response, str) else ""
    code = words.exit_code(output)
    if code is not None:
        event.success = code == 0
    elif words.is_refusal(output):
        event.success, event.decision = False, "reject"
    elif isinstance(response, dict):
        event.success = response.get("isError", response.get("is_error")) is not True
    given = hook.get("tool_input")
    call = _call(event, place, given if isinstance(given, dict) else {})
    intake.add(event)

    def new(kind: Kind) -> Event:
        return _start(hook, kind)

    for consequence in calls.consequences(call, new, output or None):
        intake.add(consequence)


def _call(event: Event, place: str, given: dict[str, Any]) -> Call:
    """The call with the files and commits that its command names."""
    call = Call(event, place)
    command = command_of(given.get("command"))
    if isinstance(command, str) and patches.BEGIN in command:
        call.files = patches.of_patch(command, event.session_id or "")
    elif command and event.tool_kind == "builtin":
        call.creations = shell.creations(command)
    return call
