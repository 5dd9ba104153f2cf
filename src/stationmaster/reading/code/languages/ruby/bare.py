"""Calls of Ruby that are only a name: `stop`, where no variable is called so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.source import child
from stationmaster.reading.code.languages.unit import Called, Unit

_BINDING = frozenset({
    "alternative_pattern", "array_pattern", "as_pattern", "block_parameter", "block_parameters",
    "destructured_left_assignment", "destructured_parameter", "exception_variable", "find_pattern",
    "hash_pattern", "hash_splat_parameter", "keyword_pattern", "lambda_parameters",
    "left_assignment_list", "method_parameters", "rest_assignment", "splat_parameter",
})  # fmt: skip
"""What names variables."""
_BINDING_AT = {
    "assignment": "left", "for": "pattern", "in_clause": "pattern", "keyword_parameter": "name",
    "operator_assignment": "left", "optional_parameter": "name",
}  # fmt: skip
"""What names one in a field."""
_NAMING = frozenset({"alias", "method", "setter", "singleton_method", "undef"})
_NEVER = frozenset({"__FILE__", "__LINE__", "__method__", "private", "protected", "public"})


def bare_calls(unit: Unit) -> Iterator[Called]:
    """The names that stand alone in a function or class, without those that are a variable or a
    parameter anywhere in it."""
    variables: dict[str, set[str]] = defaultdict(set)
    words: list[Called] = []
    for node in unit.nodes["word"]:
        around = node.parent
        if around is None or _is_name(node, around):
            continue
        call = Called(unit, unit.text(node), node)
        if around.type in _BINDING or child(around, _BINDING_AT.get(around.type, "")) == node:
            variables[call.caller].add(call.name)
        elif call.name not in _NEVER:
            words.append(call)
    for node in unit.nodes["key"]:
        variables[unit.scopes.at(node.start_byte)].add(unit.text(node))
    yield from (it for it in words if it.name not in variables[it.caller])


def _is_name(node: Node, around: Node) -> bool:
    """Is it the name of what is declared or called with arguments?"""
    is_of_method = around.type in _NAMING and child(around, "body") != node
    return is_of_method or (around.type == "call" and child(around, "method") == node)
