"""Qwen Code's hooks: messages, tools and approval modes as they happen, with the ids of exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stationmaster.agents.gemini_lineage import hooks, otlp
from stationmaster.agents.gemini_lineage.hooks import FamilyHook
from stationmaster.agents.gemini_lineage.words import autonomy
from stationmaster.agents.hooks import take
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.qwen_code.words import LINEAGE, PRODUCT, WORDS
from stationmaster.agents.values import name
from stationmaster.events.model import identify_in_session

_OF_PERSON = frozenset({"permission_prompt", "idle_prompt"})


class _Hook(FamilyHook):
    blanks = Blanks(PRODUCT, "hook")


def read_hook(event: str | None, payload: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Turn one hook into events or a drop. Raises InvalidRecord."""
    hook = _Hook(event, payload, received_ms)
    if take(hook, _READERS, WORDS, intake):
        _add_mode(hook, intake)


def _add_mode(hook: _Hook, intake: Intake) -> None:
    """The approval mode, which every hook repeats: once for each prompt and mode."""
    mode = name(hook.get("permission_mode"))
    level = autonomy(mode)
    if level is None or mode is None:
        return
    event = hook.event("mode_change")
    event.autonomy, event.autonomy_raw = level, mode
    identify_in_session(event, event.turn_id or "", mode)
    intake.add(event)


def _read_session_end(hook: _Hook, intake: Intake) -> None:
    if hook.get("reason") == "prompt_input_exit":
        hooks.add_person(hook, intake)
    else:
        intake.drop("not_counted")


def _read_notification(hook: _Hook, intake: Intake) -> None:
    if name(hook.get("notification_type")) in _OF_PERSON:
        hooks.add_person(hook, intake)
    else:
        intake.drop("not_counted")


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    """A person's prompt; before each further model call of it the hook is sent without one."""
    get = hook.get
    prompt = get("submitted_prompt") or get("prompt")
    if not isinstance(prompt, str) or not prompt or get("agent_id"):
        raise NoEvent("redundant")
    event = hook.event("user_message")
    event.prompt_length = len(prompt)
    identify_in_session(event, otlp.prompt_key(event, LINEAGE))
    intake.add(event)


def _add_tool_call(hook: _Hook, intake: Intake) -> None:
    get = hook.get
    place = name(get("tool_call_id")) or name(get("tool_use_id"))
    if place is None:
        place = f"{get('timestamp') or hook.received_ms}\0{name(get('tool_name'))}"
    hooks.add_tool_call(hook, place, success=hook.kind == "PostToolUse", intake=intake)


def _read_denial(hook: _Hook, intake: Intake) -> None:
    own = Intake()
    _add_tool_call(hook, own)
    for event in own.events:
        if event.kind == "tool_call":
            event.decision, event.decision_source = "reject", event.decision_source or "unknown"
            intake.add(event)


_READERS: dict[str, Callable[[_Hook, Intake], None]] = {
    "SessionStart": hooks.add_context,
    "SessionEnd": _read_session_end,
    "Notification": _read_notification,
    "UserPromptSubmit": _read_prompt,
    "PostToolUse": _add_tool_call,
    "PostToolUseFailure": _add_tool_call,
    "PermissionDenied": _read_denial,
}
