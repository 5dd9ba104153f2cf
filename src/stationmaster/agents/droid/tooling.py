"""Droid's tool calls in any source: what the arguments request, and what the result reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stationmaster.agents import patches
from stationmaster.agents.calls import Call
from stationmaster.agents.droid import words
from stationmaster.agents.droid.lines import Arguments, arguments_of
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import name
from stationmaster.events.model import Event, identify_in_session

_PATCH_TOOL = "ApplyPatch"
_NAMING_A_FILE = frozenset({"Read", "Create", "Edit", "MultiEdit"})


def asked(event: Event, tool: str | None, call_id: str | None, else_by: str, raw: Any) -> Call:
    """Fill a fresh event with the call that is asked for. `else_by` identifies it without an id."""
    words.name_tool(event, name(tool) or "unknown")
    event.tool_call_id = name(call_id)
    call = Call(event, event.tool_call_id or else_by)
    identify_in_session(event, call.place)
    _read_arguments(call, arguments_of(raw))
    return call


def settle(call: Call, is_error: bool | None, output: str) -> None:
    """Set success and decision from a result; only a failure's text is read."""
    event = call.event
    event.success = not (is_error or words.is_failure(output))
    if not event.success and words.is_refusal(output):
        event.decision = "reject"


def _read_arguments(call: Call, arguments: Arguments) -> None:
    """Note the file, commits and skill that the arguments name, so that they need not be kept."""
    event = call.event
    session = event.session_id or ""
    if event.tool == "shell" and arguments.command:
        call.creations = shell.creations(arguments.command)
    elif event.tool_raw == _PATCH_TOOL:
        call.files = patches.of_patch(arguments.input or arguments.patch or "", session)
    elif event.tool == "skill":
        call.skill = name(arguments.skill or arguments.name)
    elif event.tool_raw in _NAMING_A_FILE and arguments.file_path:
        patches.set_file(event, arguments.file_path)
        call.files = tuple(_changes(event.tool_raw, arguments, arguments.file_path, session))


def _changes(tool: str, arguments: Arguments, path: str, session: str) -> Iterator[patches.Delta]:
    if tool == "Create":
        yield patches.of_texts("created", path, [("", arguments.content or "")], session)
    elif tool == "Edit":
        yield patches.of_texts("edited", path, [arguments.texts()], session)
    elif tool == "MultiEdit":
        parts = [part.texts() for part in arguments.edits or arguments.changes or ()]
        yield patches.of_texts("edited", path, parts, session)
