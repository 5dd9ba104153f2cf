"""Literal values in JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.source import one_line

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.ecmascript.module import Module

_PLAIN = frozenset({"number", "true", "false", "null", "undefined"})


def literal_of(module: Module, node: Node | None) -> str | None:
    """A literal as it is written, without quotes; None for anything else."""
    if node is None:
        return None
    if node.type in _PLAIN:
        return module.text(node)
    text = module.literal(node)
    return None if text is None else one_line(text, 80)
