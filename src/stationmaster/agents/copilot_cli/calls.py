"""What a tool call's arguments name, and what follows from the call when it has run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from stationmaster.agents import calls, patches
from stationmaster.agents.calls import Call, New
from stationmaster.agents.copilot_cli import words
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import lenient, text
from stationmaster.events.model import Event, identify


class Arguments(msgspec.Struct, gc=False):
    """The arguments that are read, of any tool."""

    path: str | None = None
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    command: str | None = None
    patch: str | None = None
    input: str | None = None


_read = lenient(Arguments)


def arguments_of(raw: Any) -> Arguments:
    """The arguments from an object, or from a text, decoded or not: JSON, or the patch itself."""
    if isinstance(raw, msgspec.Raw) and bytes(memoryview(raw)[:1]) == b'"':
        raw = text(raw)
    if isinstance(raw, str) and not raw.lstrip().startswith("{"):
        return Arguments(patch=raw)
    return _read(raw)


def read(event: Event, place: str, arguments: Arguments) -> Call:
    """A named call with what its arguments name; `place` identifies it within its session."""
    tool, session = event.tool_raw, event.session_id or ""
    call = Call(event, place)
    if words.names_a_file(tool):
        if arguments.path:
            patches.set_file(event, arguments.path)
        call.files = _changed(event, arguments)
    elif tool in words.SHELLS:
        call.creations = shell.creations(arguments.command) if arguments.command else ()
    elif patch := arguments.patch or arguments.input:
        call.files = patches.of_patch(patch, session)
    return call


def _changed(event: Event, arguments: Arguments) -> tuple[patches.Delta, ...]:
    """The change of a call that takes one path, which exports without content leave out."""
    op = words.CHANGES.get(event.tool_raw or "")
    if op is None:
        return ()
    if not arguments.path:
        return (patches.Delta(op, "", "", None),)
    text = arguments.file_text if op == "created" else arguments.new_str
    replaced = (arguments.old_str or "", text or "")
    return (patches.of_texts(op, arguments.path, (replaced,), event.session_id or ""),)


def events_of(call: Call, new: New, output: str | None) -> Iterator[Event]:
    """See agents.calls.events_of.

    A tool of one file needs no path to report its change, and some sources have none: the call
    alone is the identity.
    """
    of_one_file = call.event.tool_raw in words.CHANGES
    for event in calls.events_of(call, new, output):
        if of_one_file and event.kind == "file_change":
            identify(event, call.event.session_id or "", call.place)
            if not event.file_path_hash:
                event.file_path_hash = event.lines_added = event.lines_removed = None
        yield event
