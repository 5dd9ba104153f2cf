"""Gemini CLI's hooks: messages, tools and model calls as they happen.

No hook has an id of a call or a turn, or tells the approval mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stationmaster.agents.card import Intake
from stationmaster.agents.gemini_cli import words
from stationmaster.agents.gemini_cli.words import LINEAGE
from stationmaster.agents.gemini_lineage import calls, hooks
from stationmaster.agents.gemini_lineage.hooks import Hook
from stationmaster.agents.gemini_lineage.usage import add_flag, set_tokens, usage_of
from stationmaster.agents.values import model_name, name
from stationmaster.events.model import Kind

_KINDS: tuple[Kind, ...] = (
    *("model_call", "tool_call", "user_message", "session_context"),
    *calls.CONSEQUENCES,
)
_BLANKS = words.blanks(_KINDS, "hook")


def read_hook(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Turn one hook into events or a drop. Raises InvalidRecord."""
    hook = Hook(given, received_ms)
    called = name(hook.given.get("hook_event_name")) or event or ""
    reader = _READERS.get(called)
    if reader is None:
        intake.drop("not_counted" if called in _UNCOUNTED else "unknown_record")
        return
    reader(hook, intake)


def _read_session_start(hook: Hook, intake: Intake) -> None:
    hooks.add_context(_BLANKS["session_context"], hook, intake)


def _read_before_agent(hook: Hook, intake: Intake) -> None:
    prompt = hook.given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        intake.drop("not_counted")
        return
    event = hooks.start(_BLANKS["user_message"], hook)
    event.prompt_length = len(prompt)
    event.event_id = hooks.key(event, str(event.ts))
    intake.add(event)


def _read_after_model(hook: Hook, intake: Intake) -> None:
    """The last piece of an answer has the figures of all of it; pieces before may have some, too.

    What was cached is not said. What the total has beyond question and answer are thoughts.
    """
    response = hook.given.get("llm_response")
    response = response if isinstance(response, dict) else {}
    figures = response.get("usageMetadata")
    candidates = response.get("candidates")
    is_last = isinstance(candidates, list) and any(
        isinstance(candidate, dict) and candidate.get("finishReason") for candidate in candidates
    )
    if not isinstance(figures, dict) or not is_last:
        intake.drop("redundant")
        return
    get = figures.get
    usage = usage_of(
        get("promptTokenCount"),
        get("candidatesTokenCount"),
        get("cachedContentTokenCount"),
        total=get("totalTokenCount"),
    )
    event = hooks.start(_BLANKS["model_call"], hook)
    thoughts = max(usage.total - usage.given - usage.output, 0)
    set_tokens(event, usage._replace(thoughts=thoughts), LINEAGE.has_thoughts_in_output)
    if get("cachedContentTokenCount") is None:
        event.cache_read_tokens = None
        add_flag(event, "estimated")
    request = hook.given.get("llm_request")
    event.model = model_name(request.get("model") if isinstance(request, dict) else None)
    event.provider = LINEAGE.provider
    event.event_id = hooks.key(event, str(event.ts), *map(str, usage))
    intake.add(event)


def _read_after_tool(hook: Hook, intake: Intake) -> None:
    get = hook.given.get
    moment = str(get("timestamp") or hook.received_ms)
    place = (moment, name(get("tool_name")) or "unknown", _fingerprint(get("tool_input")))
    hooks.add_tool_call(_BLANKS, hook, *place, success=True, intake=intake)


def _read_notification(hook: Hook, intake: Intake) -> None:
    if hook.given.get("notification_type") == "ToolPermission":
        hooks.add_person(_BLANKS["session_context"], hook, intake)
    else:
        intake.drop("not_counted")


def _fingerprint(given: Any) -> str:
    """What tells calls apart that end in one millisecond."""
    try:
        return msgspec.json.encode(given, order="sorted").decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return ""


_UNCOUNTED = frozenset(
    {"SessionEnd", "AfterAgent", "BeforeModel", "BeforeTool", "BeforeToolSelection", "PreCompress"}
)
_READERS: dict[str, Callable[[Hook, Intake], None]] = {
    "SessionStart": _read_session_start,
    "BeforeAgent": _read_before_agent,
    "AfterModel": _read_after_model,
    "AfterTool": _read_after_tool,
    "Notification": _read_notification,
}
