"""Values in Go that stand in for ones that nobody gives, as a user would write them."""

from __future__ import annotations

import re

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, inside, one_line

_PLAIN = frozenset({"int_literal", "float_literal", "true", "false"})
_DURATION = re.compile(
    r"(?:([\d.]+)\s*\*\s*)?time\.(Nano|Micro|Milli)?([Ss]econd|Minute|Hour)(?:\s*\*\s*([\d.]+))?"
)
_SIGNS = {"Nano": "n", "Micro": "u", "Milli": "m", None: ""}


def default(source: Source, node: Node) -> str | None:
    """A text, number, switch, time (`2m` of `2*time.Minute`) or list of these; None for what is
    none of them, or empty."""
    written = one_line(source.text(node))
    is_signed = node.type == "unary_expression" and node.named_children[0].type in _PLAIN
    if node.type in _PLAIN or is_signed:
        return written
    if time := _DURATION.fullmatch(written):
        return f"{time[1] or time[4] or 1}{_SIGNS[time[2]]}{time[3][0].lower()}"
    if node.type == "composite_literal" and source.part(node, "type").startswith("[]"):
        parts = [source.literal(it.named_children[0]) for it in inside(node, "body")]
        return ",".join(filter(None, parts)) if parts and None not in parts else None
    return one_line(source.literal(node) or "") or None
