"""Tables that migrations of Rails make and change, but not what undoes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import plural
from stationmaster.reading.code.languages.source import child, end_of, is_in, line_of
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.stored import AS_IS, OF_HASHES, RAILS, Column, Entity

_TYPES = code.names("ruby.migrations.types")
_REFERENCES = frozenset({"references", "belongs_to", "add_reference", "add_belongs_to"})
_UNREFERENCES = frozenset({
    "remove_references", "remove_belongs_to", "remove_reference",
})  # fmt: skip
_CHANGING = ("change_column", "change")
_TIMES = ("created_at", "updated_at")
_BACK = frozenset({"down", "revert"})
_BASE = re.compile(r"(?:::)?ActiveRecord::Migration(?:\[(\d+)\.(\d+)\])?")
_BIG = (5, 1)
"""The first version of Rails whose keys are of the type `bigint`."""
_TYPED = re.compile(r"([A-Za-z]\w{1,30}(?: ?\([\d, ]{1,20}\))?)(?: |$)")
"""What a column of SQL begins with behind its name."""
_QUOTES = "\"':"
_AROUND = re.compile(r"change_table|reversible|up|transaction|safety_assured|say_with_time")
"""What blocks are given to in which changes run in every database."""
_CONDITIONS = frozenset({"if", "unless", "if_modifier", "unless_modifier", "case", "when"})


def migrated(unit: Unit) -> Iterator[Entity]:
    """The entities of `create_table :orders do |t| … end`, `add_column :orders, :sum, :integer` and
    others, in the order of the file."""
    bases = (_BASE.fullmatch(base) for it in unit.symbols for base in it.bases)
    base = next(filter(None, bases), None)
    if base is None:
        return
    version = (int(base[1]), int(base[2])) if base[1] else (0, 0)
    for call in unit.every:
        name = call.value(0) if not call.on else ""
        if name and not _is_backward(call):
            yield from _change(call, name, "bigint" if version >= _BIG else "integer")


def made(unit: Unit) -> Iterator[Entity]:
    """The tables that a method of the project's own makes of a hash: `db.create_table(:orders,
    columns: { id: "int(11) NOT NULL" })`."""
    for call in unit.every:
        name = call.value(0) if call.on and call.name == "create_table" else ""
        listed = unit.pairs(call.given.get("columns")) if name else {}
        columns = tuple(
            Column(key.strip(_QUOTES), type_[1], line=line_of(node))
            for key, node in listed.items()
            if (type_ := _TYPED.match(unit.value(node) or ""))
        )
        if columns:
            yield Entity(name, "table", call.line, end_of(call.node), columns, framework=OF_HASHES)


def _is_backward(call: Called) -> bool:
    """Is a change what undoes another?"""
    if call.caller.rpartition(".")[2] in _BACK:
        return True
    node = call.node.parent
    while node is not None:
        if node.type == "call" and call.unit.part(node, "method") in _BACK:
            return True
        node = node.parent
    return False


def _change(call: Called, name: str, key: str) -> Iterator[Entity]:
    """What a call does to the table that it names; `key` is the type of keys by default."""
    place = call.line, end_of(call.node)
    match call.name:
        case "create_table":
            columns: dict[str, Column] = {}
            for it in (*_keys(call, key), *_in_block(call, key)):
                before = columns.get(it.name)
                if it.type != AS_IS and it.type:
                    columns[it.name] = it
                elif before and it.type:
                    columns[it.name] = before.marked(it)
            yield Entity(name, "table", *place, tuple(columns.values()), framework=RAILS)
        case "create_join_table":
            names = [name, call.value(1)]
            columns_of = tuple(
                Column(f"{it.removesuffix('s')}_id", key, line=call.line) for it in names
            )
            joint = call.value("table_name", ":table_name") or "_".join(sorted(names))
            yield Entity(joint, "table", *place, columns_of, framework=RAILS)
        case "drop_table":
            yield Entity(name, "change", *place, framework=RAILS)
        case "rename_table":
            yield Entity(name, "change", *place, (), call.value(1), RAILS)
        case "change_table":
            if made := tuple(_in_block(call, key)):
                yield Entity(name, "change", *place, made, framework=RAILS)
        case _:
            if made := tuple(_columns(call, call.name, 1, key)):
                yield Entity(name, "change", *place, made, framework=RAILS)


def _keys(call: Called, key: str) -> Iterator[Column]:
    """The key that Rails makes by default, or the declared one."""
    stated = call.given.get("id", ":id")
    named = call.given.get("primary_key", ":primary_key")
    if call.unit.text(stated) != "false" and not (named and named.type == "array"):
        type_ = call.unit.literal(stated) if stated and stated.type == "simple_symbol" else key
        name = call.unit.literal(named) if named else "id"
        yield Column(name or "id", type_ or key, is_key=True, line=call.line)


def _in_block(call: Called, key: str) -> Iterator[Column]:
    """The columns of the calls on what the block of a table is given."""
    block = child(call.node, "block")
    given = call.unit.part(block, "parameters").strip("|( )")
    for it in call.unit.every if given.isidentifier() else ():
        if block is not None and it.on == given and is_in(it.node, block):
            yield from _columns(it, it.name, 0, key)


def _columns(call: Called, name: str, at: int, key: str) -> Iterator[Column]:
    """What a call says of columns, the first of which is its argument `at`."""
    line, first, second = call.line, call.value(at), call.value(at + 1)
    names = [text for node in call.given.at[at:] for text in call.unit.texts(node)]
    if name in _REFERENCES:
        yield from (it for text in names for it in _reference(call, text, key))
    elif name in _UNREFERENCES:
        yield from (Column(f"{text}_id", line=line) for text in names)
    elif name in ("timestamps", "add_timestamps"):
        yield from (Column(it, "datetime", line=line) for it in _TIMES)
    elif name in ("remove_timestamps", "remove_columns", "remove"):
        yield from (Column(it, line=line) for it in names or _TIMES)
    elif name == "remove_column" and first:
        yield Column(first, line=line)
    elif name in ("rename_column", "rename") and second:
        yield Column(first, references=second, line=line)
    elif name in ("add_column", "column", *_CHANGING) and second:
        if name not in _CHANGING or not _is_conditional(call.node):
            yield _typed(call, first, second)
    elif name in ("add_index", "index") and first and len(names) == 1 and _is(call, "unique"):
        yield Column(first, AS_IS, is_unique=not call.given.get("where"), line=line)
    elif name == "add_foreign_key" and first:
        column = call.value("column", ":column") or f"{first.removesuffix('s')}_id"
        yield Column(column, AS_IS, references=first, line=line)
    elif at == 0 and name in _TYPES:
        yield from (_typed(call, text, name) for text in names)


def _typed(call: Called, name: str, type_: str) -> Column:
    limit = call.unit.text(call.given.get("limit", ":limit"))
    return Column(name, f"{type_}({limit})" if limit.isdigit() else type_, line=call.line)


def _reference(call: Called, name: str, key: str) -> Iterator[Column]:
    is_open = call.given.get("polymorphic", ":polymorphic") is not None
    refers = "" if is_open or not _is(call, "foreign_key") else plural(name)
    type_ = call.value("type", ":type") or key
    yield Column(f"{name}_id", type_, references=refers, line=call.line)
    if is_open:
        yield Column(f"{name}_type", "string", line=call.line)


def _is(call: Called, option: str) -> bool:
    return call.unit.text(call.given.get(option, f":{option}")) not in ("", "false")


def _called(node: Node) -> str:
    name = child(node, "method")
    return (name.text or b"").decode() if name else ""


def _is_conditional(node: Node) -> bool:
    """May a call not run, as one that only one of several databases has?"""
    around = node.parent
    while around is not None and around.type not in ("method", "singleton_method"):
        is_block = around.type == "call" and child(around, "block") is not None
        if around.type in _CONDITIONS or (is_block and not _AROUND.fullmatch(_called(around))):
            return True
        around = around.parent
    return False
