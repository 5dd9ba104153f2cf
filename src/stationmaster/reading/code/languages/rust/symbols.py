"""What a file of Rust declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    child,
    end_of,
    inside,
    line_of,
)
from stationmaster.reading.code.model import SymbolKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.rust.attributes import File

_KINDS = code.table("rust.grammar.kinds", dict[str, SymbolKind])
_HOLDERS = frozenset({"mod_item", "impl_item", "trait_item", "foreign_mod_item"})
_DEPTH_MAX = 40


class Item(NamedTuple):
    """An item of the file. `modules` are the inline modules around it, `holder` the `impl`, trait
    or block around it, `attributes` those before it."""

    node: Node
    modules: tuple[str, ...]
    holder: Node | None
    attributes: tuple[Node, ...]

    @property
    def top(self) -> Node:
        """The first line of the item with its attributes."""
        return self.attributes[0] if self.attributes else self.node


def items(source: Source) -> tuple[Item, ...]:
    """The items by place, without those inside functions."""
    rows: list[Item] = []
    waiting: list[tuple[Node, tuple[str, ...], Node | None]] = [(source.root, (), None)]
    while waiting:
        parent, modules, holder = waiting.pop()
        attributes: list[Node] = []
        for node in parent.named_children:
            if node.type == "attribute_item":
                attributes.append(node)
                continue
            if "comment" in node.type:
                continue
            rows.append(Item(node, modules, holder, tuple(attributes)))
            attributes = []
            body = child(node, "body") if node.type in _HOLDERS else None
            if body is not None and len(modules) < _DEPTH_MAX:
                is_module = node.type == "mod_item"
                steps = (*modules, source.part(node, "name")) if is_module else modules
                waiting.append((body, steps, None if is_module else node))
    return tuple(sorted(rows, key=lambda item: item.node.start_byte))


def declared(file: File) -> Iterator[Declared]:
    """The declarations of items; the bases of a type are the traits that it implements here."""
    traits: dict[str, list[str]] = {}
    private: set[str] = set()
    for item in file.items:
        if item.node.type == "impl_item":
            trait = file.part(item.node, "trait")
            if trait:
                traits.setdefault(type_of(file, item.node), []).append(trait)
        elif _KINDS.get(item.node.type) in ("struct", "enum") and not is_public(file, item.node):
            private.add(file.part(item.node, "name"))
    for item in file.items:
        node = item.node
        kind = _KINDS.get(node.type)
        name = file.part(node, "name")
        if kind is None or (node.type == "mod_item" and not child(node, "body")):
            continue
        holder = item.holder
        within = type_of(file, holder) if holder and holder.type == "impl_item" else ""
        kind = "method" if within and kind == "function" else kind
        marks = tuple(attribute_name(file, attribute) for attribute in item.attributes)
        bases = list(traits.get(name, ())) if kind in ("struct", "enum") else []
        if kind == "trait":
            bases = [file.text(bound) for bound in inside(node, "bounds")]
        yield Declared(
            node,
            name,
            kind,
            _body(node),
            _is_api(file, item, within, private, marks),
            file.comments.sentence(item.top, ("///", "/**")),
            tuple(dict.fromkeys(base for base in bases if not base.startswith("'"))),
            tuple(dict.fromkeys(mark for mark in marks if mark != "doc")),
            within,
        )


def _is_api(
    source: Source, item: Item, within: str, private: set[str], marks: tuple[str, ...]
) -> bool:
    """Is it visible to others, as far as this file declares?"""
    if item.node.type == "macro_definition":
        return "macro_export" in marks
    if item.holder is not None and item.holder.type == "trait_item":
        return True
    return is_public(source, item.node) and within not in private


def _body(node: Node) -> Node | None:
    """The end of the signature."""
    if node.type in ("const_item", "static_item"):
        return child(node, "value")
    if node.type == "macro_definition":
        return next((n for n in node.children if n.type in ("{", "(", "[")), None)
    return child(node, "body")


def is_public(source: Source, node: Node) -> bool:
    """Is it `pub` for everyone?"""
    first = next((n for n in node.children if n.type == "visibility_modifier"), None)
    return first is not None and source.text(first) == "pub"


def type_of(source: Source, node: Node) -> str:
    """The name of the type that an `impl` is for."""
    text = source.part(node, "type")
    return text.lstrip("&").partition("<")[0].rpartition("::")[2].strip() or "_"


def attribute_name(source: Source, node: Node) -> str:
    """`derive` of `#[derive(Debug)]`; `cfg(test)` of what is compiled only for tests."""
    return "cfg(test)" if is_for_tests(source, node) else source.text(child(child(node)))


def for_tests(file: File) -> list[range]:
    """The lines of items that are compiled only for tests."""
    marked = (it for it in file.items if any(is_for_tests(file, on) for on in it.attributes))
    return [range(line_of(it.node), end_of(it.node) + 1) for it in marked]


def is_for_tests(source: Source, attribute: Node) -> bool:
    """Is it `#[cfg(test)]`?"""
    return "".join(source.text(attribute).split()) == "#[cfg(test)]"


def inner_doc(source: Source) -> str:
    """The text of `//!` at the top of the file."""
    parts = []
    for node in source.root.named_children:
        if "comment" not in node.type:
            if node.type in ("inner_attribute_item", "shebang"):
                continue
            break
        if any(sign.type == "inner_doc_comment_marker" for sign in node.children) or (
            child(node, "inner") is not None
        ):
            parts.append(source.part(node, "doc").rstrip("\n"))
    return "\n".join(part.removeprefix(" ") for part in parts)
