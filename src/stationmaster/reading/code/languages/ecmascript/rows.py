"""What a loop over a list of objects goes through, as expressions in it hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.source import above, child, inside

_ROWS_MAX = 200


def rows(module: Module, node: Node) -> Iterator[Mapping[str, Node]]:
    """By expressions in the loop around a node, what they hold each time: `it.path` where the loop
    calls an object so, `path` where it takes objects apart."""
    loop = above(node, "arrow_function", "function_expression", "for_in_statement")
    if loop is None:
        return
    items, item = child(loop, "right"), child(loop, "left")
    if items is None:
        function = child(above(loop, "call_expression"), "function")
        is_each = module.part(function, "property") in ("forEach", "map")
        items = child(function, "object") if function is not None and is_each else None
        first = next(iter(inside(loop, "parameters")), None) or child(loop, "parameter")
        item = (child(first, "pattern") or first) if first is not None else None
    listed = module.values_of.get(module.text(items), items)
    if item is None or listed is None or listed.type != "array":
        return
    taken = {module.text(it) for it in item.named_children if "shorthand" in it.type}
    for members in map(module.members, islice(listed.named_children, _ROWS_MAX)):
        if item.type == "object_pattern":
            yield {name: value for name, value in members.items() if name in taken}
        else:
            yield {f"{module.text(item)}.{name}": value for name, value in members.items()}
