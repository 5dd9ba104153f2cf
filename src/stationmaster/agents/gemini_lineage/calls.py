"""What a tool call of the family did: its arguments and its answer as counts and names.

The same arguments come as JSON text in exports and as objects in session files and hooks; the same
answers (a text for the model, a display for the person) in session files and hooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Raw, Struct

from stationmaster.agents import calls, languages
from stationmaster.agents.calls import following
from stationmaster.agents.gemini_lineage import words
from stationmaster.agents.interface import Blank
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import NotJson, decoder, name, whole
from stationmaster.events.model import Event, FileOp, Kind, identify, mark, path_hash

_CREATED = ("Successfully created", "Created new file")
_LINES_MAX = 10**9


class Arguments(Struct, gc=False):
    """The arguments that are read; the others are skipped where they lie."""

    command: Any = None
    file_path: Any = None
    absolute_path: Any = None
    path: Any = None
    old_string: Any = None
    name: Any = None
    skill: Any = None
    arguments: Any = None

    def file(self) -> str | None:
        """The file that the call is about."""
        for path in (self.file_path, self.absolute_path, self.path):
            if isinstance(path, str) and path:
                return path
        return None


class Intent(Struct, gc=False):
    """What a call will have done when it succeeds, without any content: small enough to keep until
    the answer comes. `path` is a hash."""

    creations: tuple[shell.Creation, ...] = ()
    skill: str | None = None
    path: str | None = None
    extension: str | None = None
    language: str | None = None
    begins_with_nothing: bool = False


class DiffStat(Struct, frozen=True, gc=False):
    """Lines that the model's change of a file added and removed."""

    model_added_lines: Any = None
    model_removed_lines: Any = None


class Display(Struct, frozen=True, gc=False, rename="camel"):
    """What a person is shown of a change of a file."""

    is_new_file: bool | None = None
    file_path: str | None = None
    diff_stat: DiffStat | None = None


class Answer(Struct, gc=False):
    """What a call answered: the text for the model, and what a person is shown."""

    text: str | None = None
    display: Display = Display()


_FIELDS = Arguments.__struct_fields__
_NO_ARGUMENTS = Arguments()
_NO_DISPLAY = Display()
_decode_arguments = decoder(Arguments)
_decode_display = decoder(Display)


def arguments_of(raw: Any) -> Arguments:
    """Those of a call, from an object, from its JSON text, or from a piece of a line."""
    if isinstance(raw, dict):
        return Arguments(**{field: raw.get(field) for field in _FIELDS})
    if isinstance(raw, str):
        raw = raw.encode("utf-8", "replace")
    if not isinstance(raw, (bytes, Raw)) or not bytes(raw):
        return _NO_ARGUMENTS
    try:
        return _decode_arguments(raw)
    except NotJson:
        return _NO_ARGUMENTS


def display_of(raw: Any) -> Display:
    """A display from an object or from a piece of a line; one of another form says nothing."""
    if isinstance(raw, dict):
        is_new, path, stat = (raw.get(key) for key in ("isNewFile", "filePath", "diffStat"))
        lines = stat if isinstance(stat, dict) else {}
        return Display(
            is_new_file=is_new if isinstance(is_new, bool) else None,
            file_path=path if isinstance(path, str) else None,
            diff_stat=DiffStat(lines.get("model_added_lines"), lines.get("model_removed_lines")),
        )
    if not isinstance(raw, Raw) or not bytes(raw):
        return _NO_DISPLAY
    try:
        return _decode_display(raw)
    except NotJson:
        return _NO_DISPLAY


def name_tool(event: Event, tool: str, server: str | None = None, shown: str | None = None) -> None:
    """Set the names of a tool as it was called; `shown` is how a person sees it."""
    event.tool_raw = tool
    named = words.server_of(tool, server, shown)
    if named is not None:
        event.tool_kind = "mcp"
        event.mcp_server_raw = name(named[0])
        event.mcp_server = name(named[0].strip().lower())
        event.mcp_tool = name(named[1])
        event.tool = tool
        if named[2]:
            mark(event, "estimated")
        return
    calls.set_builtin(event, tool, words.WORDS.tools)


def take(call: Event, arguments: Arguments) -> Intent:
    """Note what a call is about to do, and set the file that it names."""
    intent = Intent(
        skill=name(arguments.skill) or name(arguments.name) if call.tool == "skill" else None,
        begins_with_nothing=arguments.old_string == "",
    )
    if call.tool == "shell" and isinstance(arguments.command, str):
        intent.creations = shell.creations(arguments.command)
    path = arguments.file()
    if path is not None:
        intent.path = path_hash(call.session_id or "", path)
        intent.extension, intent.language = languages.of_path(path)
    call.file_path_hash = intent.path
    call.file_ext, call.language = intent.extension, intent.language
    return intent


def consequences(
    blanks: Mapping[Kind, Blank], call: Event, intent: Intent, answer: Answer
) -> Iterator[Event]:
    """The files, commits, requests and skills of a call that ran."""
    if call.decision == "reject":
        return
    place = (call.session_id or "", call.tool_call_id or call.event_id)
    has_worked = call.success is not False
    if call.tool_raw in words.FILE_CHANGING and has_worked:
        yield _file_change(blanks["file_change"], call, intent, answer, place)
    if intent.skill is not None and has_worked:
        event = following(blanks["skill"](), call)
        identify(event, *place)
        event.skill = intent.skill
        yield event
    for one in _created(call, intent, answer):
        event = following(blanks[one.kind](), call)
        identify(event, *place, str(one.ordinal))
        event.commit_sha, event.pr_url = one.sha, one.url
        yield event


def _created(call: Event, intent: Intent, answer: Answer) -> Iterator[shell.Created]:
    output = answer.text
    if intent.creations and output is not None:
        output = words.command_output(output)
    yield from shell.made(intent.creations or shell.of_tool(call.mcp_tool), call.success, output)


def _file_change(
    make: Blank, call: Event, intent: Intent, answer: Answer, place: tuple[str, str]
) -> Event:
    event = following(make(), call)
    event.file_path_hash = intent.path
    event.file_ext, event.language = intent.extension, intent.language
    shown = answer.display.file_path
    if intent.path is None and shown:
        event.file_path_hash = path_hash(call.session_id or "", shown)
        event.file_ext, event.language = languages.of_path(shown)
    identify(event, *place, event.file_path_hash or "")
    event.file_op, is_guess = _operation(call.tool_raw, intent, answer)
    if is_guess:
        mark(event, "estimated")
    stat = answer.display.diff_stat
    if stat is not None:
        event.lines_added = lines(stat.model_added_lines)
        event.lines_removed = lines(stat.model_removed_lines)
    return event


def _operation(tool: str | None, intent: Intent, answer: Answer) -> tuple[FileOp, bool]:
    """What happened to the file, and whether that is a guess."""
    if answer.display.is_new_file is not None:
        return ("created" if answer.display.is_new_file else "edited"), False
    if answer.text is not None and answer.text.startswith(_CREATED):
        return "created", False
    if tool == words.WRITE:
        return ("edited", False) if answer.text else ("created", True)
    return ("created" if intent.begins_with_nothing else "edited"), False


def lines(value: Any) -> int | None:
    """A count of lines; None for what is none."""
    count = whole(value)
    return count if count is not None and 0 <= count <= _LINES_MAX else None
