"""Reading the JSON of Cursor's hooks.

Most work is told twice: by the hook of any tool, which has an id, and by those of commands, of MCP
servers and of edits, which have none. The latter are a source of their own that counts where the
former told nothing of a session; only the lines of an edit are theirs alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from stationmaster.agents import patches
from stationmaster.agents.blanks import blank
from stationmaster.agents.calls import Call, New, consequences
from stationmaster.agents.card import Intake
from stationmaster.agents.cursor import tooling, words
from stationmaster.agents.cursor.words import PRODUCT
from stationmaster.agents.given import decoded, digest, encoded
from stationmaster.agents.lenient import NotJson
from stationmaster.agents.values import milliseconds, moment, name, whole
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event, Kind

_KINDS: tuple[Kind, ...] = (
    *("session_start", "session_end", "session_context", "user_message", "assistant_message"),
    *("tool_call", "file_change", "git_commit", "git_pull_request"),
)
_BLANKS = {kind: blank(PRODUCT, kind, "hook") for kind in _KINDS}
_SPECIAL_KINDS: tuple[Kind, ...] = ("tool_call", "git_commit", "git_pull_request")
_SPECIAL_BLANKS = {kind: blank(PRODUCT, kind, "hook_special") for kind in _SPECIAL_KINDS}
_REDUNDANT = frozenset({"preToolUse", "beforeShellExecution", "beforeMCPExecution"})
_UNCOUNTED = frozenset(
    {"stop", "subagentStart", "subagentStop", "preCompact", "afterAgentThought", "beforeReadFile"}
    | {"beforeTabFileRead", "afterTabFileEdit"}
)
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,189}")
_OUTPUT_MEMBERS = ("output", "stdout", "result")


class _Hook:
    """One hook's JSON, and events that begin with it."""

    def __init__(self, given: dict[str, Any], received_ms: int) -> None:
        self.get = given.get
        at = moment(given.get("timestamp"))
        self.at, self._ts_source = (received_ms, "received") if at is None else (at, "event")
        self.session = name(given.get("conversation_id")) or name(given.get("session_id"))
        self.turn = name(given.get("generation_id"))

    def event(self, kind: Kind) -> Event:
        """A fresh event with the hook's time, session, turn, person and mode."""
        return self._begun(_BLANKS[kind]())

    def special_event(self, kind: Kind) -> Event:
        """An event of a hook that repeats that of any tool."""
        return self._begun(_SPECIAL_BLANKS[kind]())

    def _begun(self, event: Event) -> Event:
        event.ts, event.ts_source = self.at, self._ts_source
        event.session_id = event.root_session_id = self.session
        if self.session is None:
            event.quality = "no_session"
        event.turn_id = self.turn
        event.product_version = name(self.get("cursor_version"))
        event.user_email = _address(self.get("user_email"))
        event.autonomy, event.autonomy_raw = words.autonomy(self.get("composer_mode"))
        event.client, event.surface = words.client_of(self.get("is_background_agent"))
        return event

    def key(self, kind: Kind, *place: str) -> str:
        """The id of an event of this session; `place` tells it from others of its kind."""
        return event_id(PRODUCT, kind, self.session or "", *place)

    def place(self, *said: Any) -> str:
        """The turn, else the second, and a hash of what was given then."""
        return f"{self.turn or self.at // 1000}\0{digest(said)}"


def read(event: str | None, given: dict[str, Any], received_ms: int, intake: Intake) -> None:
    """Turn one hook into events or a drop."""
    called = name(given.get("hook_event_name")) or event or ""
    reader = _READERS.get(called)
    if reader is not None:
        reader(_Hook(given, received_ms), intake)
    elif called in _REDUNDANT:
        intake.drop("redundant")
    else:
        intake.drop("not_counted" if called in _UNCOUNTED else "unknown_record")


def _read_start(hook: _Hook, intake: Intake) -> None:
    started = hook.event("session_start")
    started.event_id = hook.key("session_start")
    started.model = name(hook.get("model"))
    intake.add(started)
    _tell_folder(hook, intake)


