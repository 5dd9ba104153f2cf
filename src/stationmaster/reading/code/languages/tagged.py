"""Calls, by the tag query of a language: `queries/tags`.

A query names each call `@call`, or `@made` where it makes an object, its `@name`, what it is made
on `@of` and the list of its arguments `@given`. A call is on the line of its name, or of `@at`.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.receivers import receiver
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import Source, line_of
from stationmaster.reading.code.model import Call

_LITERALS = {
    "class_literal": "Class",
    "string_literal": "String",
    "true": "boolean",
    "false": "boolean",
}
"""The types of literals of Java, which tells methods of one name apart by what they take."""


class Called(NamedTuple):
    """A call. `given` is the list of its arguments, `node` all of it with the blocks it is given;
    `caller` the symbol around it."""

    name: str
    of: str
    node: Node
    given: Node | None
    caller: str

    @property
    def line(self) -> int:
        """The line of its arguments, or of the call where it has no list of them."""
        return line_of(self.given or self.node)


class Calls(NamedTuple):
    """All calls by line; those of names that rules ask for; and those that make an object."""

    every: tuple[Call, ...]
    called: list[Called]
    made: list[Called]


def calls(source: Source, scopes: Scopes, asked: frozenset[str] | None = frozenset()) -> Calls:
    """The calls of a file; `asked` are names whose arguments matter, all of them for None."""
    # PHP calls methods whatever the case of their names.
    spelled = {name.lower(): name for name in asked or ()} if source.language == "PHP" else {}
    every: list[tuple[tuple[int, int], Call]] = []
    called: list[Called] = []
    made: list[Called] = []
    for node, found in _tagged(source):
        name, of, is_made = found["name"][0], _first(found, "of"), "made" in found
        text = source.text(name)
        text = text.partition("<")[0] if is_made else text
        at = line_of(_first(found, "at") or (node if is_made else name))
        caller, on = scopes.at(node.start_byte), receiver(source, of)
        if source.language == "PHP":  # Its variables have a sign before their name.
            on = on.lstrip("$")
        order = (at, node.end_byte)  # What a call is given is called before it.
        given = _types(_first(found, "given")) if source.language == "Java" else None
        every.append((order, Call(text, at, on, caller, given)))
        if is_made or asked is None or text in asked or text.lower() in spelled:
            group = made if is_made else called
            group.append(
                Called(spelled.get(text.lower(), text), on, node, _first(found, "given"), caller)
            )
    every.sort(key=lambda each: each[0])
    return Calls(tuple(call for _, call in every), called, made)


def _tagged(source: Source) -> list[tuple[Node, dict[str, list[Node]]]]:
    """Each call with its captures, by place, the outer first. One that matches with and without
    what is optional is taken with it."""
    best: dict[tuple[int, int], tuple[Node, dict[str, list[Node]]]] = {}
    for found in source.matches("tags"):
        node = (found.get("call") or found["made"])[0]
        place = (node.start_byte, -node.end_byte)
        if place not in best or len(found) > len(best[place][1]):
            best[place] = (node, found)
    return [best[place] for place in sorted(best)]


def _types(given: Node | None) -> tuple[str, ...] | None:
    """Of each argument in a list its type, where it is a literal."""
    if given is None:
        return None
    kinds = [each.type for each in given.named_children]
    return tuple(_LITERALS.get(kind, "") for kind in kinds if not kind.endswith("comment"))


def _first(found: dict[str, list[Node]], name: str) -> Node | None:
    return next(iter(found.get(name, ())), None)
