"""Cursor's tool calls in any source: what the arguments ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from stationmaster.agents import patches
from stationmaster.agents.calls import Call
from stationmaster.agents.cursor import words
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import lenient, name
from stationmaster.events.model import Event

_EDITING = frozenset({"write", "edit"})


class Replacement(Struct, gc=False):
    """A text of a file, and the text that takes its place."""

    old_string: str | None = None
    new_string: str | None = None

    def texts(self) -> tuple[str, str]:
        """(old, new)."""
        return self.old_string or "", self.new_string or ""


class Arguments(Replacement, gc=False):
    """The arguments of any tool; builds differ in what they call a file."""

    command: str | None = None
    file_path: str | None = None
    path: str | None = None
    target_file: str | None = None
    contents: str | None = None
    content: str | None = None
    edits: list[Replacement] | None = None

    def file(self) -> str | None:
        """The path of the call's file, by the name that a build has for it."""
        return self.file_path or self.path or self.target_file or None


arguments_of = lenient(Arguments)


def asked(event: Event, tool: str | None, place: str, raw: Any) -> Call:
    """Name the tool of a fresh event and note what its arguments ask for; `place` is the key of
    what follows from the call. The event has no id yet."""
    words.name_tool(event, name(tool) or "unknown")
    call = Call(event, place)
    _read_arguments(call, arguments_of(raw))
    return call


def edited(path: str, replacements: Iterable[Replacement], session: str) -> patches.Delta:
    """One edited file. Cursor does not report whether it existed before."""
    return patches.of_texts(
        "edited", path, (replacement.texts() for replacement in replacements), session
    )


def _read_arguments(call: Call, arguments: Arguments) -> None:
    event = call.event
    if event.tool == "shell":
        call.creations = shell.creations(arguments.command) if arguments.command else ()
        return
    path = arguments.file()
    if path is None or event.tool not in _EDITING | {"read"}:
        return
    session = event.session_id or ""
    patches.set_file(event, path)
    if event.tool in _EDITING:
        whole = Replacement(new_string=arguments.contents or arguments.content)
        parts = arguments.edits or [whole if event.tool == "write" else arguments]
        call.files = (edited(path, parts, session),)
