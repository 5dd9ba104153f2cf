"""Gemini CLI's hooks: messages, tools and model calls as they happen.

No hook has an id of a call or a turn, or reports the approval mode.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.agents.gemini_cli.words import LINEAGE, PRODUCT, WORDS
from stationmaster.agents.gemini_lineage import hooks
from stationmaster.agents.gemini_lineage.calls import set_tokens, usage_of
from stationmaster.agents.gemini_lineage.hooks import FamilyHook
from stationmaster.agents.hooks import reader_of
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.values import model_name, name
from stationmaster.events.model import identify_in_session, mark


class _Hook(FamilyHook):
    blanks = Blanks(PRODUCT, "hook")


def _read_before_agent(hook: _Hook, intake: Intake) -> None:
    prompt = hook.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise NoEvent("not_counted")
    event = hook.event("user_message")
    event.prompt_length = len(prompt)
    identify_in_session(event, str(event.ts))
    intake.add(event)


def _read_after_model(hook: _Hook, intake: Intake) -> None:
    """The last piece of an answer has the figures of all of it; pieces before may have some, too.

    Cached tokens are not reported. What the total has beyond prompt and output are thoughts.
    """
    response = hook.get("llm_response")
    response = response if isinstance(response, dict) else {}
    figures = response.get("usageMetadata")
    candidates = response.get("candidates")
    is_last = isinstance(candidates, list) and any(
        isinstance(candidate, dict) and candidate.get("finishReason") for candidate in candidates
    )
    if not isinstance(figures, dict) or not is_last:
        raise NoEvent("redundant")
    get = figures.get
    usage = usage_of(
        get("promptTokenCount"),
        get("candidatesTokenCount"),
        get("cachedContentTokenCount"),
        total=get("totalTokenCount"),
    )
    event = hook.event("model_call")
    thoughts = max(usage.total - usage.prompt - usage.output, 0)
    set_tokens(event, usage._replace(thoughts=thoughts), LINEAGE.has_thoughts_in_output)
    if get("cachedContentTokenCount") is None:
        event.cache_read_tokens = None
        mark(event, "estimated")
    request = hook.get("llm_request")
    event.model = model_name(request.get("model") if isinstance(request, dict) else None)
    event.provider = LINEAGE.provider
    identify_in_session(event, str(event.ts), *map(str, usage))
    intake.add(event)


def _read_after_tool(hook: _Hook, intake: Intake) -> None:
    get = hook.get
    moment = str(get("timestamp") or hook.received_ms)
    place = (moment, name(get("tool_name")) or "unknown", _fingerprint(get("tool_input")))
    hooks.add_tool_call(hook, *place, success=True, intake=intake)


def _read_notification(hook: _Hook, intake: Intake) -> None:
    if hook.get("notification_type") == "ToolPermission":
        hooks.add_person(hook, intake)
    else:
        intake.drop("not_counted")


def _fingerprint(value: Any) -> str:
    """What distinguishes calls that end in one millisecond."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return ""


read_hook = reader_of(
    _Hook,
    {
        "SessionStart": hooks.add_context,
        "BeforeAgent": _read_before_agent,
        "AfterModel": _read_after_model,
        "AfterTool": _read_after_tool,
        "Notification": _read_notification,
    },
    WORDS,
)
