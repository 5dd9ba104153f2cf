"""Command lines of JavaScript: commander, cac, yargs, Node's own parser, and classes whose static
members (oclif) or decorated fields (Adonis) are options; a file's path may name its command."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.options import dashed, one_of
from stationmaster.reading.code.languages.ecmascript.module import Module, line_of_method
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.module import Command, Definition
from stationmaster.reading.code.languages.source import (
    child,
    first_sentence,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option, Symbol

_MAKERS = code.names("ecmascript.commands.makers")
_LIBRARIES = frozenset(it.partition(":")[0] for it in _MAKERS)
_GIVEN = re.compile(r"(?:program|cli)\b")
"""What functions call a program that another file makes."""
_ROOTS = code.names("ecmascript.commands.roots")
_ARGUMENT = re.compile(r"[<\[](\.{0,3}[\w|-]{1,60}(?:\.\.\.)?)[>\]]")
_RUNNING = ("parse", "parseAsync")
_OPTIONS = {"option": False, "requiredOption": False, "argument": True, "positional": True}
"""Methods that add an option, or else an argument."""
_NAMES = code.ordered("ecmascript.commands.names")
_MEANINGS = code.ordered("ecmascript.commands.meanings")
_TABLES = code.table("ecmascript.commands.tables", dict[str, bool])
"""The members that list options, or else arguments."""
_SHORT = ("alias", "short", "shortFlag", "char")
_OWN_NAMES = ("flagName", "argumentName")
_CALLS_MAX = 3
"""One behind the other, as in `Flags.option({…})({…})`."""


def read(module: Module) -> tuple[CliCommand, ...]:
    """The commands that a module declares, by line and words."""
    commands = [*_parsed(module), *_of_classes(module)]
    if module.packages & _LIBRARIES or any(map(_takes_program, module.calls)):
        commands += _Chains(module).read()
    return tuple(sorted(commands, key=lambda command: (command.line, command.words)))


def _takes_program(called: Called) -> bool:
    """Is an option added to what a function is given as the program?"""
    first = called.value(0) if called.name == "option" and called.given.at else ""
    return first.startswith("-") and _GIVEN.match(called.on) is not None


class _Chains:
    """Programs that are built by methods, each of which gives the program or a command of it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._commands: list[Command] = []
        self._kept: dict[int | str, Command] = {}
        """By the calls that give them, and by the variables that keep them."""

    def read(self) -> Iterator[CliCommand]:
        """The commands of which something is known."""
        module = self._module
        variables = {value.id: module.text(variable) for variable, value in module.variables}
        added = {module.text(it.given.get(0)) for it in module.calls if it.name == "addCommand"}
        runs = any(it.name in _RUNNING and module.text(it.of) != "JSON" for it in module.calls)
        for called in sorted((*module.calls, *module.news), key=lambda it: it.node.end_byte):
            command = None
            if called.of is not None:
                holder = self._holder(called.of)
                command = self._step(called, holder) if holder is not None else None
            elif module.reach(None, called.name) in _MAKERS:
                is_part = called.name == "Command" and not runs
                is_part = is_part or module.owner(called.node) in added
                words = called.value(0).split()[:1] if is_part else ()
                command = self._make(tuple(words), called.line)
            if command is not None:
                self._kept[called.node.id] = command
                if called.node.id in variables:
                    self._kept[variables[called.node.id]] = command
        for each in self._commands:
            if each.help or each.options or each.handlers or each.words:
                yield each.as_fact()

    def _make(self, words: tuple[str, ...], line: int, about: str = "") -> Command:
        self._commands.append(Command(words, line, [about] if about else [], [], []))
        return self._commands[-1]

    def _holder(self, node: Node) -> Command | None:
        module, text = self._module, self._module.text(node)
        known = self._kept.get(node.id) or self._kept.get(text)
        is_given = not module.packages & _LIBRARIES and _GIVEN.fullmatch(text)
        if known is None and (is_given or module.origin(node) in _ROOTS):
            known = self._kept[text] = self._make((), line_of(node))
        return known

    def _step(self, called: Called, command: Command) -> Command:
        """What a method does to a command, and the command that it gives."""
        first = called.value(0)
        if called.name == "command":
            return self._below(called, command)
        if called.name in _OPTIONS and first:
            command.options.append(self._option(called, first))
        elif called.name in ("description", "describe") and first and not command.help:
            command.help.append(first_sentence(first))
        elif called.name == "action":
            node = called.given.get(0)
            if node is not None and node.type in ("identifier", "member_expression"):
                command.handlers.append(self._module.text(node))
        return command

    def _below(self, called: Called, command: Command) -> Command:
        """The command that one below another is, by a text or an object."""
        module, given = self._module, called.given
        members, line = module.members(given.get(0)), line_of_method(called)
        text = module.value(given.get(0))
        text = module.value(members.get("command")) if text is None else text
        if text is None:
            return command
        names = text.replace("$0", "").split()[:1]
        words = [it for it in names if it[0] not in "<[*"]
        about = module.value(given.get(1)) or _said(module, members)
        made = self._make((*command.words, *words), line, about)
        made.options.extend(Option((it[1].upper(),), line) for it in _ARGUMENT.finditer(text))
        return made

    def _option(self, called: Called, text: str) -> Option:
        module, given, is_place = self._module, called.given, _OPTIONS[called.name]
        members = module.members(given.get(2)) | module.members(given.get(1))
        name = _ARGUMENT.sub(r"\1", text) if is_place else text
        made = _option_of(module, name, members, line_of_method(called), is_place=is_place)
        names = [it for it in re.split(r"[ ,|]+", text) if it.startswith("-")]
        return replace(
            made,
            names=tuple(names) if names and not is_place else made.names,
            help=one_line(module.value(given.get(1)) or "") or made.help,
            default=made.default or module.plain(given.get(2)),
        )


