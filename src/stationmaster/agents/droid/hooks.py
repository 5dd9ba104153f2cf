"""Reading the JSON of Droid's hooks, in either spelling of its members.

It has no time and, as far as documented, no id of a message or a call: what happened is told apart
by the second in which it came and by a hash of what was given.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stationmaster.agents.blanks import blank
from stationmaster.agents.calls import consequences
from stationmaster.agents.card import Intake
from stationmaster.agents.droid import tooling, words
from stationmaster.agents.droid.lines import text_of
from stationmaster.agents.droid.words import PRODUCT
from stationmaster.agents.given import decoded, digest, encoded
from stationmaster.agents.values import moment, name, whole
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event, Kind

_KINDS: tuple[Kind, ...] = (
    *("session_start", "session_end", "session_context", "mode_change", "user_message"),
    *("tool_call", "file_change", "git_commit", "git_pull_request", "skill"),
)
_BLANKS = {kind: blank(PRODUCT, kind, "hook") for kind in _KINDS}
_UNCOUNTED = frozenset({"Notification", "Stop", "SubagentStop", "PreCompact"})
_MEMBERS = (
    *("session_id", "hook_event_name", "permission_mode", "tool_name", "tool_input"),
    *("tool_response", "tool_use_id"),
)
_CAMEL = {
    member: re.sub(r"_([a-z])", lambda found: found[1].upper(), member) for member in _MEMBERS
}
_OUTPUT_MEMBERS = ("stdout", "output", "content", "error")


class _Hook:
    """One hook's JSON: its members in either spelling, and events that begin with it."""

    def __init__(self, given: dict[str, Any], received_ms: int) -> None:
        self._given = given
        at = moment(given.get("timestamp"))
        self.at, self._ts_source = (received_ms, "received") if at is None else (at, "event")
        self.session = name(self.get("session_id"))

    def get(self, member: str) -> Any:
        """A member's value by its name in snake case, else by that in camel case; None without."""
        value = self._given.get(member)
        return self._given.get(_CAMEL.get(member, member)) if value is None else value

    def event(self, kind: Kind) -> Event:
        """A fresh event with the hook's time, session and level of autonomy."""
        event = _BLANKS[kind]()
        event.ts, event.ts_source = self.at, self._ts_source
        event.session_id = event.root_session_id = self.session
        if self.session is None:
            event.quality = "no_session"
        event.autonomy, event.autonomy_raw = words.autonomy(self.get("permission_mode"))
        return event

    def key(self, kind: Kind, *said: Any) -> str:
        """The id of an event of this session, of this second and of what the hook said."""
        return event_id(PRODUCT, kind, self.session or "", self.place(*said))

    def place(self, *said: Any) -> str:
        """The second, and a hash of what was given then."""
        return f"{self.at // 1000}\0{digest(said)}"


def read(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Turn one hook into events or a drop."""
    hook = _Hook(given, received_ms)
    called = name(hook.get("hook_event_name")) or event
    if called == "PostToolUse":
        _read_tool(hook, intake)
    elif called == "PreToolUse":
        # Told once it has run.
        intake.drop("redundant")
    elif called == "UserPromptSubmit":
        _tell_mode(hook, intake)
        _read_prompt(hook, intake)
    elif called == "SessionStart":
        _tell_mode(hook, intake)
        _read_start(hook, intake)
    elif called == "SessionEnd":
        ended = hook.event("session_end")
        ended.event_id = hook.key("session_end")
        ended.source_detail = name(hook.get("reason"))
        intake.add(ended)
    else:
        intake.drop("not_counted" if called in _UNCOUNTED else "unknown_record")


def _tell_mode(hook: _Hook, intake: Intake) -> None:
    event = hook.event("mode_change")
    if event.autonomy is not None:
        event.event_id = event_id(
            PRODUCT, "mode_change", hook.session or "", str(hook.at), event.autonomy_raw or ""
        )
        intake.add(event)


def _read_start(hook: _Hook, intake: Intake) -> None:
    started = hook.event("session_start")
    started.source_detail = name(hook.get("source"))
    started.event_id = hook.key("session_start", started.source_detail)
    intake.add(started)
    context = hook.event("session_context")
    context.event_id = event_id(PRODUCT, "session_context", hook.session or "")
    folder = hook.get("cwd")
    if isinstance(folder, str) and folder:
        context.cwd_hash = path_hash(hook.session or "", folder)
    intake.add(context)


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    prompt = hook.get("prompt")
    length = len(words.own_words(prompt)) if isinstance(prompt, str) else 0
    if length == 0:
        intake.drop("not_counted")
        return
    event = hook.event("user_message")
    event.event_id = hook.key("user_message", prompt)
    event.prompt_length = length
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    given = decoded(hook.get("tool_input"))
    tool = name(hook.get("tool_name"))
    place = hook.place(tool, given)
    arguments = msgspec.Raw(encoded(given))
    call_id = name(hook.get("tool_use_id"))
    call = tooling.asked(hook.event("tool_call"), tool, call_id, place, arguments)
    is_error, output = _answer(hook.get("tool_response"))
    tooling.settle(call, is_error, output or "")
    intake.add(call.event)
    for event in consequences(call, hook.event, output):
        intake.add(event)


def _answer(response: Any) -> tuple[bool, str | None]:
    """(is it an error, text) of a tool's response, in any of the forms that agents of this
    family give it."""
    response = decoded(response)
    if not isinstance(response, dict):
        return False, text_of(msgspec.Raw(encoded(response))) or None
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
