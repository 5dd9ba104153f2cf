"""What a tool call's arguments name, and what follows from the call when it has run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from stationmaster.agents import calls, languages, patches
from stationmaster.agents.calls import Call, New
from stationmaster.agents.copilot_cli import words
from stationmaster.agents.copilot_cli.words import PRODUCT
from stationmaster.agents.lenient import NotJson, decoder
from stationmaster.agents.shell import commands as shell
from stationmaster.events.identity import event_id, path_hash
from stationmaster.events.model import Event


class Arguments(msgspec.Struct, gc=False):
    """The arguments that are read, of any tool."""

    path: str | None = None
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    command: str | None = None
    patch: str | None = None
    input: str | None = None


_decode = decoder(Arguments)
_decode_text = msgspec.json.Decoder(str).decode


def arguments_of(given: Any) -> Arguments:
    """The arguments from an object, or from a text: JSON, or the patch itself."""
    if isinstance(given, dict):
        fields = (given.get(field) for field in Arguments.__struct_fields__)
        return Arguments(*(value if isinstance(value, str) else None for value in fields))
    if not isinstance(given, str):
        return Arguments()
    if not given.lstrip().startswith("{"):
        return Arguments(patch=given)
    try:
        return _decode(given.encode("utf-8", "replace"))
    except NotJson:
        return Arguments()


def arguments_in(raw: msgspec.Raw) -> Arguments:
    """The same of arguments that were not decoded yet."""
    start = bytes(memoryview(raw)[:1])
    try:
        if start == b"{":
            return _decode(raw)
        if start == b'"':
            return arguments_of(_decode_text(raw))
    except (NotJson, msgspec.MsgspecError, UnicodeDecodeError):
        pass
    return Arguments()


def read(event: Event, place: str, given: Arguments) -> Call:
    """A named call with what its arguments name; `place` identifies it within its session."""
    tool, session = event.tool_raw, event.session_id or ""
    call = Call(event, place)
    if words.names_a_file(tool):
        if given.path:
            event.file_path_hash = path_hash(session, given.path)
            event.file_ext, event.language = languages.of_path(given.path)
        call.files = _changed(event, given)
    elif tool in words.SHELLS:
        call.creations = shell.creations(given.command) if given.command else ()
    elif patch := given.patch or given.input:
        call.files = patches.of_patch(patch, session)
    return call


def _changed(event: Event, given: Arguments) -> tuple[patches.Delta, ...]:
    """The change of a call that takes one path, which exports without content leave out."""
    op = words.CHANGES.get(event.tool_raw or "")
    if op is None:
        return ()
    if not given.path:
        return (patches.Delta(op, "", "", None),)
    text = given.file_text if op == "created" else given.new_str
    replaced = (given.old_str or "", text or "")
    return (patches.of_texts(op, given.path, (replaced,), event.session_id or ""),)


def consequences(call: Call, new: New, output: str | None) -> Iterator[Event]:
    """See agents.calls.consequences.

    A tool of one file needs no path to tell its change, and some sources have none: the call alone
    is the identity.
    """
    of_one_file = call.event.tool_raw in words.CHANGES
    for event in calls.consequences(call, new, output):
        if of_one_file and event.kind == "file_change":
            event.event_id = event_id(
                PRODUCT, "file_change", call.event.session_id or "", call.place
            )
            if not event.file_path_hash:
                event.file_path_hash = event.lines_added = event.lines_removed = None
        yield event
