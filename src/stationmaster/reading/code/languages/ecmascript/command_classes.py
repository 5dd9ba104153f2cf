"""Commands of JavaScript that are classes: static members say what they are called and take, as
those of oclif do, or decorators of their fields, as those of Adonis. What a file lies under may
name its command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.command_lines.options import dashed, one_of
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.source import (
    child,
    first_sentence,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand, Option, Symbol

_NAMES = code.ordered("ecmascript.commands.names")
_MEANINGS = code.ordered("ecmascript.commands.meanings")
_TABLES = code.table("ecmascript.commands.tables", dict[str, bool])
"""The members that list options, or else arguments."""
_SHORT = ("alias", "short", "shortFlag", "char")
_OWN_NAMES = ("flagName", "argumentName")
_CALLS_MAX = 3
"""One behind the other, as in `Flags.option({…})({…})`."""


def read_classes(module: Module) -> Iterator[CliCommand]:
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
        for option in table(module, held.get(key), is_place=is_place)
    ]
    options += [it for field in fields if (it := _field(module, *field)) is not None]
    words = tuple(filter(None, [said(module, held, _NAMES)]))
    help_, row = first_sentence(said(module, held)), (tuple(options), symbol.qualified)
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
    name = said(module, members, _OWN_NAMES) or hyphened(definition.name).lower()
    return option_of(module, name, members, line_of(definition.node), is_place=is_place)


def table(module: Module, node: Node | None, *, is_place: bool = False) -> Iterator[Option]:
    """The options that an object lists by name, or the arguments."""
    for name, value in module.members(node).items():
        members = _given_members(module, value)
        yield option_of(module, name, members, line_of(value), is_place=is_place)


def _given_members(module: Module, node: Node | None) -> dict[str, Node]:
    """What an object says, or those that calls are given one behind the other."""
    members: dict[str, Node] = {}
    for _ in range(_CALLS_MAX):
        if node is None or node.type != "call_expression":
            break
        members |= module.members(module.given(node).get(0))
        node = child(node, "function")
    return members or module.members(node)


def option_of(
    module: Module, name: str, members: dict[str, Node], line: int, *, is_place: bool
) -> Option:
    """The option or argument that an object describes."""
    others = [it for key in _SHORT for it in module.values(members.get(key))]
    is_pair = module.text(members.get("allowNo")) == "true"
    names = (name.upper(),) if is_place else dashed(*others, f"--{'[no-]' * is_pair}{name}")
    listed = members.get("options", members.get("choices"))
    if listed is not None and listed.type == "as_expression":
        listed = child(listed)
    help_ = one_of(one_line(said(module, members)), module.values(listed))
    is_many = module.text(members.get("multiple")) == "true"
    return Option(names, line, help_, module.plain(members.get("default")), is_many=is_many)


def said(module: Module, members: dict[str, Node], keys: Iterable[str] = _MEANINGS) -> str:
    """The first text that is there of some members."""
    return next((text for key in keys if (text := module.value(members.get(key)))), "")
