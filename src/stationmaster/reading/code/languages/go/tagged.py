"""Commands and options that are fields of structs with tags: those of other files are parts. A
library is a row of `commands.tagged` in the catalogue."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row
from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.source import child, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_DEPTH_MAX = 6
_COMMANDS_MAX = 500
"""Of a file."""


class _Tags(Row, frozen=True):
    """What the tags of a field mean: `command` makes it one, whose name it may be, `place` an
    argument. Fields have one of `known`; in a file that does not import the library all of `alone`.
    `makers` are functions that read a command line into a struct, `run` the method that a command
    runs. A field is called after itself, with hyphens unless its words are `joined`, or not at all
    where its name is always `written`. What the tag `packed` holds stands for several."""

    known: frozenset[str]
    alone: frozenset[str]
    makers: frozenset[str]
    help: str
    command: str
    long: str
    run: str = ""
    place: str = ""
    env: str = ""
    hidden: str = "hidden"
    written: bool = False
    joined: bool = False
    packed: str = ""

    def unpacked(self, tags: Mapping[str, str]) -> dict[str, str]:
        """The tags, and one of each that a packed one stands for: `--name`, `-n`, `key:value` or a
        word. Without any where the field is left out."""
        parts = [it.strip() for it in tags.get(self.packed, "").split(",")]
        if parts == ["-"]:
            return {}
        tags = {name: text for name, text in tags.items() if text or name != self.packed}
        names = {"--": self.long, "-": "short"}
        own = ((names[it[1]], it[2]) for it in map(_NAME.fullmatch, parts) if it)
        words = (it.partition(":")[::2] for it in parts if it[:1] not in ("", "-"))
        return {**tags, **dict(own), **dict(words)}


_NAME = re.compile(r"(--?)(\w[\w-]*)")
_LIBRARIES = code.table("go.commands.tagged", dict[str, _Tags])


class _Command(NamedTuple):
    """`type` is the struct that holds what the command takes."""

    name: str
    line: int
    help: str
    type: str


def read(file: File) -> Iterator[Fact]:
    """The commands of a file, the variables that set options, and what its structs may add to
    commands of other files."""
    imported = file.packages.values()
    names = [name for name in _LIBRARIES if name in imported] or [*_LIBRARIES]
    fields = file.nodes["field"]
    for name in names if fields else ():
        reader = _Reader(file, name)
        # A field is of one library, though it has tags that others use too.
        fields = [node for node in fields if not reader.adds(node)]
        yield from reader.read()


class _Reader:
    def __init__(self, file: File, package: str) -> None:
        self._file, self._package, self._tags = file, package, _LIBRARIES[package]
        self._is_whole = package in file.packages.values()
        self._options: dict[str, list[Option]] = defaultdict(list)
        """By the struct that has them: a type, or where a struct without a name is written."""
        self._commands: dict[str, list[_Command]] = defaultdict(list)
        self._settings: list[tuple[str, Setting]] = []
        """With the struct whose field says it."""

    def read(self) -> Iterator[Fact]:
        """The variables, then commands by struct."""
        held = {command.type for some in self._commands.values() for command in some}
        for owner, setting in self._settings:
            if self._is_whole or (owner.isidentifier() and owner not in held):
                yield setting
        yield from islice(self._by_struct(held), _COMMANDS_MAX)

    def _by_struct(self, held: Set[str]) -> Iterator[CliCommand]:
        """`held` are the structs of commands."""
        parses = any(
            self._file.packages.get(call.on) == self._package and call.name in self._tags.makers
            for call in self._file.called
        )
        for struct in dict.fromkeys((*self._commands, *self._options)):
            options, commands = tuple(self._options.get(struct, ())), self._commands.get(struct)
            if struct in held:
                continue
            is_whole = self._is_whole and (commands or parses or not struct)
            if options and (is_whole or struct.isidentifier()):
                row = (), options[0].line, "", "", options, struct
                yield CliCommand(*row, is_part=not is_whole)
            # Another file may hold the struct below a command; without the library it has to.
            for command in self._below((), (struct,)) if struct or is_whole else ():
                yield replace(command, holder=struct, is_part=not is_whole)

    def _below(self, words: tuple[str, ...], way: tuple[str, ...]) -> Iterator[CliCommand]:
        """The commands of the last struct on the way to it, and what is below them."""
        for command in self._commands.get(way[-1], ()) if len(way) <= _DEPTH_MAX else ():
            own, is_named = (*words, command.name), command.type[:1] != "@"
            options = tuple(self._options.get(command.type, ()))
            is_here = command.type in self._options or command.type in self._commands
            parts = (command.type,) if is_named and not is_here else ()
            runs = is_named and self._tags.run
            handler = f"{command.type}.{runs}" if runs else ""
            row = own, command.line, command.help, handler, options
            yield CliCommand(*row, children=parts, parts=parts)
            if command.type not in way:
                yield from self._below(own, (*way, command.type))

    def adds(self, node: Node) -> bool:
        """Whether a field is an option or a command of the library, which it then becomes."""
        file, row = self._file, self._tags
        tags, name, line = row.unpacked(file.tags(node)), file.part(node, "name"), line_of(node)
        is_of_it = row.known & tags.keys() if self._is_whole else row.alone <= tags.keys()
        if not is_of_it or not name or row.hidden in tags:
            return False
        owner = _owner(file, node)
        own = "" if row.written else name if row.joined else hyphened(name)
        dashed = tags.get(row.long) or own.lower()
        meaning, value = one_line(tags.get(row.help, "")), tags.get("default")
        if row.command in tags:
            type_ = child(node, "type")
            is_written = type_ is not None and type_.type == "struct_type"
            struct = f"@{node.start_byte}" if is_written else file.text(type_).lstrip("*")
            called = dashed if not row.written and not row.packed else tags[row.command] or dashed
            self._commands[owner].append(_Command(called, line, meaning, struct))
        elif row.place in tags:
            self._options[owner].append(Option((dashed.upper(),), line, meaning))
        else:
            names = (f"-{tags['short']}" if tags.get("short") else "", dashed and f"--{dashed}")
            value = None if "${" in (value or "") else value  # A variable of the program's.
            option = Option(tuple(filter(None, names)), line, meaning, value)
            self._options[owner].append(option)
        is_named_after = row.packed and row.env in tags
        variable = tags.get(row.env, "").split(",")[0] or (name.upper() if is_named_after else "")
        if variable:
            setting = Setting(variable, "env", line, value, "required" in tags, meaning)
            self._settings.append((owner, setting))
        return True


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
