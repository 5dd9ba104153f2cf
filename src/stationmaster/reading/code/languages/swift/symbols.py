"""What a file of Swift declares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import Comments, Declared, Source
from stationmaster.reading.code.model import SymbolKind

_TYPES = code.table("swift.grammar.types", dict[str, SymbolKind])
_FUNCTIONS = code.table("swift.grammar.functions", dict[str, SymbolKind])
_PROPERTIES = frozenset({"property_declaration", "protocol_property_declaration"})
_DEPTH_MAX = 40
_HIDDEN = frozenset({"private", "fileprivate", "internal", "package"})


class Attribute(NamedTuple):
    """`@Option(name: .short)`: `name` is `Option`, `text` all of it."""

    name: str
    text: str
    node: Node


class Item:
    """A declaration. `holder` is the type or extension that it stands in."""

    def __init__(self, source: Source, node: Node, holder: Item | None) -> None:
        self._source = source
        self.node = node
        self.holder = holder
        self.type = node.type

    @cached_property
    def name(self) -> str:
        """The name without its type arguments, '' without a name."""
        return self._source.part(self.node, "name").partition("<")[0]

    @cached_property
    def kind(self) -> str:
        """`struct`, `extension` and so on."""
        return self._source.part(self.node, "declaration_kind")

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """What a type inherits from and conforms to."""
        return tuple(
            self._source.part(child, "inherits_from")
            for child in self.node.named_children
            if child.type == "inheritance_specifier"
        )

    @cached_property
    def _modifiers(self) -> list[Node]:
        lists = (child for child in self.node.named_children if child.type == "modifiers")
        return [each for child in lists for each in child.named_children]

    @cached_property
    def attributes(self) -> list[Attribute]:
        """The attributes among the modifiers, such as `@main`."""
        text = self._source.text
        return [
            Attribute(text(next(iter(each.named_children), None)), text(each), each)
            for each in self._modifiers
            if each.type == "attribute"
        ]

    @cached_property
    def visibility(self) -> str:
        """The word that says who may use it; '' without one."""
        words = ((each.type, self._source.text(each)) for each in self._modifiers)
        return next(
            (word for kind, word in words if kind.startswith("vis") and "(" not in word), ""
        )


def items(source: Source) -> tuple[Item, ...]:
    """By place; not those inside functions."""
    found: list[Item] = []
    waiting: list[tuple[Node, Item | None, int]] = [(source.root, None, 0)]
    while waiting:
        parent, holder, depth = waiting.pop()
        for node in parent.named_children:
            if node.type == "ERROR" and depth < _DEPTH_MAX:
                waiting.append((node, holder, depth + 1))
                continue
            item = Item(source, node, holder)
            found.append(item)
            if node.type in ("class_declaration", "protocol_declaration") and depth < _DEPTH_MAX:
                body = node.child_by_field_name("body")
                if body is not None:
                    waiting.append((body, item, depth + 1))
    return tuple(sorted(found, key=lambda item: item.node.start_byte))


def declared(source: Source, found: tuple[Item, ...], comments: Comments) -> Iterator[Declared]:
    """The declarations by place; those of an extension are within the type that it extends."""
    for item in found:
        node, holder = item.node, item.holder
        kind, name = _what(source, item)
        if kind is None or not name:
            continue
        within = ""
        if holder is not None and holder.kind == "extension":
            within = holder.name
            kind = "method" if kind == "function" else kind
        doc = comments.sentence(node, ("///", "/**"))
        marks = tuple(each.name for each in item.attributes)
        yield Declared(
            node,
            name,
            kind,
            _body(node),
            _is_public(item),
            doc,
            item.bases,
            marks,
            within,
            _head(node),
        )


def _what(source: Source, item: Item) -> tuple[SymbolKind | None, str]:
    node = item.node
    if node.type == "class_declaration":
        return _TYPES.get(item.kind), item.name
    if node.type == "protocol_declaration":
        return "protocol", item.name
    if node.type in _FUNCTIONS:
        return _FUNCTIONS[node.type], (
            "subscript" if node.type.startswith("subscript") else item.name
        )
    if node.type in _PROPERTIES:
        bound = source.part(node.child_by_field_name("name"), "bound_identifier")
        words = (source.text(n) for n in node.named_children if n.type == "value_binding_pattern")
        kind: SymbolKind = "constant" if "let" in words else "variable"
        return "property" if item.holder is not None else kind, bound
    return None, ""


def _is_public(item: Item) -> bool:
    if item.visibility in ("public", "open"):
        return True
    if item.holder is None or item.visibility in _HIDDEN:
        return False
    is_open = item.holder.type == "protocol_declaration" or item.holder.kind == "extension"
    return is_open and item.holder.visibility in ("public", "open")


def _body(node: Node) -> Node | None:
    """Where the signature ends."""
    for field in ("body", "computed_value", "value"):
        found = node.child_by_field_name(field)
        if found is not None:
            return found
    return None


def _head(node: Node) -> Node | None:
    """Where the signature begins: behind the attributes."""
    for child in node.children:
        if child.type != "modifiers":
            return child
        for each in child.named_children:
            if each.type != "attribute":
                return each
    return None
