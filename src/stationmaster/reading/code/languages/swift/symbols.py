"""What a file of Swift declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Comments, Declared, Source, first_sentence
from stationmaster.reading.code.model import SymbolKind

_TYPES: dict[str, SymbolKind] = {
    "class": "class",
    "struct": "struct",
    "enum": "enum",
    "actor": "class",
}
_FUNCTIONS: dict[str, SymbolKind] = {
    "function_declaration": "function",
    "protocol_function_declaration": "function",
    "init_declaration": "constructor",
    "subscript_declaration": "method",
    "macro_declaration": "macro",
    "typealias_declaration": "type",
}
_PROPERTIES = frozenset({"property_declaration", "protocol_property_declaration"})
_DEPTH_MAX = 40
_HIDDEN = frozenset({"private", "fileprivate", "internal", "package"})


class Item(NamedTuple):
    """A declaration. `holder` is the type or extension that it stands in."""

    node: Node
    holder: Node | None


def items(source: Source) -> tuple[Item, ...]:
    """By place; not those inside functions."""
    found: list[Item] = []
    waiting: list[tuple[Node, Node | None, int]] = [(source.root, None, 0)]
    while waiting:
        parent, holder, depth = waiting.pop()
        for node in parent.named_children:
            if node.type == "ERROR" and depth < _DEPTH_MAX:
                waiting.append((node, holder, depth + 1))
                continue
            found.append(Item(node, holder))
            if node.type in ("class_declaration", "protocol_declaration") and depth < _DEPTH_MAX:
                body = node.child_by_field_name("body")
                if body is not None:
                    waiting.append((body, node, depth + 1))
    return tuple(sorted(found, key=lambda item: item.node.start_byte))


def declared(source: Source, found: tuple[Item, ...], comments: Comments) -> Iterator[Declared]:
    """The declarations by place; those of an extension are within the type that it extends."""
    for item in found:
        node, holder = item.node, item.holder
        kind, name = _what(source, item)
        if kind is None or not name:
            continue
        within = ""
        if holder is not None and kind_of(source, holder) == "extension":
            within = name_of(source, holder)
            kind = "method" if kind == "function" else kind
        yield Declared(
            node,
            name,
            kind,
            _body(node),
            _is_public(source, item),
            first_sentence(comments.before(node, ("///", "/**"))),
            bases(source, node),
            tuple(attribute_name(source, each) for each in attributes(node)),
            within,
            _head(node),
        )


def _what(source: Source, item: Item) -> tuple[SymbolKind | None, str]:
    node = item.node
    if node.type == "class_declaration":
        return _TYPES.get(kind_of(source, node)), name_of(source, node)
    if node.type == "protocol_declaration":
        return "protocol", name_of(source, node)
    if node.type in _FUNCTIONS:
        name = "subscript" if node.type.startswith("subscript") else name_of(source, node)
        return _FUNCTIONS[node.type], name
    if node.type in _PROPERTIES:
        pattern = node.child_by_field_name("name")
        bound = pattern.child_by_field_name("bound_identifier") if pattern else None
        if item.holder is not None:
            return "property", source.text(bound)
        is_constant = any(
            child.type == "value_binding_pattern" and source.text(child) == "let"
            for child in node.named_children
        )
        return "constant" if is_constant else "variable", source.text(bound)
    return None, ""


def kind_of(source: Source, node: Node) -> str:
    """`struct`, `extension` and so on."""
    return source.text(node.child_by_field_name("declaration_kind"))


def name_of(source: Source, node: Node) -> str:
    """The name of a declaration without its type arguments, '' without a name."""
    return source.text(node.child_by_field_name("name")).partition("<")[0]


def bases(source: Source, node: Node) -> tuple[str, ...]:
    """What a type inherits from and conforms to."""
    return tuple(
        source.text(child.child_by_field_name("inherits_from"))
        for child in node.named_children
        if child.type == "inheritance_specifier"
    )


def attributes(node: Node) -> list[Node]:
    """The attributes among the modifiers of a declaration, such as `@main`."""
    return [
        each
        for child in node.named_children
        if child.type == "modifiers"
        for each in child.named_children
        if each.type == "attribute"
    ]


def attribute_name(source: Source, node: Node) -> str:
    """`Option` of `@Option(name: .short)`."""
    return source.text(next(iter(node.named_children), None))


def _visibility(source: Source, node: Node) -> str:
    for child in node.named_children:
        if child.type == "modifiers":
            for each in child.named_children:
                told = source.text(each)
                if each.type == "visibility_modifier" and "(" not in told:
                    return told
    return ""


def _is_public(source: Source, item: Item) -> bool:
    told = _visibility(source, item.node)
    if told in ("public", "open"):
        return True
    if item.holder is None or told in _HIDDEN:
        return False
    holds = _visibility(source, item.holder) in ("public", "open")
    return holds and (
        item.holder.type == "protocol_declaration" or kind_of(source, item.holder) == "extension"
    )


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