def _parsed(module: Module) -> Iterator[CliCommand]:
    """The options that `parseArgs` of Node is given."""
    for called, origin in module.calls_of("util"):
        listed = module.members(called.given.get(0)).get("options")
        options = tuple(_listed(module, listed)) if origin.endswith(":parseArgs") else ()
        if options:
            yield CliCommand((), called.line, "", "", options)


def _of_classes(module: Module) -> Iterator[CliCommand]:
    """The classes whose names or bases end with `Command`, as parts."""
    bases = {it.line: it for it in module.symbols if it.kind == "class"}
    fields: dict[int, list[tuple[Definition, Called]]] = defaultdict(list)
    for field, decorator in module.decorated():
        if field.node.parent is not None:
            fields[field.node.parent.start_byte].append((field, decorator))
    for definition in module.definitions:
        symbol = bases.get(line_of(definition.node)) if definition.is_class else None
        if (
            symbol is not None
            and definition.body is not None
            and any(it.partition("<")[0].endswith("Command") for it in (symbol.name, *symbol.bases))
        ):
            yield _command(module, definition, symbol, fields[definition.body.start_byte])


def _command(
    module: Module,
    definition: Definition,
    symbol: Symbol,
    fields: Sequence[tuple[Definition, Called]],
) -> CliCommand:
    held = dict(_members(module, definition.node))
    options = [
        option
        for key, is_place in _TABLES.items()
        for option in _listed(module, held.get(key), is_place=is_place)
    ]
    options += [it for field in fields if (it := _field(module, *field)) is not None]
    words = tuple(filter(None, [_said(module, held, _NAMES)]))
    help_, row = first_sentence(_said(module, held)), (tuple(options), symbol.qualified)
    return CliCommand(words, symbol.line, help_, "", *row, is_part=True)


def _members(module: Module, node: Node) -> Iterator[tuple[str, Node]]:
    """The values of the static members of a class."""
    for member in inside(node, "body"):
        value = child(member, "value")
        if value is not None and any(it.type == "static" for it in member.children):
            name = child(member, "name") or child(member, "property")
            yield module.text(name), value


def _field(module: Module, definition: Definition, decorator: Called) -> Option | None:
    """The option or argument that a field is: `@flags.boolean({ alias: "w" })`."""
    function = module.text(child(decorator.node, "function"))
    is_place = _TABLES.get(function.partition(".")[0])
    if is_place is None:
        return None
    members = module.members(decorator.given.get(0))
    name = _said(module, members, _OWN_NAMES) or hyphened(definition.name).lower()
    return _option_of(module, name, members, line_of(definition.node), is_place=is_place)


def _listed(module: Module, node: Node | None, *, is_place: bool = False) -> Iterator[Option]:
    """The options that an object lists by name, or the arguments."""
    for name, value in module.members(node).items():
        members = _given_members(module, value)
        yield _option_of(module, name, members, line_of(value), is_place=is_place)


def _given_members(module: Module, node: Node | None) -> dict[str, Node]:
    """What an object says, or those that calls are given one behind the other."""
    members: dict[str, Node] = {}
    for _ in range(_CALLS_MAX):
        if node is None or node.type != "call_expression":
            break
        members |= module.members(module.given(node).get(0))
        node = child(node, "function")
    return members or module.members(node)


def _option_of(
    module: Module, name: str, members: dict[str, Node], line: int, *, is_place: bool
) -> Option:
    """The option or argument that an object describes."""
    others = [it for key in _SHORT for it in module.values(members.get(key))]
    is_pair = module.text(members.get("allowNo")) == "true"
    names = (name.upper(),) if is_place else dashed(*others, f"--{'[no-]' * is_pair}{name}")
    listed = members.get("options", members.get("choices"))
    if listed is not None and listed.type == "as_expression":
        listed = child(listed)
    help_ = one_of(one_line(_said(module, members)), module.values(listed))
    is_many = module.text(members.get("multiple")) == "true"
    return Option(names, line, help_, module.plain(members.get("default")), is_many=is_many)


def _said(module: Module, members: dict[str, Node], keys: Iterable[str] = _MEANINGS) -> str:
    """The first text that is there of some members."""
    return next((text for key in keys if (text := module.value(members.get(key)))), "")
