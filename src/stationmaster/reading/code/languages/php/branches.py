"""Settings of PHP in an array that chooses between others of its own: `'default' => 'mysql'` beside
`'connections' => ['mysql' => […], 'sqlite' => […]]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from tree_sitter import Node

from stationmaster.reading.code.languages.items import Unit
from stationmaster.reading.code.languages.source import inside, line_of, literal
from stationmaster.reading.code.model import Setting

_CHOICE = "default"


def chosen(unit: Unit, settings: Sequence[Setting]) -> list[Setting]:
    """The settings, each without the default of a branch that is not chosen where the one that is
    reads the same variable."""
    made = list(settings)
    for own, others in _choices(unit):
        named = {it.name for it in made if it.line in own}
        made = [
            msgspec.structs.replace(it, default=None)
            if it.name in named and any(it.line in lines for lines in others)
            else it
            for it in made
        ]
    return made


def _choices(unit: Unit) -> Iterator[tuple[range, list[range]]]:
    """The lines of the branch that an array chooses by default, and those of the others."""
    for returned in unit.source.root.named_children:
        whole = returned.named_children[0] if returned.type == "return_statement" else None
        members = dict(_members(unit, whole))
        name = _text(unit, members.get(_CHOICE))
        for value in members.values() if name else ():
            branches = dict(_members(unit, value))
            if name in branches:
                own = branches.pop(name)
                yield _lines(own), [_lines(it) for it in branches.values()]


def _members(unit: Unit, array: Node | None) -> Iterator[tuple[str, Node]]:
    if array is None or array.type != "array_creation_expression":
        return
    for member in array.named_children:
        both = member.named_children
        is_pair = member.type == "array_element_initializer" and len(both) == 2
        if is_pair and (key := literal(unit.source, both[0])):
            yield key, both[1]


def _text(unit: Unit, node: Node | None) -> str:
    """A text, or what stands last in a call: `env('STORE', 'mysql')`."""
    while node is not None and node.type in ("function_call_expression", "cast_expression"):
        arguments = inside(node, "arguments") or node.named_children
        last = arguments[-1] if len(arguments) > 1 else None
        node = last.named_children[0] if last is not None and last.type == "argument" else last
    return literal(unit.source, node) or ""


def _lines(node: Node) -> range:
    return range(line_of(node), node.end_point[0] + 2)
