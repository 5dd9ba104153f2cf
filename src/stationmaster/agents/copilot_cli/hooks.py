"""Copilot's hooks as events.

The event's spelling in the configuration selects that of the JSON: camel case, which does not name
the event, or snake case, which does. Neither holds the id of a tool call or of a prompt, so the
facts of hooks join nothing and count where no better source tells them.
"""

from __future__ import annotations

from typing import Any

from stationmaster.agents.blanks import blank
from stationmaster.agents.card import Intake
from stationmaster.agents.copilot_cli import calls, words
from stationmaster.agents.copilot_cli.words import NOTICE, PRODUCT
from stationmaster.agents.given import digest
from stationmaster.agents.hooks import Hook
from stationmaster.agents.values import name
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind

_KINDS: tuple[Kind, ...] = (
    *("session_start", "session_end", "user_message", "tool_call"),
    *("file_change", "git_commit", "git_pull_request"),
)
_blanks = {kind: blank(PRODUCT, kind, "hook") for kind in _KINDS}
_REDUNDANT = frozenset({"PreToolUse", "PermissionRequest"})
_ENDS = frozenset({"PostToolUse", "PostToolUseFailure"})


def read_hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """See card.Agent.hook."""
    hook = Hook(event, given, received_ms)
    kind = words.hook_event(hook.kind or name(given.get("hookName")) or "")
    if kind == "SessionStart":
        intake.add(hook.boundary(_blanks["session_start"]))
    elif kind == "SessionEnd":
        end = hook.boundary(_blanks["session_end"])
        end.client = words.client_of_end(end.source_detail)
        intake.add(end)
    elif kind == "UserPromptSubmit":
        _read_prompt(hook, intake)
    elif kind in _ENDS:
        _read_tool(hook, kind == "PostToolUse", intake)
    elif kind in _REDUNDANT:
        intake.drop("redundant")
    else:
        intake.drop("not_counted" if kind else "unknown_record")


def _read_prompt(hook: Hook, intake: Intake) -> None:
    prompt = hook.text("prompt")
    if prompt is not None and prompt.startswith(NOTICE):
        intake.drop("not_counted")
        return
    event = hook.event(_blanks["user_message"])
    event.event_id = event_id(PRODUCT, "user_message", hook.session or "", str(hook.ts))
    event.prompt_length = len(prompt) if prompt is not None else None
    intake.add(event)


def _read_tool(hook: Hook, is_success: bool, intake: Intake) -> None:
    tool = name(hook.get("toolName", "tool_name"))
    if tool is None:
        intake.drop("unknown_record")
        return
    given = hook.get("toolArgs", "tool_args", "tool_input")
    event = hook.event(_blanks["tool_call"])
    words.name_tool(event, tool, None, None)
    kind, output = _outcome(hook.get("toolResult", "tool_result"))
    event.success = is_success and kind in (None, "success")
    if words.is_refusal(kind):
        event.decision = "reject"
    if event.tool_raw in words.SHELLS and words.exit_code(output) not in (None, 0):
        event.success = False
    # Calls that run side by side may end in one millisecond.
    place = f"{hook.ts}\0{tool}\0{digest(given)}"
    event.event_id = event_id(PRODUCT, "tool_call", hook.session or "", place)
    call = calls.read(event, place, calls.arguments_of(given))
    intake.add(event)

    def new(kind: Kind) -> Event:
        return hook.event(_blanks[kind])

    for consequence in calls.consequences(call, new, output or None):
        intake.add(consequence)


def _outcome(result: Any) -> tuple[str | None, str]:
    """(type, text) of a tool's result."""
    if not isinstance(result, dict):
        return None, ""
    kind = result.get("resultType", result.get("result_type"))
    text = result.get("textResultForLlm", result.get("text_result_for_llm"))
    return name(kind), text if isinstance(text, str) else ""