def _read_end(hook: _Hook, intake: Intake) -> None:
    ended = hook.event("session_end")
    ended.event_id = hook.key("session_end", str(hook.at // 1000))
    ended.source_detail = name(hook.get("reason"))
    intake.add(ended)


def _tell_folder(hook: _Hook, intake: Intake) -> None:
    roots = hook.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else None
    if isinstance(folder, str) and folder:
        context = hook.event("session_context")
        context.event_id = hook.key("session_context")
        context.cwd_hash = path_hash(hook.session or "", folder)
        intake.add(context)


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    # Not every build has a hook for the start of a session.
    _tell_folder(hook, intake)
    prompt = hook.get("prompt")
    event = hook.event("user_message")
    event.event_id = hook.key("user_message", hook.turn or hook.place(prompt))
    event.prompt_length = len(prompt) if isinstance(prompt, str) else None
    intake.add(event)


def _read_response(hook: _Hook, intake: Intake) -> None:
    text = hook.get("text")
    if not isinstance(text, str) or not text.strip():
        intake.drop("not_counted")
        return
    event = hook.event("assistant_message")
    event.event_id = hook.key("assistant_message", hook.place(text))
    event.model = name(hook.get("model"))
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    call = _of_any_tool(hook)
    output, code = _answer(hook.get("tool_output"))
    call.event.success = code in (None, 0)
    _tell(call, hook.event, output, intake)


def _read_failure(hook: _Hook, intake: Intake) -> None:
    call = _of_any_tool(hook)
    call.event.success = False
    if hook.get("failure_type") == "permission_denied":
        call.event.decision = "reject"
    _tell(call, hook.event, "", intake)


def _of_any_tool(hook: _Hook) -> Call:
    given, tool = decoded(hook.get("tool_input")), name(hook.get("tool_name"))
    call = _call(hook, hook.event("tool_call"), tool, given)
    event = call.event
    # The lines of an edit are told by its own hook.
    call.files = ()
    event.tool_call_id = name(hook.get("tool_use_id"))
    place = event.tool_call_id or hook.place(tool, given)
    event.event_id = hook.key("tool_call", place)
    return call


def _read_command(hook: _Hook, intake: Intake) -> None:
    event = hook.special_event("tool_call")
    call = _call(hook, event, words.SHELL, {"command": hook.get("command")})
    output = hook.get("output")
    place = hook.place(words.SHELL, hook.get("command"), output, hook.get("duration"))
    event.event_id = hook.key("tool_call", place)
    _tell(call, hook.special_event, output if isinstance(output, str) else None, intake)


def _read_server_tool(hook: _Hook, intake: Intake) -> None:
    event = hook.special_event("tool_call")
    tool = f"{words.SERVER_TOOL}{name(hook.get('tool_name')) or 'unknown'}"
    given, result = decoded(hook.get("tool_input")), decoded(hook.get("result_json"))
    call = _call(hook, event, tool, given)
    event.event_id = hook.key("tool_call", hook.place(tool, given, hook.get("duration")))
    if isinstance(result, dict):
        event.success = result.get("isError") is not True
    _tell(call, hook.special_event, None, intake)


def _read_edit(hook: _Hook, intake: Intake) -> None:
    path = hook.get("file_path")
    if not isinstance(path, str) or not path:
        intake.drop("not_counted")
        return
    edits = _arguments({"edits": hook.get("edits")}).edits or []
    delta = tooling.edited(path, edits, hook.session or "")
    place = hook.place(words.EDIT, path, hook.get("edits"))
    call = hook.special_event("tool_call")
    words.name_tool(call, words.EDIT)
    call.event_id = hook.key("tool_call", place)
    call.success = True
    intake.add(call)
    change = hook.event("file_change")
    intake.add(patches.fill(change, delta, call, hook.session or "", place))


def _call(hook: _Hook, event: Event, tool: str | None, given: Any) -> Call:
    """A call; what follows from it has the same key, whichever hook tells it."""
    command = given.get("command") if isinstance(given, dict) else None
    place = hook.place(command) if isinstance(command, str) else hook.place(tool, given)
    event.duration_ms = milliseconds(hook.get("duration"))
    return tooling.asked(event, tool, place, msgspec.Raw(encoded(given)))


def _tell(call: Call, new: New, output: str | None, intake: Intake) -> None:
    intake.add(call.event)
    for event in consequences(call, new, output):
        intake.add(event)


def _answer(given: Any) -> tuple[str | None, int | None]:
    """(text, exit code) of a tool's output: plain text, or an object with the text in it."""
    given = decoded(given)
    if not isinstance(given, dict):
        return (given if isinstance(given, str) else None), None
    texts = (given.get(member) for member in _OUTPUT_MEMBERS)
    output = next((text for text in texts if isinstance(text, str)), None)
    return output, whole(given.get("exitCode", given.get("exit_code")))


def _address(value: Any) -> str | None:
    text = name(value)
    return text if text is not None and _ADDRESS.fullmatch(text) else None


def _arguments(given: Any) -> tooling.Arguments:
    try:
        return tooling.decode_arguments(encoded(given))
    except NotJson:
        return tooling.Arguments()


_READERS: dict[str, Callable[[_Hook, Intake], None]] = {
    "sessionStart": _read_start,
    "sessionEnd": _read_end,
    "beforeSubmitPrompt": _read_prompt,
    "afterAgentResponse": _read_response,
    "postToolUse": _read_tool,
    "postToolUseFailure": _read_failure,
    "afterShellExecution": _read_command,
    "afterMCPExecution": _read_server_tool,
    "afterFileEdit": _read_edit,
}
