"""Command lines of JavaScript: commander, cac, yargs, citty, meow and Node's own parser;
and those that classes declare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript.command_classes import read_classes, table
from stationmaster.reading.code.languages.ecmascript.module import Module, line_of_method
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.module import Command
from stationmaster.reading.code.languages.source import first_sentence, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option

_MAKERS = code.names("ecmascript.commands.makers")
_LIBRARIES = frozenset({"commander", "cac", "sade", "yargs", "yargs/yargs"})
_GIVEN = re.compile(r"(?:program|cli)\b")
"""What functions call a program that another file makes."""
_ROOTS = frozenset({"commander", "commander:program", "yargs"})
"""Programs that are imported ready."""
_ARGUMENT = re.compile(r"[<\[](\.{0,3}[\w|-]{1,60}(?:\.\.\.)?)[>\]]")
_DESCRIBED = ("describe", "description", "desc")


def read(module: Module) -> tuple[CliCommand, ...]:
    """The commands that a module declares, by line and words."""
    commands = [*_chained(module), *_citty(module), *_declared(module), *read_classes(module)]
    return tuple(sorted(commands, key=lambda command: (command.line, command.words)))


def _chained(module: Module) -> Iterator[CliCommand]:
    """Programs that are built by methods, each of which gives the program or a command of it."""
    if not (module.packages & _LIBRARIES or any(map(_takes_program, module.calls))):
        return
    commands: list[Command] = []
    by_call: dict[tuple[int, int], Command] = {}
    by_name: dict[str, Command] = {}
    variables = {value.id: module.text(variable) for variable, value in module.variables}
    added = {module.text(call.given.get(0)) for call in module.calls if call.name == "addCommand"}
    runs = any(
        call.name in ("parse", "parseAsync") and module.text(call.of) != "JSON"
        for call in module.calls
    )
    for called in sorted((*module.calls, *module.news), key=lambda each: each.node.end_byte):
        command = None
        if called.of is None:
            if module.reach(None, called.name) in _MAKERS:
                is_part = module.owner(called.node) in added or (
                    called.name == "Command" and not runs
                )
                command = _program(module, called, is_part)
                commands.append(command)
        elif (holder := _holder(module, called.of, by_call, by_name, commands)) is not None:
            command = _step(module, called, holder)
            if command is not holder:
                commands.append(command)
        if command is not None:
            by_call[called.node.start_byte, called.node.end_byte] = command
            if called.node.id in variables:
                by_name[variables[called.node.id]] = command
    for each in commands:
        if each.help or each.options or each.handlers or each.words:
            yield each.as_fact()


def _takes_program(called: Called) -> bool:
    """Is an option added to what a function is given as the program?"""
    first = called.value(0) if called.name == "option" and called.given.at else ""
    return first.startswith("-") and _GIVEN.match(called.on) is not None


def _program(module: Module, called: Called, is_part: bool) -> Command:
    name = module.value(called.given.get(0))
    words = (name.split()[0],) if is_part and name and name.split() else ()
    return Command(words, called.line, [], [], [])


def _holder(
    module: Module,
    node: Node,
    by_call: dict[tuple[int, int], Command],
    by_name: dict[str, Command],
    commands: list[Command],
) -> Command | None:
    known = by_call.get((node.start_byte, node.end_byte)) or by_name.get(module.text(node))
    is_given = not module.packages & _LIBRARIES and _GIVEN.fullmatch(module.text(node))
    if known is None and (is_given or module.origin(node) in _ROOTS):
        known = by_name[module.text(node)] = Command((), line_of(node), [], [], [])
        commands.append(known)
    return known


def _step(module: Module, called: Called, command: Command) -> Command:
    """What a method does to a command, and the command that it gives."""
    given = called.given
    first = module.value(given.get(0))
    if called.name == "command":
        return _within(module, called, command, first)
    if called.name in ("option", "requiredOption", "argument", "positional") and first:
        command.options.append(_option(module, called, first))
    elif called.name in ("description", "describe") and first and not command.help:
        command.help.append(first_sentence(first))
    elif called.name == "action":
        node = given.get(0)
        if node is not None and node.type in ("identifier", "member_expression"):
            command.handlers.append(module.text(node))
    return command


def _within(module: Module, called: Called, command: Command, first: str | None) -> Command:
    given = called.given
    members = module.members(given.get(0))
    text = first if first is not None else module.value(members.get("command"))
    if text is None:
        return command
    line = line_of_method(called)
    about = module.value(given.get(1)) or next(
        (value for key in _DESCRIBED if (value := module.value(members.get(key)))), ""
    )
    names = text.replace("$0", "").split()
    words = names[:1] if names and not names[0].startswith(("<", "[", "*")) else []
    options = [Option((match[1].upper(),), line) for match in _ARGUMENT.finditer(text)]
    return Command((*command.words, *words), line, [about] if about else [], options, [])


def _option(module: Module, called: Called, text: str) -> Option:
    given = called.given
    members = module.members(given.get(1))
    help_ = module.value(given.get(1)) or next(
        (value for key in _DESCRIBED if (value := module.value(members.get(key)))), ""
    )
    if called.name in ("argument", "positional"):
        names = [_ARGUMENT.sub(r"\1", text).upper()]
    else:
        names = [part for part in re.split(r"[ ,|]+", text) if part.startswith("-")]
        alias = module.values(members.get("alias"))
        names = names or [*(f"-{each}" for each in alias if len(each) == 1), f"--{text}"]
    default = given.get(2)
    if default is not None and default.type == "object":
        default = module.members(default).get("default")
    default = default or members.get("default")
    return Option(tuple(names), line_of_method(called), one_line(help_), module.plain(default))


def _citty(module: Module) -> Iterator[CliCommand]:
    run = {
        module.text(called.given.get(0))
        for called, origin in module.calls_of("citty")
        if origin == "citty:runMain"
    }
    for called, origin in module.calls_of("citty"):
        if origin != "citty:defineCommand":
            continue
        members = module.members(called.given.get(0))
        meta = module.members(members.get("meta"))
        name = module.value(meta.get("name"))
        is_main = module.owner(called.node) in run or "subCommands" in members
        words = () if is_main or not name else (name,)
        options = tuple(table(module, members.get("args")))
        help_ = first_sentence(module.value(meta.get("description")) or "")
        yield CliCommand(words, called.line, help_, "", options)


def _declared(module: Module) -> Iterator[CliCommand]:
    """Options that stand in one object: of meow, and of `parseArgs` in Node."""
    for called, origin in module.calls_of("meow", "util"):
        given = called.given
        if is_meow := origin == "meow":
            listed = module.members(given.get(1)).get("flags")
        elif origin.endswith(":parseArgs"):
            listed = module.members(given.get(0)).get("options")
        else:
            continue
        # Names of `meow` are typed with hyphens.
        options = tuple(
            replace(it, names=tuple(hyphened(name).lower() for name in it.names)) if is_meow else it
            for it in table(module, listed)
        )
        if options:
            yield CliCommand((), called.line, "", "", options)
