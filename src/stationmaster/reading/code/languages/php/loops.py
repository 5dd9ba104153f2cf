"""What variables hold in loops over arrays that a file of PHP writes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, above, inside, literal

ROUNDS_MAX = 400
_HOLDERS = frozenset({"self", "static", "$this"})
Held = Mapping[str, "Node | str"]
"""Texts and arrays by the names of variables."""


def rounds(source: Source, node: Node) -> list[Held]:
    """What the variables of the loops around a node hold, one time for each round. A loop through
    something that is not written down is one round in which they hold nothing."""
    loops = []
    loop = above(node, "foreach_statement")
    while loop is not None:
        loops.append(loop)
        loop = above(loop, "foreach_statement")
    held: list[Held] = [{}]
    for loop in reversed(loops):
        held = [after for before in held for after in _round(source, loop, before)][:ROUNDS_MAX]
    return held


def text_of(source: Source, node: Node | None, held: Held) -> str:
    """The text that an expression is in one round; '' for any other."""
    value = _value(source, node, held) if node is not None else None
    return value if isinstance(value, str) else ""


def _round(source: Source, loop: Node, held: Held) -> Iterator[Held]:
    through, names = loop.named_children[:2]
    array = _value(source, through, held)
    if not isinstance(array, Node):
        yield held
        return
    variables = names.named_children if names.type == "pair" else [names]
    for item in array.named_children:
        bound = dict(held)
        for variable, each in zip(reversed(variables), reversed(item.named_children), strict=False):
            if (value := _value(source, each, held)) is not None:
                bound[source.text(variable)] = value
        if item.type == "array_element_initializer":
            yield bound


def _value(source: Source, node: Node, held: Held) -> Node | str | None:
    """A text or an array."""
    if node.type == "array_creation_expression":
        return node
    if node.type == "variable_name":
        name = source.text(node)
        right = None if name in held else _assigned(source, node, name)
        return _value(source, right, held) if right is not None else held.get(name)
    if node.type in ("member_access_expression", "class_constant_access_expression"):
        holder, name = source.text(node.named_children[0]), source.text(node.named_children[-1])
        declared = _declared(source, node, name) if holder in _HOLDERS else None
        return _value(source, declared, held) if declared is not None else None
    if node.type == "function_call_expression":
        arguments = [each.named_children[0] for each in inside(node, "arguments")]
        form = literal(source, arguments[0]) if len(arguments) == 2 else None
        if source.part(node, "function") == "sprintf" and form and form.count("%") == 1:
            words = text_of(source, arguments[1], held)
            return form.replace("%s", words) if words and "%s" in form else None
    return literal(source, node)


def _assigned(source: Source, node: Node, name: str) -> Node | None:
    """The right side of the nearest statement before a node that gives a variable its value."""
    block = above(node, "compound_statement")
    while block is not None:
        for statement in reversed(block.named_children):
            made = statement.named_children[0] if statement.named_children else statement
            is_made = made.type == "assignment_expression" and source.part(made, "left") == name
            if is_made and statement.end_byte <= node.start_byte:
                return made.child_by_field_name("right")
        block = above(block, "compound_statement")
    return None


def _declared(source: Source, node: Node, name: str) -> Node | None:
    """The value that a class gives to a property or constant."""
    for member in getattr(above(node, "declaration_list"), "named_children", ()):
        for each in member.named_children:
            is_element = each.type in ("property_element", "const_element")
            if is_element and source.text(each.named_children[0]).lstrip("$") == name:
                return each.named_children[-1] if len(each.named_children) > 1 else None
    return None
