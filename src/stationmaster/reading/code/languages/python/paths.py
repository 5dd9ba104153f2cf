"""Addresses as Python code puts them together, with holes for what only runs or other files say."""

from __future__ import annotations

from tree_sitter import Node

from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child

_DEPTH_MAX = 6


def path_of(module: Module, node: Node | None, depth: int = _DEPTH_MAX) -> str | None:
    """A text, joined from literals and constants of this file; what stands elsewhere is a hole with
    its expression in braces. None for what is no text."""
    if node is None or not depth:
        return None
    if node.type == "string" and module.text(node)[:2].lower().strip("rb").startswith("f"):
        return _formatted(module, node, depth)
    value = module.value(node)
    if value is not None:
        return value
    if node.type == "identifier" and (known := module.constant(node)) is not None:
        return path_of(module, known, depth - 1)
    if node.type in ("identifier", "attribute"):
        return f"{{{module.line(node, 60)}}}"
    if node.type == "call":  # A text's own `format`.
        function = child(node, "function")
        is_format = module.text(function).endswith(".format")
        return module.literal(child(function, "object")) if is_format and function else None
    if node.type == "binary_operator" and module.part(node, "operator") == "+":
        sides = [path_of(module, child(node, side), depth - 1) for side in ("left", "right")]
        return None if None in sides else "".join(each or "" for each in sides)
    return None


def _formatted(module: Module, node: Node, depth: int) -> str | None:
    parts = []
    for named_child in node.named_children:
        if named_child.type == "interpolation":
            inner = named_child.named_children[0] if named_child.named_children else None
            text = path_of(module, inner, depth - 1)
            parts.append(text if text is not None else f"{{{module.line(inner, 60)}}}")
        elif named_child.type == "string_content":
            parts.append(module.text(named_child).replace("{{", "{").replace("}}", "}"))
    return "".join(parts)
