"""What a file of Swift declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import Head, head_of
from stationmaster.reading.code.languages.source import Declared, Source, above, child
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import SymbolKind

_TYPES = code.table("swift.grammar.types", dict[str, SymbolKind])
_FUNCTIONS = code.table("swift.grammar.functions", dict[str, SymbolKind])
KINDS: dict[str, SymbolKind] = {"class_declaration": "class", **_FUNCTIONS}
_HOLDERS = ("class_declaration", "protocol_declaration")
_HIDDEN = frozenset({"private", "fileprivate", "internal", "package"})
_OPEN = frozenset({"public", "open"})
_EXTENSION = "extension"


class Type(NamedTuple):
    """A type, or an extension of one (`is_extension`)."""

    name: str
    node: Node
    bases: tuple[str, ...]
    is_extension: bool


def types(unit: Unit) -> Iterator[Type]:
    """The types of a file and their extensions, by place."""
    for node in unit.nodes["declared"]:
        if node.type == "class_declaration":
            is_extension = _kind(unit, node) == _EXTENSION
            bases = head_of(unit, node).bases
            yield Type(name_of(unit, node), node, bases, is_extension)


def name_of(source: Source, node: Node | None) -> str:
    """The name of a declaration without its type arguments, '' without a name."""
    return source.part(node, "name").partition("<")[0]


def holder_of(node: Node) -> Node | None:
    """The type or extension around a declaration."""
    return above(node, *_HOLDERS)


def declared(source: Source, node: Node, head: Head) -> Iterator[Declared]:
    """A declaration; one of an extension is within the type that it extends."""
    holder = holder_of(node)
    kind, name = _what(source, node, holder)
    if kind is None or not name:
        return
    within = ""
    if holder is not None and _kind(source, holder) == _EXTENSION:
        within = name_of(source, holder)
        kind = "method" if kind == "function" else kind
    bodies = (child(node, field) for field in ("body", "computed_value", "value"))
    is_public = _is_public(source, head, holder)
    yield Declared(node, name, kind, next(filter(None, bodies), None), is_public, within=within)


def _kind(source: Source, node: Node) -> str:
    """`struct`, `extension` and so on."""
    return source.part(node, "declaration_kind")


def _what(source: Source, node: Node, holder: Node | None) -> tuple[SymbolKind | None, str]:
    name = name_of(source, node)
    if node.type == "class_declaration":
        return _TYPES.get(_kind(source, node)), name
    if node.type == "protocol_declaration":
        return "protocol", name
    if node.type in _FUNCTIONS:
        is_subscript = node.type.startswith("subscript")
        return _FUNCTIONS[node.type], "subscript" if is_subscript else name
    bound = source.part(child(node, "name"), "bound_identifier")
    words = (source.text(n) for n in node.named_children if n.type == "value_binding_pattern")
    kind: SymbolKind = "constant" if "let" in words else "variable"
    return "property" if holder is not None else kind, bound


def _is_public(source: Source, head: Head, holder: Node | None) -> bool:
    if head.words & _OPEN:
        return True
    if holder is None or head.words & _HIDDEN:
        return False
    is_open = holder.type == "protocol_declaration" or _kind(source, holder) == _EXTENSION
    return is_open and bool(head_of(source, holder).words & _OPEN)
