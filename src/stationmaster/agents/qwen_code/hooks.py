"""Qwen Code's hooks: messages, tools and approval modes as they happen, with the ids of exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stationmaster.agents.card import Intake
from stationmaster.agents.gemini_lineage import calls, hooks, otlp
from stationmaster.agents.gemini_lineage.hooks import Hook
from stationmaster.agents.gemini_lineage.words import autonomy
from stationmaster.agents.qwen_code import words
from stationmaster.agents.qwen_code.words import LINEAGE
from stationmaster.agents.values import name
from stationmaster.events.model import Kind

_KINDS: tuple[Kind, ...] = (
    *("tool_call", "user_message", "session_context", "mode_change"),
    *calls.CONSEQUENCES,
)
_BLANKS = words.blanks(_KINDS, "hook")
_OF_PERSON = frozenset({"permission_prompt", "idle_prompt"})


def read_hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Turn one hook into events or a drop. Raises InvalidRecord."""
    hook = Hook(given, received_ms)
    called = name(hook.given.get("hook_event_name")) or event or ""
    reader = _READERS.get(called)
    if reader is None:
        intake.drop("not_counted" if called in _UNCOUNTED else "unknown_record")
        return
    reader(hook, intake)
    _add_mode(hook, intake)


def _add_mode(hook: Hook, intake: Intake) -> None:
    """The approval mode, which every hook repeats: once for each prompt and mode."""
    mode = name(hook.given.get("permission_mode"))
    level = autonomy(mode)
    if level is None or mode is None:
        return
    event = hooks.start(_BLANKS["mode_change"], hook)
    event.autonomy, event.autonomy_raw = level, mode
    event.event_id = words.key(event, event.turn_id or "", mode)
    intake.add(event)


def _read_session_start(hook: Hook, intake: Intake) -> None:
    hooks.add_context(_BLANKS["session_context"], hook, intake)


def _read_session_end(hook: Hook, intake: Intake) -> None:
    if hook.given.get("reason") == "prompt_input_exit":
        hooks.add_person(_BLANKS["session_context"], hook, intake)
    else:
        intake.drop("not_counted")


def _read_notification(hook: Hook, intake: Intake) -> None:
    if name(hook.given.get("notification_type")) in _OF_PERSON:
        hooks.add_person(_BLANKS["session_context"], hook, intake)
    else:
        intake.drop("not_counted")


def _read_prompt(hook: Hook, intake: Intake) -> None:
    """A person's prompt; before each further model call of it the hook comes without one."""
    get = hook.given.get
    prompt = get("submitted_prompt") or get("prompt")
    if not isinstance(prompt, str) or not prompt or get("agent_id"):
        intake.drop("redundant")
        return
    event = hooks.start(_BLANKS["user_message"], hook)
    event.prompt_length = len(prompt)
    event.event_id = words.key(event, otlp.prompt_key(event, LINEAGE))
    intake.add(event)


def _add_tool_call(hook: Hook, success: bool | None, intake: Intake) -> None:
    get = hook.given.get
    place = name(get("tool_call_id")) or name(get("tool_use_id"))
    if place is None:
        place = f"{get('timestamp') or hook.received_ms}\0{name(get('tool_name'))}"
    hooks.add_tool_call(_BLANKS, hook, place, success=success, intake=intake)


def _read_tool(hook: Hook, intake: Intake) -> None:
    _add_tool_call(hook, True, intake)


def _read_failure(hook: Hook, intake: Intake) -> None:
    _add_tool_call(hook, False, intake)


def _read_denial(hook: Hook, intake: Intake) -> None:
    own = Intake()
    _add_tool_call(hook, False, own)
    for event in own.events:
        if event.kind == "tool_call":
            event.decision, event.decision_source = "reject", event.decision_source or "unknown"
            intake.add(event)


_UNCOUNTED = frozenset(
    {"PreToolUse", "PermissionRequest", "Stop", "SubagentStart", "SubagentStop", "PreCompact"}
    | {"MessageDisplay", "TodoCreated", "TodoCompleted", "SessionDelete"}
)
_READERS: dict[str, Callable[[Hook, Intake], None]] = {
    "SessionStart": _read_session_start,
    "SessionEnd": _read_session_end,
    "Notification": _read_notification,
    "UserPromptSubmit": _read_prompt,
    "PostToolUse": _read_tool,
    "PostToolUseFailure": _read_failure,
    "PermissionDenied": _read_denial,
}
