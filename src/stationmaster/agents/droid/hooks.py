"""Reading the JSON of Droid's hooks, in either spelling of its members.

It has no time and, as far as documented, no id of a message or a call: what happened is
distinguished by the second in which it arrived and by a hash of its arguments.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stationmaster.agents.calls import events_of
from stationmaster.agents.droid import tooling, words
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.hooks import Hook, decoded, digest, encoded, reader_of
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.values import name, text_of_parts, whole
from stationmaster.events.model import Event, identify, identify_in_session, path_hash

_MEMBERS = (
    *("session_id", "hook_event_name", "permission_mode", "tool_name", "tool_input"),
    *("tool_response", "tool_use_id"),
)
_CAMEL = {
    member: re.sub(r"_([a-z])", lambda match: match[1].upper(), member) for member in _MEMBERS
}
_OUTPUT_MEMBERS = ("stdout", "output", "content", "error")


class _Hook(Hook):
    blanks = Blanks(PRODUCT, "hook")
    session_members = ("session_id",)

    def get(self, *spellings: str) -> Any:
        """A member's value by its name in snake case, else by that in camel case; None without."""
        [member] = spellings
        value = self.payload.get(member)
        return self.payload.get(_CAMEL.get(member, member)) if value is None else value

    def fill(self, event: Event) -> None:
        """Set the level of autonomy."""
        event.autonomy, event.autonomy_raw = words.autonomy(self.get("permission_mode"))

    def place(self, *parts: Any) -> str:
        """The second, and a hash of what was given then."""
        return f"{self.ts // 1000}\0{digest(parts)}"


def _read_end(hook: _Hook, intake: Intake) -> None:
    ended = hook.event("session_end")
    identify_in_session(ended, hook.place())
    ended.source_detail = name(hook.get("reason"))
    intake.add(ended)


def _add_mode(hook: _Hook, intake: Intake) -> None:
    event = hook.event("mode_change")
    if event.autonomy is not None:
        identify(event, hook.session or "", str(hook.ts), event.autonomy_raw or "")
        intake.add(event)


def _read_start(hook: _Hook, intake: Intake) -> None:
    _add_mode(hook, intake)
    started = hook.event("session_start")
    started.source_detail = name(hook.get("source"))
    identify_in_session(started, hook.place(started.source_detail))
    intake.add(started)
    context = hook.event("session_context")
    identify(context, hook.session or "")
    folder = hook.get("cwd")
    if isinstance(folder, str) and folder:
        context.cwd_hash = path_hash(hook.session or "", folder)
    intake.add(context)


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    _add_mode(hook, intake)
    prompt = hook.get("prompt")
    length = len(words.own_words(prompt)) if isinstance(prompt, str) else 0
    if length == 0:
        raise NoEvent("not_counted")
    event = hook.event("user_message")
    identify_in_session(event, hook.place(prompt))
    event.prompt_length = length
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    payload = decoded(hook.get("tool_input"))
    tool = name(hook.get("tool_name"))
    place = hook.place(tool, payload)
    call_id = name(hook.get("tool_use_id"))
    call = tooling.asked(hook.event("tool_call"), tool, call_id, place, payload)
    is_error, output = _answer(hook.get("tool_response"))
    tooling.settle(call, is_error, output or "")
    intake.add_all(events_of(call, hook.event, output))


def _answer(response: Any) -> tuple[bool, str | None]:
    """(is it an error, text) of a tool's response, in any of the forms that agents of this
    family give it."""
    response = decoded(response)
    if not isinstance(response, dict):
        return False, text_of_parts(msgspec.Raw(encoded(response))) or None
    code = whole(response.get("exitCode", response.get("exit_code")))
    texts = (response.get(member) for member in _OUTPUT_MEMBERS)
    output = next((text for text in texts if isinstance(text, str) and text), None)
    is_error = (
        response.get("isError") is True
        or response.get("is_error") is True
        or response.get("success") is False
        or bool(response.get("error"))
        or code not in (None, 0)
    )
    return is_error, output


read_hook = reader_of(
    _Hook,
    {
        "SessionStart": _read_start,
        "SessionEnd": _read_end,
        "UserPromptSubmit": _read_prompt,
        "PostToolUse": _read_tool,
    },
    words.WORDS,
)
