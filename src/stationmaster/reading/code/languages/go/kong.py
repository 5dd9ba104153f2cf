"""Commands and options of kong, which are fields of structs: those of other files are parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.source import child, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_KONG = "github.com/alecthomas/kong"
_TAGS = frozenset({"help", "cmd", "arg", "short", "kong"})
_MAKERS = frozenset({"Parse", "Must", "New"})
_DEPTH_MAX = 6
_COMMANDS_MAX = 500
"""Of a file."""


class _Command(NamedTuple):
    """`type` is the struct that holds what the command takes."""

    name: str
    line: int
    help: str
    type: str


def read(file: File) -> Iterator[Fact]:
    """The commands of a file, the variables that set options, and what its structs may add to
    commands of other files."""
    if file.nodes["field"]:
        yield from _Reader(file).read()


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._is_kong = _KONG in file.packages.values()
        self._options: dict[str, list[Option]] = defaultdict(list)
        """By the struct that has them: a type, or where a struct without a name is written."""
        self._commands: dict[str, list[_Command]] = defaultdict(list)
        self._settings: list[tuple[str, Setting]] = []
        """With the struct whose field says it."""

    def read(self) -> Iterator[Fact]:
        """The variables, then commands by struct."""
        for node in self._file.nodes["field"]:
            self._field(node)
        held = {command.type for some in self._commands.values() for command in some}
        for owner, setting in self._settings:
            if self._is_kong or (owner.isidentifier() and owner not in held):
                yield setting
        yield from islice(self._by_struct(held), _COMMANDS_MAX)

    def _by_struct(self, held: Set[str]) -> Iterator[CliCommand]:
        """`held` are the structs of commands."""
        parses = any(
            self._file.packages.get(call.on) == _KONG and call.name in _MAKERS
            for call in self._file.called
        )
        for struct in dict.fromkeys((*self._commands, *self._options)):
            options, commands = tuple(self._options.get(struct, ())), self._commands.get(struct)
            if struct in held:
                continue
            is_whole = self._is_kong and (commands or parses or not struct)
            if is_whole:
                yield from self._below((), (struct,))
            if options and is_whole:
                yield CliCommand((), options[0].line, options=options)
            elif options and struct.isidentifier():
                row = (), options[0].line, "", "", options, struct
                yield CliCommand(*row, is_part=True)

    def _below(self, words: tuple[str, ...], way: tuple[str, ...]) -> Iterator[CliCommand]:
        """The commands of the last struct on the way to it, and what is below them."""
        for command in self._commands.get(way[-1], ()) if len(way) <= _DEPTH_MAX else ():
            own = (*words, command.name)
            options = tuple(self._options.get(command.type, ()))
            is_here = command.type in self._options or command.type in self._commands
            parts = () if is_here or command.type.startswith("@") else (command.type,)
            handler = "" if command.type.startswith("@") else f"{command.type}.Run"
            yield CliCommand(own, command.line, command.help, handler, options, parts=parts)
            if command.type not in way:
                yield from self._below(own, (*way, command.type))

    def _field(self, node: Node) -> None:
        source = self._file
        tags, name, line = self._file.tags(node), source.part(node, "name"), line_of(node)
        is_told = _TAGS & tags.keys() if self._is_kong else "help" in tags
        if not is_told or not name or "hidden" in tags:
            return
        owner, dashed = _owner(self._file, node), tags.get("name") or hyphened(name).lower()
        meaning = one_line(tags.get("help", ""))
        if "cmd" in tags:
            type_ = child(node, "type")
            is_written = type_ is not None and type_.type == "struct_type"
            struct = f"@{node.start_byte}" if is_written else source.text(type_).lstrip("*")
            self._commands[owner].append(_Command(dashed, line, meaning, struct))
        elif "arg" in tags:
            self._options[owner].append(Option((dashed.upper(),), line, meaning))
        else:
            names = (*(f"-{it}" for it in [tags.get("short")] if it), f"--{dashed}")
            self._options[owner].append(Option(names, line, meaning, tags.get("default")))
        if tags.get("env"):
            variable, is_required = tags["env"].split(",")[0], "required" in tags
            setting = Setting(variable, "env", line, tags.get("default"), is_required, meaning)
            self._settings.append((owner, setting))


def _owner(file: File, field: Node) -> str:
    """The type whose field it is, or where the struct is written that has no name; '' for that of
    a variable."""
    listed = field.parent
    struct = listed.parent if listed is not None else None
    around = struct.parent if struct is not None else None
    if around is None or around.type not in ("type_spec", "field_declaration"):
        return ""
    is_type = around.type == "type_spec"
    return file.part(around, "name") if is_type else f"@{around.start_byte}"
