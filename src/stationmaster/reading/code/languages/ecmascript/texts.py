"""Texts of JavaScript that are put together from constants, also from those of other files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.source import child

_PLAIN = re.compile(r"[\w./:@ -]{1,100}")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,3}")


def exported(module: Module) -> Iterator[tuple[str, str]]:
    """The texts of exported constants and of the members of exported enums and objects, by dotted
    names."""
    for definition in module.definitions:
        if definition.body is None or definition.name not in module.exports.local:
            continue
        for name, value in _values(module, definition.kind, definition.body):
            text = module.literal(value)
            if text is not None and _PLAIN.fullmatch(text):
                yield f"{definition.name}{name}", text


def _values(module: Module, kind: str, body: Node) -> Iterator[tuple[str, Node | None]]:
    """The values of a declaration, each with what stands behind its name to mean it."""
    if kind == "enum":
        for member in body.named_children:
            name = child(member, "name")
            key = module.literal(name) or module.text(name)
            yield f".{key}", child(member, "value")
    elif kind in ("constant", "variable"):
        yield "", body
        for key, value in module.members(_bare(body)).items():
            yield f".{key}", value


def text_of(module: Module, node: Node | None) -> str | None:
    """What an expression says; names that other files may know stand in braces. None for any other
    expression."""
    text = module.value(node)
    if text is not None or node is None:
        return text
    if node.type in ("identifier", "member_expression"):
        name = module.text(node)
        return f"{{{name}}}" if _NAME.fullmatch(name) else None
    if node.type == "template_string":
        parts = [_part(module, part) for part in node.named_children]
        return None if None in parts else "".join(part or "" for part in parts)
    return None


def _part(module: Module, node: Node) -> str | None:
    if node.type == "template_substitution":
        inside = node.named_children
        return text_of(module, inside[0]) if len(inside) == 1 else None
    return module.text(node)


def _bare(node: Node) -> Node:
    """An object without the words `as const` behind it."""
    if node.type in ("as_expression", "satisfies_expression") and node.named_children:
        return _bare(node.named_children[0])
    return node
