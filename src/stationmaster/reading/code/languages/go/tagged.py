"""Commands and options that are fields of structs with tags of go-flags: structs of other files are
parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.source import child, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Option

_PACKAGE = "github.com/jessevdk/go-flags"
_KNOWN = frozenset({"long", "short", "command"})
_ALONE = frozenset({"long", "description"})
"""The tags by which fields are known in files that do not import the library."""
_PARSING = frozenset({"Parse", "ParseArgs", "NewParser", "NewNamedParser"})
_DEPTH_MAX = 6
_COMMANDS_MAX = 500
"""Of a file."""


class _Command(NamedTuple):
    """`type` is the struct that holds what the command takes."""

    name: str
    line: int
    help: str
    type: str


def read(file: File) -> Iterator[CliCommand]:
    """The commands of a file, and what its structs may add to commands of other files."""
    if file.nodes["field"]:
        yield from islice(_Reader(file).read(), _COMMANDS_MAX)


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._is_whole = _PACKAGE in file.packages.values()
        self._options: dict[str, list[Option]] = defaultdict(list)
        """By the struct that has them: a type, or where a struct without a name is written."""
        self._commands: dict[str, list[_Command]] = defaultdict(list)

    def read(self) -> Iterator[CliCommand]:
        """The commands by struct."""
        for node in self._file.nodes["field"]:
            self._field(node)
        held = {command.type for some in self._commands.values() for command in some}
        yield from self._by_struct(held)

    def _by_struct(self, held: Set[str]) -> Iterator[CliCommand]:
        """`held` are the structs of commands."""
        parses = any(
            self._file.packages.get(call.on) == _PACKAGE and call.name in _PARSING
            for call in self._file.called
        )
        for struct in dict.fromkeys((*self._commands, *self._options)):
            options, commands = tuple(self._options.get(struct, ())), self._commands.get(struct)
            if struct in held:
                continue
            is_whole = self._is_whole and (commands or parses or not struct)
            if is_whole:
                yield from self._below((), (struct,))
            if options and (is_whole or struct.isidentifier()):
                holder = "" if is_whole else struct
                row = (), options[0].line, "", "", options, holder
                yield CliCommand(*row, is_part=not is_whole)

    def _below(self, words: tuple[str, ...], way: tuple[str, ...]) -> Iterator[CliCommand]:
        """The commands of the last struct on the way to it, and what is below them."""
        for command in self._commands.get(way[-1], ()) if len(way) <= _DEPTH_MAX else ():
            own, is_named = (*words, command.name), command.type[:1] != "@"
            options = tuple(self._options.get(command.type, ()))
            is_here = command.type in self._options or command.type in self._commands
            parts = (command.type,) if is_named and not is_here else ()
            handler = f"{command.type}.Execute" if is_named else ""
            yield CliCommand(own, command.line, command.help, handler, options, parts=parts)
            if command.type not in way:
                yield from self._below(own, (*way, command.type))

    def _field(self, node: Node) -> None:
        file = self._file
        tags, name, line = file.tags(node), file.part(node, "name"), line_of(node)
        is_told = _KNOWN & tags.keys() if self._is_whole else tags.keys() >= _ALONE
        if not is_told or not name or "hidden" in tags:
            return
        owner, meaning = _owner(file, node), one_line(tags.get("description", ""))
        if "command" in tags:
            type_ = child(node, "type")
            is_written = type_ is not None and type_.type == "struct_type"
            struct = f"@{node.start_byte}" if is_written else file.text(type_).lstrip("*")
            self._commands[owner].append(_Command(tags["command"], line, meaning, struct))
        else:
            signed = {"-": tags.get("short"), "--": tags.get("long")}
            names = tuple(f"{sign}{word}" for sign, word in signed.items() if word)
            self._options[owner].append(Option(names, line, meaning, tags.get("default")))


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
