"""Tables that Laravel's migrations make and change, but not what undoes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import plural, snake
from stationmaster.reading.code.languages.php.web import chained
from stationmaster.reading.code.languages.source import (
    Arguments,
    Source,
    above,
    child,
    end_of,
    inside,
    outward,
)
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.stored import AS_IS, UNREFERENCED, Column, Entity, EntityKind

ROUNDS_MAX = 400
_HOLDERS = frozenset({"self", "static", "$this"})
Held = Mapping[str, "Node | str"]
"""Texts and arrays by the names of variables."""

FRAMEWORK = "Laravel"
_TYPES = code.names("php.entities.columns")
_KEYS = code.names("php.entities.keys")
_IMPLIED = code.table("php.entities.implied", dict[str, tuple[str, ...]])
_DROPPED = code.table("php.entities.dropped", dict[str, tuple[str, ...]])
_MADE = ("create", "table")
_GONE = ("drop", "dropIfExists")
_MARKS = frozenset({"primary", "unique", "foreign"})
_ENDINGS = ("_type", "_id")
"""Of the two columns of a relation to several tables."""
_OF_SQLITE = re.compile(r"(===?|!==?)\s*['\"]sqlite['\"]")
CALLS = frozenset(
    {*_TYPES, *_DROPPED, *_MADE, *_GONE, *_MARKS, "rename", "renameColumn", "dropMorphs"}
    | {"dropForeign"}
)


def migrated(unit: Unit) -> Iterator[Entity]:
    """The entities of `Schema::create("orders", function (Blueprint $table) { … })` and others."""
    if not _is_laravel(unit):
        return
    for call in unit.called:
        if call.on != "Schema" or _is_backward(unit, call) or _is_of_sqlite(unit, call):
            continue
        for values in rounds(unit, call.node):
            if name := _text(unit, call, 0, values):
                yield from _change(unit, call, name, values)


def _change(unit: Unit, call: Called, name: str, values: Held) -> Iterator[Entity]:
    """The changes of one call to a table, in one iteration of the loops around it."""
    line, end = call.line, end_of(call.node)
    if call.name in _GONE:
        yield Entity(name, "change", line, end, framework=FRAMEWORK)
    elif call.name == "rename":
        yield Entity(name, "change", line, end, (), call.value(1), FRAMEWORK)
    elif call.name in _MADE:
        is_new = call.name == "create"
        columns = _columns(unit, _statements(unit, call), is_new, values)
        if columns or is_new:
            kind: EntityKind = "table" if is_new else "change"
            yield Entity(name, kind, line, end, columns, "", FRAMEWORK)
        yield from () if is_new else _whole(unit, call, name)


def _text(unit: Unit, call: Called, at: int, values: Held) -> str:
    return call.value(at) or text_of(unit, call.given.get(at), values)


def _is_laravel(unit: Unit) -> bool:
    if unit.package or unit.proof.knows("Schema"):
        return unit.proof.of("Schema", ("Illuminate\\Support\\Facades",))
    # Without a namespace, `Schema` is Laravel's global alias.
    return unit.proof.any_of(("Illuminate\\Database", "Illuminate\\Support\\Facades"))


def _is_backward(unit: Unit, call: Called) -> bool:
    """Is it in the half of a migration that reverts the other?"""
    return unit.part(above(call.node, "method_declaration"), "name") == "down"


def _is_of_sqlite(unit: Unit, call: Called) -> bool:
    """Is it only for SQLite, in a migration that does something else for other databases?"""
    condition = above(call.node, "if_statement")
    while condition is not None:
        other = child(condition, "alternative")
        match = _OF_SQLITE.search(unit.part(condition, "condition"))
        if match and other is not None:
            is_other = other.start_byte <= call.node.start_byte < other.end_byte
            return is_other is match[1].startswith("!")
        condition = above(condition, "if_statement")
    return False


def _statements(unit: Unit, call: Called) -> list[Called]:
    """The calls on the table in a closure, by place."""
    start, end = call.node.start_byte, call.node.end_byte
    statements = []
    for it in unit.called:
        holder = child(it.node, "object")
        is_on_table = holder is not None and holder.type == "variable_name"
        if is_on_table and start < it.node.start_byte < end:
            statements.append(it)
    return sorted(statements, key=lambda it: it.node.start_byte)


def _whole(unit: Unit, call: Called, name: str) -> Iterator[Entity]:
    """`$table->rename("new")` and `$table->drop()` within a change."""
    for statement in _statements(unit, call):
        if statement.name in _GONE:
            yield Entity(name, "change", statement.line, statement.line, framework=FRAMEWORK)
        elif statement.name == "rename" and (new := statement.value(0)):
            yield Entity(name, "change", statement.line, statement.line, (), new, FRAMEWORK)


def _columns(
    unit: Unit, statements: list[Called], is_new: bool, values: Held
) -> tuple[Column, ...]:
    columns: list[Column] = []
    for call in statements:
        for inner in rounds(unit, call.node):
            if values.items() <= inner.items():
                columns += _changed(unit, call, inner)
    return tuple(_joined(columns)) if is_new else tuple(columns)


def _changed(unit: Unit, call: Called, values: Held) -> Iterator[Column]:
    if call.name in _TYPES:
        yield from _added(unit, call, values)
    elif call.name in _DROPPED or call.name == "dropMorphs":
        yield from (Column(name) for name in _removed(unit, call, values))
    elif call.name == "renameColumn":
        yield Column(_text(unit, call, 0, values), references=_text(unit, call, 1, values))
    elif call.name in _MARKS:
        yield from _marked(unit, call)
    elif call.name == "dropForeign":
        names = unit.texts(call.given.get(0)) or [_text(unit, call, 0, values)]
        if len(names) == 1 and names[0]:  # Several are one key, which no column has alone.
            yield Column(names[0], AS_IS, references=UNREFERENCED)


def _joined(columns: list[Column]) -> Iterator[Column]:
    """The columns of a new table, with the properties of later statements."""
    by_name: dict[str, Column] = {}
    for column in columns:
        before = by_name.get(column.name)
        if column.type != AS_IS:
            by_name[column.name] = column
        elif before is not None:
            by_name[column.name] = before.marked(column)
    yield from by_name.values()


def _added(unit: Unit, call: Called, values: Held) -> Iterator[Column]:
    name, model = _text(unit, call, 0, values), ""
    if "orphs" in call.name:
        names = tuple(f"{name}{ending}" for ending in _ENDINGS) if name else ()
    elif call.name == "foreignIdFor":
        model = unit.text(call.given.get(0)).removesuffix("::class")
        model = snake(model.rpartition("\\")[2])
        names = (call.value(1) or f"{model}_id",)
    else:
        names = (name,) if name else _IMPLIED.get(call.name, ())
    behind = dict(chained(unit, call.node))
    target = _target(unit, behind)
    if not target and "constrained" in behind:
        targets = unit.texts(behind["constrained"].get(0))
        made = plural(model or names[0].removesuffix("_id")) if names else ""
        target = next(iter(targets), "") or made
    is_key = call.name in _KEYS or "primary" in behind
    for it in names:
        yield Column(it, call.name, is_key, "unique" in behind, target, call.line)


def _target(unit: Unit, behind: dict[str, Arguments]) -> str:
    """`->references("id")->on("albums")`"""
    table = next(iter(unit.texts(behind["on"].get(0))), "") if "on" in behind else ""
    target = behind["references"].get(0) if "references" in behind else None
    column = next(iter(unit.texts(target)), "")
    return f"{table}.{column}" if table and column else table


def _marked(unit: Unit, call: Called) -> Iterator[Column]:
    """The properties of a column in `$table->foreign("album_id")->references("id")->on("albums")`,
    and in `primary` and `unique`."""
    names = unit.texts(call.given.get(0))
    target = _target(unit, dict(chained(unit, call.node))) if call.name == "foreign" else ""
    is_one = len(names) == 1
    if target or call.name != "foreign":
        for name in names if is_one or call.name == "primary" else ():
            is_unique = call.name == "unique"
            yield Column(name, AS_IS, call.name == "primary", is_unique, target, call.line)


def _removed(unit: Unit, call: Called, values: Held) -> tuple[str, ...]:
    names = [text for node in call.given.at for text in unit.texts(node)]
    names = names or [*filter(None, [_text(unit, call, 0, values)])]
    if call.name == "dropMorphs":
        return tuple(f"{names[0]}{ending}" for ending in _ENDINGS) if names else ()
    return tuple(names) or _DROPPED[call.name]


def rounds(source: Source, node: Node) -> list[Held]:
    """What the variables of the loops around a node hold, one time for each round. A loop through
    something that is not written down is one round in which they hold nothing."""
    loops = [around for around, _ in outward(node) if around.type == "foreach_statement"]
    values: list[Held] = [{}]
    for loop in reversed(loops):
        values = [after for before in values for after in _round(source, loop, before)][:ROUNDS_MAX]
    return values


def text_of(source: Source, node: Node | None, values: Held) -> str:
    """The text that an expression is in one round; '' for any other."""
    value = _value(source, node, values) if node is not None else None
    return value if isinstance(value, str) else ""


def _round(source: Source, loop: Node, values: Held) -> Iterator[Held]:
    through, names = loop.named_children[:2]
    array = _value(source, through, values)
    if not isinstance(array, Node):
        yield values
        return
    variables = names.named_children if names.type == "pair" else [names]
    for item in array.named_children:
        bound = dict(values)
        for variable, it in zip(reversed(variables), reversed(item.named_children), strict=False):
            if (value := _value(source, it, values)) is not None:
                bound[source.text(variable)] = value
        if item.type == "array_element_initializer":
            yield bound


def _value(source: Source, node: Node, values: Held) -> Node | str | None:
    """A text or an array."""
    if node.type == "array_creation_expression":
        return node
    if node.type == "variable_name":
        name = source.text(node)
        right = None if name in values else _assigned(source, node, name)
        return _value(source, right, values) if right is not None else values.get(name)
    if node.type in ("member_access_expression", "class_constant_access_expression"):
        holder, name = source.text(node.named_children[0]), source.text(node.named_children[-1])
        declared = _declared(source, node, name) if holder in _HOLDERS else None
        return _value(source, declared, values) if declared is not None else None
    if node.type == "function_call_expression":
        arguments = [argument.named_children[0] for argument in inside(node, "arguments")]
        form = source.literal(arguments[0]) if len(arguments) == 2 else None
        if source.part(node, "function") == "sprintf" and form and form.count("%") == 1:
            words = text_of(source, arguments[1], values)
            return form.replace("%s", words) if words and "%s" in form else None
    return source.literal(node)


def _assigned(source: Source, node: Node, name: str) -> Node | None:
    """The right side of the nearest assignment to a variable before a node."""
    block = above(node, "compound_statement")
    while block is not None:
        for statement in reversed(block.named_children):
            made = statement.named_children[0] if statement.named_children else statement
            is_made = made.type == "assignment_expression" and source.part(made, "left") == name
            if is_made and statement.end_byte <= node.start_byte:
                return child(made, "right")
        block = above(block, "compound_statement")
    return None


def _declared(source: Source, node: Node, name: str) -> Node | None:
    """The value of a property or constant in its class."""
    for member in getattr(above(node, "declaration_list"), "named_children", ()):
        for inner in member.named_children:
            is_element = inner.type in ("property_element", "const_element")
            if is_element and source.text(inner.named_children[0]).lstrip("$") == name:
                return inner.named_children[-1] if len(inner.named_children) > 1 else None
    return None
