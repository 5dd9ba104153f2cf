"""Attributes of items, and where the crates that prove them are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.rust import macros, patterns, symbols, uses
from stationmaster.reading.code.languages.source import Source, child, first_sentence, inside
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Call

_DEPTH_MAX = 6
GOING_ON = re.compile(r"\\\n\s*")
"""Where a text goes on in the next line."""
CHAIN_MAX = 400
_TYPES = frozenset({b"str", b"char", b"bool"})
"""Types of the language after which macros are called, too."""


class Attribute(NamedTuple):
    """`#[name(word, key = "value", inner(…))]`: a word without a value has None, a value that is
    not a text its source, and the constant that names a variable of the environment `{$NAME}`."""

    name: str
    given: dict[str, str | None]


def attributes(source: Source, nodes: tuple[Node, ...]) -> tuple[Attribute, ...]:
    """Those of an item, with those that hold under a condition."""
    return tuple(made for node in nodes for made in _attribute(source, node))


def _attribute(source: Source, node: Node) -> Iterator[Attribute]:
    inner = child(node)
    if inner is None:
        return
    name = source.text(child(inner))
    value = child(inner, "value")
    if value is not None:
        yield Attribute(name, {"": _plain(source, value)})
        return
    tree = child(inner, "arguments")
    yield from _parsed(source, name, tree, 0)


def _parsed(source: Source, name: str, tree: Node | None, depth: int) -> Iterator[Attribute]:
    values: dict[str, str | None] = {}
    children = tree.children[1:-1] if tree is not None else []
    key, place = "", 0
    while place < len(children):
        sign = children[place]
        follows = children[place + 1] if place + 1 < len(children) else None
        if sign.type == "=" and follows is not None and key:
            begin = place + 1
            while [it.type for it in children[place + 2 : place + 4]] == ["::", "identifier"]:
                place += 2  # `SizeDisplay::Human`
            values[key] = _plain(source, children[place + 1])
            if key == "env" and children[place + 1].type == "identifier":
                words = "".join(source.text(it) for it in children[begin : place + 2])
                values[key] = f"{{${words.replace('::', '.')}}}"
            place += 1
        elif sign.type == "token_tree" and key:
            values[key] = source.text(sign)[1:-1].strip().strip("\"'")
            if depth < _DEPTH_MAX and name == "cfg_attr":
                yield from _parsed(source, key, sign, depth + 1)
        elif sign.type in ("identifier", "crate", "self", "metavariable", "default"):
            key = source.text(sign)
            values.setdefault(key, None)
        elif sign.type in ("string_literal", "raw_string_literal"):
            values.setdefault("", _plain(source, sign))
        place += 1
    yield Attribute(name, values)


class Member(NamedTuple):
    """A field or variant, where it begins with its attributes, and these."""

    node: Node
    top: Node
    attributes: tuple[Attribute, ...]

    @property
    def given(self) -> dict[str, str | None]:
        """The values of all its attributes."""
        return {
            key: value for attribute in self.attributes for key, value in attribute.given.items()
        }


def members(source: Source, node: Node) -> Iterator[Member]:
    """The members of a type, of a variant or of the list of one."""
    before: list[Node] = []
    for part in inside(node) if node.type.endswith("_list") else inside(node, "body"):
        if part.type == "attribute_item":
            before.append(part)
        elif "comment" not in part.type:
            yield Member(part, (*before, part)[0], attributes(source, tuple(before)))
            before = []


def _plain(source: Source, node: Node) -> str:
    text = source.text(node)
    is_raw = text.startswith("r")
    text = text.removeprefix("r").strip("#").strip("\"'")
    return text if is_raw else GOING_ON.sub("", text)


def _faults(root: Node) -> Iterator[Node]:
    """What the grammar does not read, each without what is in it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            waiting += node.children


def _is_of_macro(fault: Node) -> bool:
    before = fault.prev_sibling
    return fault.text == b"!" and before is not None and before.text in _TYPES


class File(Unit):
    """A file of Rust."""

    @property
    def doc(self) -> str:
        """The first sentence at the top of the file."""
        return first_sentence(symbols.inner_doc(self))

    @property
    def is_whole(self) -> bool:
        """Is all of it understood, but for macros that are called as a type is: `str![]`?"""
        return not self.root.has_error or all(map(_is_of_macro, _faults(self.root)))

    items = cached_property(symbols.items)
    for_tests = cached_property(symbols.for_tests)
    declared = symbols.declared
    imports = cached_property(uses.imports)

    @cached_property
    def crates(self) -> frozenset[str]:
        """The crates that the file names."""
        return frozenset(import_.name.partition("::")[0] for import_ in self.imports)

    @cached_property
    def origins(self) -> dict[str, str]:
        """The whole paths of names that the file imports."""
        origins: dict[str, str] = {}
        for import_ in self.imports:
            if import_.kind != "include":
                for name, bound in zip(import_.names or ("",), import_.bound, strict=False):
                    origins[bound] = f"{import_.name}::{name}" if name else import_.name
        return origins

    @cached_property
    def reported(self) -> tuple[Call, ...]:
        """The calls, also those within macros, with what patterns bind followed."""
        within = macros.calls(self, self.nodes["macro"])
        calls = sorted((*super().reported, *within), key=lambda call: call.line)
        brought = {it.name for it in self.imports if "*" in it.names}
        enums = {name for name in brought if name.rpartition("::")[2][:1].isupper()}
        return patterns.followed(self, self.nodes["pattern"], calls, enums)

    def method(self, node: Node) -> str:
        """The name of the method that a call is of, '' for no method."""
        callee = child(node, "function") if node.type == "call_expression" else None
        is_method = callee is not None and callee.type == "field_expression"
        return self.part(callee, "field") if is_method else ""

    def path(self, node: Node) -> str:
        """The whole path of the function that is called."""
        callee = child(node, "function") if node.type == "call_expression" else None
        if callee is None or callee.type not in ("identifier", "scoped_identifier"):
            return ""
        first, sign, rest = "".join(self.text(callee).split()).partition("::")
        return f"{self.origins.get(first, first)}{sign}{rest}"

    def attributes(self, item: symbols.Item) -> tuple[Attribute, ...]:
        """Those of an item, with those that hold under a condition."""
        return attributes(self, item.attributes)


def base(node: Node) -> Node:
    """The node at the beginning of a chain of calls."""
    for _ in range(CHAIN_MAX):
        callee = child(node, "function") if node.type == "call_expression" else None
        value = child(callee, "value")
        if value is None:
            break
        node = value
    return node
