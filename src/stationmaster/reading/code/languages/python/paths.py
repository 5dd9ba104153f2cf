"""Addresses as Python code puts them together, with holes for what only runs or other files say;
what a loop goes through where it makes a route each time, and under which conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from tree_sitter import Node

from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import above, child, outward, within

_DEPTH_MAX = 12
_NODES_MAX = 20_000
"""Of a function or class whose variables are looked for."""
_ROWS_MAX = 200
"""Of what a loop goes through."""
_CONDITION_MAX = 100
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_LEFT = re.compile(r"return(?:\s+(?:None|\[\s*\]|\(\s*\)))?")
"""A function that gives nothing."""
_LISTS = frozenset({"list", "tuple", "set"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


def path_of(
    module: Module,
    node: Node | None,
    held: Mapping[str, Node] = MappingProxyType({}),
    depth: int = _DEPTH_MAX,
) -> str | None:
    """A text, joined from literals, constants of this file and what variables `held`; what stands
    elsewhere is a hole with its expression in braces. None for what is no text."""
    if node is None or not depth:
        return None
    if node.type == "string" and module.text(node)[:2].lower().strip("rb").startswith("f"):
        return _formatted(module, node, held, depth)
    known = held.get(module.text(node)) if node.type == "identifier" else None
    value = module.value(node) if known is None else None
    if value is not None:
        return value
    known = known or uncast(module, _local(module, node))
    if known is None and node.type == "identifier":
        known = module.constant(node)
    if known is not None and (text := path_of(module, known, held, depth - 1)) is not None:
        return text
    if node.type in ("identifier", "attribute"):
        return filled(module, node)
    if node.type == "call":
        return _called(module, node, held, depth)
    sides: list[Node] = []
    if node.type == "binary_operator" and module.part(node, "operator") == "+":
        sides = [side for side in (child(node, "left"), child(node, "right")) if side is not None]
    elif node.type == "concatenated_string":
        sides = node.named_children
    texts = [path_of(module, side, held, depth - 1) for side in sides]
    return "".join(text or "" for text in texts) if texts and None not in texts else None


def filled(module: Module, node: Node | None, text: str | None = None) -> str:
    """The text of a part of an address. Without one a hole with the name that stands for it, or
    with `…` for any other expression: nobody would send that."""
    if text is None and node is not None:
        is_name = _NAME.fullmatch(module.text(node)) is not None
        return f"{{{module.line(node, 60)}}}" if is_name else "{$…}"
    return text or ""


def _called(module: Module, node: Node, held: Mapping[str, Node], depth: int) -> str | None:
    """What a text's own `format` or `join` makes of it."""
    function = child(node, "function")
    on, _, method = module.text(function).rpartition(".")
    text = module.literal(child(function, "object")) if on and function is not None else None
    given = module.given(node).at
    if text is None or method not in ("format", "join"):
        return None
    if method == "join":
        table = module.constant(given[0]) or given[0] if given else None
        texts = module.values(table)
        is_whole = table is not None and len(texts) == len(table.named_children)
        return text.join(texts) if texts and is_whole else None
    for part in given:
        text = text.replace("{}", filled(module, part, path_of(module, part, held, depth - 1)), 1)
    return text


def _formatted(module: Module, node: Node, held: Mapping[str, Node], depth: int) -> str | None:
    parts = []
    for named_child in node.named_children:
        if named_child.type == "interpolation":
            inner = named_child.named_children[0] if named_child.named_children else None
            parts.append(filled(module, inner, path_of(module, inner, held, depth - 1)))
        elif named_child.type == "string_content":
            parts.append(module.text(named_child).replace("{{", "{").replace("}}", "}"))
    return "".join(parts)


def rows(module: Module, call: Node) -> Iterator[Mapping[str, Node]]:
    """What the variables of the loop around a call hold, for each time that it goes around; once
    nothing where there is no loop, or it is not known what it goes through."""
    loop = above(call, "for_statement")
    over = child(loop, "right") if loop is not None else None
    left = child(loop, "left") if loop is not None else None
    function = above(call, "function_definition")
    is_within = function is not None and loop is not None and function.start_byte > loop.start_byte
    if over is None or left is None or is_within:
        yield {}
        return
    if over.type == "call" and module.part(over, "function").endswith(".items"):
        over = (child(over, "function") or over).child_by_field_name("object")
    if over is not None and over.type in ("identifier", "attribute"):
        over = _local(module, over) or module.constant(over)
    is_known = over is not None and over.type in (*_LISTS, "dictionary")
    found = [_bound(module, left, item) for item in (over.named_children if over else ())]
    full = [row for row in found if row]
    yield from full[:_ROWS_MAX] if is_known and full else [{}]


