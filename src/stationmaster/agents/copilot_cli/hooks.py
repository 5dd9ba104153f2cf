"""Copilot's hooks as events.

The event's spelling in the configuration selects that of the JSON: camel case, which does not name
the event, or snake case, which does. Neither holds the id of a tool call or of a prompt, so the
facts of hooks join nothing and count where no better source reports them.
"""

from __future__ import annotations

from typing import Any

from stationmaster.agents.copilot_cli import calls, words
from stationmaster.agents.copilot_cli.words import NOTICE, PRODUCT
from stationmaster.agents.hooks import Hook, add_start, digest, reader_of
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.values import name
from stationmaster.events.model import identify


class _Hook(Hook):
    blanks = Blanks(PRODUCT, "hook")

    def __init__(self, event: str | None, payload: dict[str, Any], received_ms: int) -> None:
        super().__init__(event, payload, received_ms)
        self.kind = words.hook_event(self.kind or name(payload.get("hookName")) or "")


def _read_end(hook: _Hook, intake: Intake) -> None:
    end = hook.boundary("session_end")
    end.client = words.client_of_end(end.source_detail)
    intake.add(end)


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    prompt = hook.text("prompt")
    if prompt is not None and prompt.startswith(NOTICE):
        raise NoEvent("not_counted")
    event = hook.event("user_message")
    identify(event, hook.session or "", str(hook.ts))
    event.prompt_length = len(prompt) if prompt is not None else None
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    tool = name(hook.get("toolName", "tool_name"))
    if tool is None:
        raise NoEvent("unknown_record")
    raw = hook.get("toolArgs", "tool_args", "tool_input")
    event = hook.event("tool_call")
    words.name_tool(event, tool, None, None)
    kind, output = _outcome(hook.get("toolResult", "tool_result"))
    event.success = hook.kind == "PostToolUse" and kind in (None, "success")
    if words.is_refusal(kind):
        event.decision = "reject"
    if event.tool_raw in words.SHELLS and words.exit_code(output) not in (None, 0):
        event.success = False
    # Calls that run side by side may end in one millisecond.
    place = f"{hook.ts}\0{tool}\0{digest(raw)}"
    identify(event, hook.session or "", place)
    call = calls.read(event, place, calls.arguments_of(raw))
    intake.add_all(calls.events_of(call, hook.event, output or None))


def _outcome(result: Any) -> tuple[str | None, str]:
    """(type, text) of a tool's result."""
    if not isinstance(result, dict):
        return None, ""
    kind = result.get("resultType", result.get("result_type"))
    text = result.get("textResultForLlm", result.get("text_result_for_llm"))
    return name(kind), text if isinstance(text, str) else ""


read_hook = reader_of(
    _Hook,
    {
        "SessionStart": add_start,
        "SessionEnd": _read_end,
        "UserPromptSubmit": _read_prompt,
        "PostToolUse": _read_tool,
        "PostToolUseFailure": _read_tool,
    },
    words.WORDS,
)
