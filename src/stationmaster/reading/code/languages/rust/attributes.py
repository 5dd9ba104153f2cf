"""Attributes of items, and where the crates that prove them are named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import Comments, Scopes, Source
from stationmaster.reading.code.model import Import

_DEPTH_MAX = 6


class Attribute(NamedTuple):
    """`#[name(word, key = "value", inner(…))]`: what stands alone has the value None, what is no
    text its source."""

    name: str
    given: dict[str, str | None]


def attributes(source: Source, nodes: tuple[Node, ...]) -> tuple[Attribute, ...]:
    """Those of an item, with those that hold under a condition."""
    return tuple(made for node in nodes for made in _attribute(source, node))


def _attribute(source: Source, node: Node) -> Iterator[Attribute]:
    inside = next(iter(node.named_children), None)
    if inside is None:
        return
    name = source.text(next(iter(inside.named_children), None))
    value = inside.child_by_field_name("value")
    if value is not None:
        yield Attribute(name, {"": _plain(source, value)})
        return
    tree = inside.child_by_field_name("arguments")
    yield from _parsed(source, name, tree, 0)


def _parsed(source: Source, name: str, tree: Node | None, depth: int) -> Iterator[Attribute]:
    given: dict[str, str | None] = {}
    children = tree.children[1:-1] if tree is not None else []
    key, place = "", 0
    while place < len(children):
        child = children[place]
        follows = children[place + 1] if place + 1 < len(children) else None
        if child.type == "=" and follows is not None and key:
            given[key] = _plain(source, follows)
            place += 1
        elif child.type == "token_tree" and key:
            given[key] = source.text(child)[1:-1].strip().strip("\"'")
            if depth < _DEPTH_MAX and name == "cfg_attr":
                yield from _parsed(source, key, child, depth + 1)
        elif child.type in ("identifier", "crate", "self", "metavariable"):
            key = source.text(child)
            given.setdefault(key, None)
        elif child.type in ("string_literal", "raw_string_literal"):
            given.setdefault("", _plain(source, child))
        place += 1
    yield Attribute(name, given)


def _plain(source: Source, node: Node) -> str:
    return source.text(node).removeprefix("r").strip("#").strip("\"'")


class File(NamedTuple):
    """A file with its items, calls and macros by place. `crates` are those that it names, `origins`
    the whole paths of names that it imports."""

    source: Source
    scopes: Scopes
    comments: Comments
    items: tuple[Item, ...]
    calls: list[Node]
    macros: list[Node]
    crates: frozenset[str]
    origins: dict[str, str]

    def method(self, node: Node) -> str:
        """The name of the method that a call is of, '' for no method."""
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        is_method = callee is not None and callee.type == "field_expression"
        return self.source.part(callee, "field") if is_method else ""

    def path(self, node: Node) -> str:
        """The whole path of the function that is called."""
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is None or callee.type not in ("identifier", "scoped_identifier"):
            return ""
        first, sign, rest = "".join(self.source.text(callee).split()).partition("::")
        return f"{self.origins.get(first, first)}{sign}{rest}"

    def attributes(self, item: Item) -> tuple[Attribute, ...]:
        """Those of an item, with those that hold under a condition."""
        return attributes(self.source, item.attributes)


def crates(imports: tuple[Import, ...]) -> frozenset[str]:
    """Crates that a file names."""
    return frozenset(import_.name.partition("::")[0] for import_ in imports)


def origins(imports: tuple[Import, ...]) -> dict[str, str]:
    """The whole paths of names that a file imports."""
    found: dict[str, str] = {}
    for each in imports:
        if each.kind != "include":
            for name, bound in zip(each.names or ("",), each.bound, strict=False):
                found[bound] = f"{each.name}::{name}" if name else each.name
    return found


def arguments(node: Node) -> list[Node]:
    """What a call is given."""
    given = node.child_by_field_name("arguments")
    found = given.named_children if given is not None else []
    return [each for each in found if "comment" not in each.type]
