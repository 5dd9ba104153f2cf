"""The tool calls of a Codex session file: asked for, then settled by an item or by an output."""

from __future__ import annotations

from collections.abc import Callable

from stationmaster.agents import calls, patches
from stationmaster.agents.codex import words
from stationmaster.agents.codex.lines import Duration, Item, Payload, arguments_of
from stationmaster.agents.codex.otlp import command_of, name_tool
from stationmaster.agents.interface import Intake, NoEvent
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import name, text_of_parts, whole
from stationmaster.events.model import Event, Kind, identify

_TOOL_OF_ITEM = {"CommandExecution": "exec_command", "FileChange": "apply_patch"}
_TOOL_OF_CALL = {
    "local_shell_call": "local_shell",
    "web_search_call": "web_search",
    "tool_search_call": "tool_search",
    "image_generation_call": "image_generation",
}
_SETTLED_AT_ONCE = frozenset({"web_search_call", "image_generation_call"})


class OpenCall(calls.Call):
    """A call without an outcome; does it have to wait for a person's leave?"""

    is_asking: bool = False


class Calls:
    """`new` makes an event at the current line; `open_calls` is the reader's state, by call id."""

    def __init__(self, new: Callable[[Kind], Event], open_calls: dict[str, OpenCall]) -> None:
        self._new = new
        self._open = open_calls

    def start(self, origin: str, payload: Payload, intake: Intake) -> None:
        """A line that requests a call."""
        kind = payload.type or ""
        tool = name(payload.name) or _TOOL_OF_CALL.get(kind, "unknown")
        if kind == "custom_tool_call" and tool == words.CODE_MODE:
            # A script: the calls it makes are recorded each by itself.
            raise NoEvent("redundant")
        server, tool = _server_and_tool(payload.namespace, tool)
        event = self._event(origin, name(payload.call_id) or name(payload.id), tool, server)
        call = _open(event)
        call.is_asking = words.asks_for_all(event.autonomy_raw)
        self._read_arguments(call, payload)
        if kind in _SETTLED_AT_ONCE or event.tool_call_id is None:
            intake.add(event)
        else:
            self._open[event.tool_call_id] = call

    def settle(self, origin: str, kind: str, item: Item, intake: Intake) -> None:
        """A completed item, or an older event with the end of a call."""
        call_id = name(item.call_id) or name(item.id)
        call = self._open.pop(call_id or "", None)
        if call is None:
            server, tool = None, _TOOL_OF_ITEM.get(kind, "unknown")
            if kind == "McpToolCall":
                server, tool = _mcp_names(item)
            call = _open(self._event(origin, call_id, tool, server))
        elif kind == "McpToolCall":
            server, tool = _mcp_names(item)
            name_tool(call.event, tool, server)
        event = call.event
        event.duration_ms = _duration(item.duration)
        event.success = _success(item)
        output = item.aggregated_output or item.stdout
        refusal = (item.status == "declined") or (
            event.success is False
            and item.exit_code is None
            and words.is_refusal(f"{item.stderr or ''}\n{output or ''}")
        )
        if refusal:
            event.success, event.decision = False, "reject"
        if kind == "CommandExecution" and not call.creations:
            words_of_command = command_of(item.command)
            call.creations = shell.creations(words_of_command) if words_of_command else ()
        if item.changes is not None:
            call.files = patches.of_changes(item.changes, event.session_id or "")
        intake.add_all(calls.events_of(call, self._new, output, origin))

    def output(self, origin: str, payload: Payload, intake: Intake) -> None:
        """The output of a call; it settles only a call that no item has settled."""
        call = self._open.pop(name(payload.call_id) or "", None)
        if call is None:
            raise NoEvent("redundant")
        output = text_of_parts(payload.output)
        event = call.event
        code = words.exit_code(output)
        if code is not None:
            event.success = code == 0
        elif words.is_refusal(output):
            event.success, event.decision = False, "reject"
        elif words.is_aborted(output):
            event.success = False
            if call.is_asking:
                event.decision, event.decision_source = "reject", "user"
        intake.add_all(calls.events_of(call, self._new, output, origin))

    def _event(self, origin: str, call_id: str | None, tool: str, server: str | None) -> Event:
        event = self._new("tool_call")
        name_tool(event, tool, server)
        event.tool_call_id = call_id
        place = call_id or f"{event.ts}\0{tool}"
        identify(event, origin, place)
        return event

    def _read_arguments(self, call: OpenCall, payload: Payload) -> None:
        """Note the commits and files that the arguments name, so that they need not be kept."""
        session = call.event.session_id or ""
        text = payload.input if payload.input is not None else payload.arguments
        command = command_of(payload.action.command) if payload.action is not None else None
        if isinstance(text, str) and text.lstrip().startswith("{"):
            arguments = arguments_of(text)
            command = command_of(arguments.cmd, arguments.command, arguments.input)
            call.is_asking |= arguments.sandbox_permissions == "require_escalated"
            call.is_asking |= arguments.with_escalated_permissions is True
        elif isinstance(text, str):
            command = text
        if not command:
            return
        whole_text = command if isinstance(command, str) else "\n".join(command)
        if patches.BEGIN in whole_text:
            call.files = patches.of_patch(whole_text, session)
            # Applying a patch takes no time, so one that was cancelled had not begun.
            call.is_asking = True
        else:
            call.creations = shell.creations(command)


def _open(event: Event) -> OpenCall:
    return OpenCall(event, event.tool_call_id or event.event_id)


def _server_and_tool(namespace: str | None, tool: str) -> tuple[str | None, str]:
    """An MCP tool is called by a namespace `mcp__server`, or by the long name of both."""
    if namespace is not None and namespace.startswith("mcp__"):
        return name(namespace[5:].removesuffix("__")), tool
    return calls.mcp_parts(tool) or (None, tool)


def _mcp_names(item: Item) -> tuple[str | None, str]:
    source = item.invocation or item
    return name(source.server), name(source.tool) or "unknown"


def _success(item: Item) -> bool | None:
    code = whole(item.exit_code)
    if code is not None:
        return code == 0
    if item.success is not None:
        return item.success
    if item.result is not None and bytes(item.result.Err):
        return False
    if item.status is not None:
        return item.status == "completed"
    return None


def _duration(duration: Duration | None) -> int | None:
    if duration is None:
        return None
    seconds, nanos = whole(duration.secs), whole(duration.nanos)
    if seconds is None or nanos is None or not 0 <= seconds < 2**31:
        return None
    return seconds * 1000 + nanos // 1_000_000