def _bound(module: Module, left: Node, item: Node) -> dict[str, Node]:
    """The names of a pattern with what each stands for."""
    if item.type == "pair":
        key, value = child(item, "key"), child(item, "value")
        parts = [key, value] if key is not None and value is not None else []
    else:
        parts = item.named_children if item.type in _LISTS else [item]
    if left.type not in _PATTERNS:
        first = parts[:1] if item.type == "pair" else [item]
        return {module.text(left): node for node in first if node.type != "comment"}
    names = left.named_children
    if len(names) != len(parts):
        return {}
    found: dict[str, Node] = {}
    for name, part in zip(names, parts, strict=True):
        inner = _bound(module, name, part) if name.type in _PATTERNS else {module.text(name): part}
        found |= inner
    return found


def asked(module: Module, node: Node, *, is_of_module: bool = False) -> str:
    """The conditions in its function under which something is done, as written, or those of the
    module outside all functions."""
    conditions: list[str] = []
    for around, inner in outward(node, "function_definition"):
        if around.type in ("if_statement", "elif_clause"):
            condition = child(around, "condition")
            is_then = inner == child(around, "consequence")
            if condition is not None and inner != condition:
                conditions.append(_condition(module, condition, is_met=is_then))
        elif around.type == "block":
            conditions += reversed([*_left_before(module, around, inner)])
    is_read = is_of_module or above(node, "function_definition") is not None
    return " and ".join(conditions[::-1]) if is_read else ""


def _left_before(module: Module, block: Node, statement: Node) -> Iterator[str]:
    """The conditions under which a function has not returned nothing before a statement."""
    for before in block.named_children:
        if before.start_byte >= statement.start_byte:
            return
        condition = child(before, "condition") if before.type == "if_statement" else None
        then = module.part(before, "consequence")
        if condition is not None and _LEFT.fullmatch(then) and not child(before, "alternative"):
            yield _condition(module, condition, is_met=False)


def _condition(module: Module, node: Node, *, is_met: bool) -> str:
    """A condition and whether it must be met, by what its only variable stands for."""
    inner = child(node, "argument") if node.type == "not_operator" else None
    name = inner or node
    value = uncast(module, _local(module, name)) if name.type == "identifier" else None
    if inner is not None and (value is not None or not is_met):
        node, is_met = value or inner, not is_met
    return f"{'if' if is_met else 'unless'} {module.line(value or node, _CONDITION_MAX)}"


def uncast(module: Module, node: Node | None) -> Node | None:
    """What stands in `cast(str, value)`, which only type checkers see, or the value itself."""
    if node is None or node.type != "call":
        return node
    is_cast = module.origin(child(node, "function")) == "typing.cast"
    return module.given(node).get(1, "val") if is_cast else node


def _local(module: Module, node: Node) -> Node | None:
    """What a variable of the function around is given once, or a member of the object first."""
    if node.type == "identifier":
        function = above(node, "function_definition")
        given = _assigned(module, function).get(module.text(node), ()) if function else ()
        return given[0] if len(given) == 1 else None
    holder, _, name = module.text(node).partition(".")
    around = above(node, "class_definition") if holder == "self" and "." not in name else None
    if around is None:
        return None
    assigned = _assigned(module, around)
    given = [*assigned.get(name, ()), *assigned.get(f"self.{name}", ())]
    is_optional = bool(given) and module.literal(given[0]) == ""
    return given[0] if len(given) == 1 or is_optional else None


def _assigned(module: Module, scope: Node) -> Mapping[str, list[Node]]:
    """What names and members are assigned in a function, or a class with its methods."""
    if scope.start_byte not in module.assigned:
        found: dict[str, list[Node]] = {}
        is_class = scope.type == "class_definition"
        for node in islice(within(scope), _NODES_MAX):
            value = child(node, "right") if node.type == "assignment" else None
            name = module.part(node, "left") if value is not None else ""
            is_own = "." in name or above(node, "function_definition") is None
            if value is not None and (is_own or not is_class):
                found.setdefault(name, []).append(value)
        module.assigned[scope.start_byte] = found
    return module.assigned[scope.start_byte]
