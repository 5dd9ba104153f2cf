"""What a tool call of the family did: its arguments and its answer as counts and names.

The same arguments are JSON text in exports and as objects in session files and hooks; the same
answers (a text for the model, a display for the person) in session files and hooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from stationmaster.agents import calls, languages, patches
from stationmaster.agents.calls import Call
from stationmaster.agents.gemini_lineage import words
from stationmaster.agents.interface import Blank
from stationmaster.agents.patches import Delta
from stationmaster.agents.shell import commands as shell
from stationmaster.agents.values import lenient, name, tokens, whole
from stationmaster.events.model import Event, FileOp, Kind, mark, path_hash


class Usage(NamedTuple):
    """The figures of one model call, or of a counter. `tool` is what tools put into prompts."""

    prompt: int
    output: int
    cached: int = 0
    thoughts: int = 0
    tool: int = 0
    total: int = 0


def usage_of(
    prompt: Any, output: Any, cached: Any, thoughts: Any = None, tool: Any = None, total: Any = None
) -> Usage:
    """Raises InvalidRecord for an impossible figure."""
    figures = (prompt, output, cached, thoughts, tool, total)
    return Usage(*(tokens(figure) or 0 for figure in figures))


def set_tokens(event: Event, usage: Usage, has_thoughts_in_output: bool) -> None:
    """Set the disjoint counters of an event. Raises InvalidRecord.

    Models of Google's interface count thoughts apart from the output, those of OpenAI's in it, and
    an agent passes on what it received; the total shows which, where there is one.
    """
    plain = usage.prompt - usage.cached + usage.tool
    both = usage.prompt + usage.output + usage.tool
    if usage.total == both + usage.thoughts:
        is_inside = False
    else:
        is_inside = usage.total == both or has_thoughts_in_output
    event.input_tokens = tokens(max(plain, 0))
    event.cache_read_tokens = usage.cached
    event.cache_write_tokens = 0
    event.output_tokens = tokens(usage.output + (0 if is_inside else usage.thoughts))
    event.reasoning_tokens = usage.thoughts
    event.model_tier = "thinking" if usage.thoughts else "standard"
    if plain < 0:
        mark(event, "estimated")


_CREATED = ("Successfully created", "Created new file")
_LINES_MAX = 10**9


class Arguments(Struct, gc=False):
    """The arguments that are read; the others are skipped without decoding."""

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


arguments_of = lenient(Arguments)
display_of = lenient(Display)


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


def take(event: Event, arguments: Arguments) -> Call:
    """Note what a call is about to do, and set the file that it names."""
    call = Call(event, "")
    if event.tool == "skill":
        call.skill = name(arguments.skill) or name(arguments.name)
    elif event.tool == "shell" and isinstance(arguments.command, str):
        call.creations = shell.creations(arguments.command)
    path = arguments.file()
    if path is not None:
        patches.set_file(event, path)
    if event.tool_raw in words.FILE_CHANGING:
        op: FileOp = "created" if arguments.old_string == "" else "edited"
        file = event.file_path_hash or "", event.file_ext or "", event.language
        call.files = (Delta(op, *file),)
    return call


def events_of(blanks: Mapping[Kind, Blank], call: Call, answer: Answer) -> Iterator[Event]:
    """A call's own event, and the files, commits, requests and skills of one that ran."""
    event, display = call.event, answer.display
    call.place = event.tool_call_id or event.event_id
    is_guess = False
    for delta in call.files:
        if not delta.path and display.file_path:
            delta.path = path_hash(event.session_id or "", display.file_path)
            delta.extension, delta.language = languages.of_path(display.file_path)
        delta.op, is_guess = _operation(event.tool_raw, delta.op, answer)
    output = answer.text
    if call.creations and output is not None:
        output = words.command_output(output)
    stat = display.diff_stat or DiffStat()

    def new(kind: Kind) -> Event:
        return calls.following(blanks[kind](), event)

    for consequence in calls.events_of(call, new, output):
        if consequence.kind == "file_change":
            if not consequence.file_path_hash:
                consequence.file_path_hash = consequence.file_ext = None
            consequence.lines_added = lines(stat.model_added_lines)
            consequence.lines_removed = lines(stat.model_removed_lines)
            if is_guess:
                mark(consequence, "estimated")
        yield consequence


def _operation(tool: str | None, asked: FileOp, answer: Answer) -> tuple[FileOp, bool]:
    """What happened to the file, and whether that is a guess."""
    if answer.display.is_new_file is not None:
        return ("created" if answer.display.is_new_file else "edited"), False
    if answer.text is not None and answer.text.startswith(_CREATED):
        return "created", False
    if tool == words.WRITE:
        return ("edited", False) if answer.text else ("created", True)
    return asked, False


def lines(value: Any) -> int | None:
    """A count of lines; None for what is none."""
    count = whole(value)
    return count if count is not None and 0 <= count <= _LINES_MAX else None
