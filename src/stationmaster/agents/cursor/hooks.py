"""Reading the JSON of Cursor's hooks.

Most work is reported twice: by the hook of any tool, which has an id, and by those of commands, of
MCP servers and of edits, which have none. The latter are a source of their own that counts where
the former reported nothing of a session; only the latter report the lines of an edit.
"""

from __future__ import annotations

import re
from typing import Any

from stationmaster.agents import patches
from stationmaster.agents.calls import Call, events_of
from stationmaster.agents.cursor import tooling, words
from stationmaster.agents.hooks import Hook, decoded, digest, reader_of
from stationmaster.agents.interface import Blanks, Intake, NoEvent
from stationmaster.agents.values import milliseconds, name, whole
from stationmaster.events.model import Event, Kind, identify_in_session, path_hash

_SPECIAL = Blanks(words.PRODUCT, "hook_special")
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,189}")
_OUTPUT_MEMBERS = ("output", "stdout", "result")


class _Hook(Hook):
    blanks = Blanks(words.PRODUCT, "hook")

    def __init__(self, event: str | None, payload: dict[str, Any], received_ms: int) -> None:
        super().__init__(event, payload, received_ms)
        self.session = name(payload.get("conversation_id")) or name(payload.get("session_id"))
        self.turn = name(payload.get("generation_id"))

    def fill(self, event: Event) -> None:
        """Set the turn, the person and the mode."""
        event.turn_id = self.turn
        event.product_version = name(self.get("cursor_version"))
        address = name(self.get("user_email"))
        event.user_email = address if _ADDRESS.fullmatch(address or "") else None
        event.autonomy, event.autonomy_raw = words.autonomy(self.get("composer_mode"))
        event.client, event.surface = words.client_of(self.get("is_background_agent"))

    def special_event(self, kind: Kind) -> Event:
        """An event of a hook that repeats that of any tool."""
        event = self.placed(_SPECIAL[kind]())
        self.fill(event)
        return event

    def place(self, *parts: Any) -> str:
        """The turn, else the second, and a hash of what was given then."""
        return f"{self.turn or self.ts // 1000}\0{digest(parts)}"


def _read_start(hook: _Hook, intake: Intake) -> None:
    started = hook.event("session_start")
    identify_in_session(started)
    started.model = name(hook.get("model"))
    intake.add(started)
    _add_folder(hook, intake)


def _read_end(hook: _Hook, intake: Intake) -> None:
    ended = hook.event("session_end")
    identify_in_session(ended, str(hook.ts // 1000))
    ended.source_detail = name(hook.get("reason"))
    intake.add(ended)


def _add_folder(hook: _Hook, intake: Intake) -> None:
    roots = hook.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else None
    if isinstance(folder, str) and folder:
        context = hook.event("session_context")
        identify_in_session(context)
        context.cwd_hash = path_hash(hook.session or "", folder)
        intake.add(context)


def _read_prompt(hook: _Hook, intake: Intake) -> None:
    # Not every build has a hook for the start of a session.
    _add_folder(hook, intake)
    prompt = hook.get("prompt")
    event = hook.event("user_message")
    identify_in_session(event, hook.turn or hook.place(prompt))
    event.prompt_length = len(prompt) if isinstance(prompt, str) else None
    intake.add(event)


def _read_response(hook: _Hook, intake: Intake) -> None:
    text = hook.get("text")
    if not isinstance(text, str) or not text.strip():
        raise NoEvent("not_counted")
    event = hook.event("assistant_message")
    identify_in_session(event, hook.place(text))
    event.model = name(hook.get("model"))
    intake.add(event)


def _read_tool(hook: _Hook, intake: Intake) -> None:
    call = _of_any_tool(hook)
    output, code = _answer(hook.get("tool_output"))
    call.event.success = code in (None, 0)
    intake.add_all(events_of(call, hook.event, output))


def _read_failure(hook: _Hook, intake: Intake) -> None:
    call = _of_any_tool(hook)
    call.event.success = False
    if hook.get("failure_type") == "permission_denied":
        call.event.decision = "reject"
    intake.add_all(events_of(call, hook.event, ""))


def _of_any_tool(hook: _Hook) -> Call:
    arguments, tool = decoded(hook.get("tool_input")), name(hook.get("tool_name"))
    call = _call(hook, hook.event("tool_call"), tool, arguments)
    event = call.event
    # The lines of an edit are reported by its own hook.
    call.files = ()
    event.tool_call_id = name(hook.get("tool_use_id"))
    place = event.tool_call_id or hook.place(tool, arguments)
    identify_in_session(event, place)
    return call


def _read_command(hook: _Hook, intake: Intake) -> None:
    event = hook.special_event("tool_call")
    call = _call(hook, event, words.SHELL, {"command": hook.get("command")})
    output = hook.get("output")
    place = hook.place(words.SHELL, hook.get("command"), output, hook.get("duration"))
    identify_in_session(event, place)
    intake.add_all(events_of(call, hook.special_event, output if isinstance(output, str) else None))


def _read_server_tool(hook: _Hook, intake: Intake) -> None:
    event = hook.special_event("tool_call")
    tool = f"{words.SERVER_TOOL}{name(hook.get('tool_name')) or 'unknown'}"
    arguments, result = decoded(hook.get("tool_input")), decoded(hook.get("result_json"))
    call = _call(hook, event, tool, arguments)
    identify_in_session(event, hook.place(tool, arguments, hook.get("duration")))
    if isinstance(result, dict):
        event.success = result.get("isError") is not True
    intake.add_all(events_of(call, hook.special_event, None))


def _read_edit(hook: _Hook, intake: Intake) -> None:
    path = hook.get("file_path")
    if not isinstance(path, str) or not path:
        raise NoEvent("not_counted")
    edits = tooling.arguments_of({"edits": hook.get("edits")}).edits or []
    delta = tooling.edited(path, edits, hook.session or "")
    place = hook.place(words.EDIT, path, hook.get("edits"))
    call = hook.special_event("tool_call")
    words.name_tool(call, words.EDIT)
    identify_in_session(call, place)
    call.success = True
    intake.add(call)
    change = hook.event("file_change")
    intake.add(patches.fill(change, delta, call, hook.session or "", place))


def _call(hook: _Hook, event: Event, tool: str | None, arguments: Any) -> Call:
    """A call; what follows from it has the same key from every hook."""
    command = arguments.get("command") if isinstance(arguments, dict) else None
    place = hook.place(command) if isinstance(command, str) else hook.place(tool, arguments)
    event.duration_ms = milliseconds(hook.get("duration"))
    return tooling.asked(event, tool, place, arguments)


def _answer(answer: Any) -> tuple[str | None, int | None]:
    """(text, exit code) of a tool's output: plain text, or an object with the text in it."""
    answer = decoded(answer)
    if not isinstance(answer, dict):
        return (answer if isinstance(answer, str) else None), None
    texts = (answer.get(member) for member in _OUTPUT_MEMBERS)
    output = next((text for text in texts if isinstance(text, str)), None)
    return output, whole(answer.get("exitCode", answer.get("exit_code")))


read_hook = reader_of(
    _Hook,
    {
        "sessionStart": _read_start,
        "sessionEnd": _read_end,
        "beforeSubmitPrompt": _read_prompt,
        "afterAgentResponse": _read_response,
        "postToolUse": _read_tool,
        "postToolUseFailure": _read_failure,
        "afterShellExecution": _read_command,
        "afterMCPExecution": _read_server_tool,
        "afterFileEdit": _read_edit,
    },
    words.WORDS,
)
