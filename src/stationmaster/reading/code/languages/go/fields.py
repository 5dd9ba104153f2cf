"""Routers that structs of Go keep in fields, by the type that has the field: `Server.router`.

A field belongs to its type and not to one function, so that a constructor in one file, methods in
another and a literal in a third name the same router.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import receiver_of
from stationmaster.reading.code.languages.routers import Web
from stationmaster.reading.code.languages.source import above, line_of
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Made


class Kept(NamedTuple):
    """What a literal of a struct gives to a field."""

    field: str
    value: Node


class Fields:
    """The fields of a file. `typed` is the framework whose router a type is."""

    def __init__(self, unit: Unit, typed: Callable[[Node], Web | None]) -> None:
        self._unit = unit
        self._structs: dict[str, str] = {}
        self._webs: dict[str, Web] = {}
        self._others: set[str] = set()
        self._embedded: dict[str, tuple[Web, str]] = {}
        self.made: list[Made] = []
        for match in unit.matches("routes"):
            if "field" in match:
                self._declare(match["name"][0], typed(match["type"][0]))
            elif "embedded" in match and (web := typed(match["embedded"][0])):
                holder = unit.text(match["holder"][0])
                field = unit.text(match["embedded"][0]).rpartition(".")[2]
                self._embedded[holder] = web, f"{holder}.{field}"

    def _declare(self, field: Node, web: Web | None) -> None:
        """Note what a struct declares."""
        struct, name = above(field, "type_spec"), self._unit.text(field)
        if web is not None:
            self._webs[name] = web
            name = f"{self._unit.part(struct, 'name')}.{name}"
            self.made.append(Made(name, "", line_of(field), {}, web.name))
        else:
            self._others.add(name)

    def bind(self, left: Node, right: Node) -> None:
        """Note the type of what a variable is made by: `shop := &Shop{…}`."""
        if struct := self._struct(right):
            self._structs[self._unit.text(left)] = struct

    def of(self, node: Node, name: str) -> str:
        """The field that a name such as `shop.router` means at a place, by the type of the
        variable; '' where that is not known."""
        on, _, field = name.rpartition(".")
        struct = (self.holder(node, on) or self._structs.get(on, "")) if on else ""
        return f"{struct}.{field}" if struct else ""

    def holder(self, node: Node, name: str) -> str:
        """The type whose method a place is in, where that calls its object by a name."""
        method = above(node, "method_declaration")
        receiver = self._unit.part(method, "receiver").lstrip("( ")
        is_own = method is not None and receiver.startswith(f"{name} ")
        return receiver_of(self._unit, method) if method is not None and is_own else ""

    def embedded(self, node: Node, name: str) -> tuple[Web | None, str]:
        """The framework and name of the router that a method's object is itself."""
        return self._embedded.get(self.holder(node, name), (None, ""))

    def web(self, field: str) -> Web | None:
        """The framework of a field by its name."""
        return self._webs.get(field)

    def is_open(self, field: str) -> bool:
        """Does no struct here say the type of a field of this name?"""
        return field not in self._webs and field not in self._others

    def kept(self, literal: Node) -> Iterator[Kept]:
        """What a literal of a struct gives to the fields that it names."""
        struct, body = self._struct(literal), literal.child_by_field_name("body")
        for element in body.named_children if body is not None and struct else ():
            if element.type == "keyed_element" and len(element.named_children) == 2:
                key, value = element.named_children
                yield Kept(f"{struct}.{self._unit.text(key)}", value.named_children[0])

    def _struct(self, node: Node) -> str:
        """The type of a literal, or of what one points to."""
        operand = node.child_by_field_name("operand") if node.type == "unary_expression" else node
        is_literal = operand is not None and operand.type == "composite_literal"
        name = self._unit.part(operand, "type") if is_literal else ""
        return name if name.replace(".", "").replace("_", "").isalnum() else ""
