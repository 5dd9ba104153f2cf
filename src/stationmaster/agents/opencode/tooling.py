"""A tool call as it was made, and what it will have changed: the same from every source."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from stationmaster.agents import calls, patches
from stationmaster.agents.calls import Call, New
from stationmaster.agents.opencode import words
from stationmaster.agents.opencode.records import Input, LineCounts, Metadata, Patched, State
from stationmaster.agents.patches import Delta
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import milliseconds, moment, name, whole
from stationmaster.events.model import Event, FileOp

_SUCCEEDED = frozenset({"completed", "success"})
_OPERATIONS: dict[str | None, FileOp] = {
    "add": "created",
    "update": "edited",
    "move": "edited",
    "delete": "deleted",
}
_FILES_MAX = 2_000
_LINES_MAX = 1_000_000_000
_FROM_ROOT = re.compile(r"[/\\]|[A-Za-z]:")
_NO_INPUT = Input()
_NO_METADATA = Metadata()


def events_of(event: Event, tool: str, state: State, cwd: str | None, new: New) -> Iterator[Event]:
    """Fill in a call's event and give it with what follows from the call.

    `cwd` is the folder that the call's paths are relative to.
    """
    arguments = state.input or _NO_INPUT
    metadata = state.metadata or _NO_METADATA
    name_tool(event, tool)
    event.success = _success(tool, state, metadata)
    event.duration_ms = _duration(state)
    refused_by = words.refusal(state.error) if state.error else None
    if tool == words.INVALID:
        # Nothing ran: the tool that was wanted is not there, or may not be used.
        name_tool(event, name(arguments.tool) or tool)
        refused_by = "auto"
    if refused_by is not None:
        event.success, event.decision = False, "reject"
        event.decision_source = refused_by
    path = _absolute(arguments.file_path, cwd)
    if path is not None:
        patches.set_file(event, path)
    if state.status == "running":
        yield event
        return
    call = Call(event, event.tool_call_id or event.event_id)
    if tool == "bash":
        call.creations = (
            shell.creations(arguments.command) if isinstance(arguments.command, str) else ()
        )
    elif tool == "skill":
        call.skill = name(arguments.name)
    else:
        call.files = _files(tool, arguments, metadata, path, cwd, event.session_id or "")
    for following in calls.events_of(call, new, state.output):
        if following.kind == "file_change":
            _qualify(following, tool, arguments, metadata)
        yield following


def name_tool(event: Event, tool: str) -> None:
    """Set the names of a tool; that one belongs to a server can be guessed only."""
    parts = words.mcp_parts(tool)
    if parts is None:
        calls.set_builtin(event, tool, words.WORDS.tools)
        return
    server, called = parts
    event.tool = event.tool_raw = tool
    event.tool_kind = "mcp"
    event.mcp_server_raw, event.mcp_server = server, name(server.strip().lower())
    event.mcp_tool = called
    event.quality = "estimated"


def _success(tool: str, state: State, metadata: Metadata) -> bool | None:
    """A command that failed is a completed call with an exit code."""
    if state.status == "error":
        return False
    code = whole(metadata.exit)
    if code is not None:
        return code == 0
    if tool == "bash" and state.status == "completed":
        return None
    return True if state.status in _SUCCEEDED else None


def _duration(state: State) -> int | None:
    if state.time is None:
        return None
    start, end = moment(state.time.start), moment(state.time.end)
    return milliseconds(end - start) if start is not None and end is not None else None


def _files(
    tool: str, arguments: Input, metadata: Metadata, path: str | None, cwd: str | None, session: str
) -> tuple[Delta, ...]:
    if tool in ("patch", "apply_patch"):
        if metadata.files is None:
            return patches.of_patch(arguments.patch_text or "", session)
        deltas = (_patched(file, cwd, session) for file in metadata.files[:_FILES_MAX])
        return tuple(delta for delta in deltas if delta is not None)
    if path is None:
        return ()
    if tool == "write":
        if metadata.exists:
            return (_counted("edited", path, [metadata.filediff], session),)
        return (patches.of_texts("created", path, [("", arguments.content or "")], session),)
    if tool == "edit":
        op: FileOp = "created" if arguments.old_string == "" else "edited"
        if metadata.filediff is not None:
            return (_counted(op, path, [metadata.filediff], session),)
        texts = [(arguments.old_string or "", arguments.new_string or "")]
        return (patches.of_texts(op, path, texts, session),)
    if tool == "multiedit":
        return (
            _counted(
                "edited", path, [result.filediff for result in metadata.results or ()], session
            ),
        )
    return ()


def _patched(file: Patched, cwd: str | None, session: str) -> Delta | None:
    path = _absolute(file.move_path or file.file_path, cwd)
    op = _OPERATIONS.get(file.type)
    return _counted(op, path, [file], session) if path is not None and op is not None else None


def _counted(op: FileOp, path: str, changes: list[LineCounts | None], session: str) -> Delta:
    delta = patches.of_texts(op, path, (), session)
    for change in changes:
        if change is not None:
            delta.added = _sum(delta.added, change.additions)
            delta.removed = _sum(delta.removed, change.deletions)
    return delta


def _sum(lines: int, more: Any) -> int:
    return min(lines + (milliseconds(more) or 0), _LINES_MAX)


def _qualify(event: Event, tool: str, arguments: Input, metadata: Metadata) -> None:
    """Add to a changed file what its call leaves open."""
    if tool == "write" and metadata.exists and metadata.filediff is None:
        event.lines_added = event.lines_removed = None
    if (tool == "write" and metadata.exists is None) or (
        tool == "edit" and arguments.old_string == ""
    ):
        # It is not reported whether the file existed before.
        event.quality = "estimated"


def _absolute(path: str | None, cwd: str | None) -> str | None:
    """A path as all calls of a session name it."""
    if not path or cwd is None or _FROM_ROOT.match(path):
        return path or None
    return posixpath.normpath(posixpath.join(cwd, path))
