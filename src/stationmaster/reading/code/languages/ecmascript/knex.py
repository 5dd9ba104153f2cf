"""Tables that Knex and Kysely make and change, in migrations and in what they call."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator

import msgspec
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript.module import CHAIN_MAX, Module, line_of_method
from stationmaster.reading.code.languages.ecmascript.symbols import FUNCTIONS
from stationmaster.reading.code.languages.ecmascript.texts import text_of
from stationmaster.reading.code.languages.source import child, end_of, line_of, outward
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.stored import AS_IS, Column, Entity

KNEX, KYSELY = "Knex", "Kysely"
_PACKAGE = "kysely"
_TYPES = code.names("ecmascript.knex.types")
_COUNTED = code.names("ecmascript.knex.counted")
"""Types of keys that count up, of columns called `id` unless they say otherwise."""
_MAKERS = frozenset({"createTable", "createTableIfNotExists"})
_CHANGERS = frozenset({"alterTable", "table"})
_DROPPERS = frozenset({"dropTable", "dropTableIfExists"})
_TYPED = frozenset({"addColumn", "modifyColumn", "alterColumn"})
"""Calls of Kysely, which are given a type and a function that goes on with what they make."""
_CONSTRAINTS = frozenset(
    {"addForeignKeyConstraint", "addPrimaryKeyConstraint", "addUniqueConstraint"}
)
_KEYS = frozenset({"primary", "primaryKey"})
_BACKWARD = "down"
_Statement = tuple[Called, list[Called]]
"""A call, and those that go on with what it makes."""


def read(module: Module) -> Iterator[Entity]:
    """Tables that are made, and changes of tables, but not what undoes them."""
    calls = sorted(
        (call for call in module.calls if call.of is not None),
        key=lambda call: (call.node.start_byte, call.node.end_byte),
    )
    starts = [call.node.start_byte for call in calls]
    framework = KYSELY if _PACKAGE in module.packages else KNEX
    for at, call in enumerate(calls):
        if call.name not in _MAKERS | _CHANGERS | _DROPPERS | {"renameTable"}:
            continue
        name = _told(module, call, 0)
        if not name or not _is_of_schema(module, call.of) or _is_backward(module, call):
            continue
        place = call.given.get(0) or call.node
        line, end = line_of(place), end_of(call.node)
        if call.name in _DROPPERS:
            yield Entity(name, "change", line, end, framework=framework)
        elif call.name == "renameTable":
            yield Entity(name, "change", line, end, (), _told(module, call, 1), framework)
        elif framework == KYSELY:
            chain = calls[at + 1 : bisect_right(starts, call.node.start_byte)]
            yield from _of_kysely(module, name, call, chain, (starts, calls))
        elif (body := call.given.get(1)) is not None and body.type in FUNCTIONS:
            first, last = (bisect_left(starts, at) for at in (body.start_byte, body.end_byte))
            statements = _statements(module, _parameter(module, body), calls[first:last])
            columns = _columns(module, statements)
            if call.name in _MAKERS:
                yield Entity(name, "table", line, end, columns, framework=KNEX)
            elif columns:
                yield Entity(name, "change", line, end, columns, framework=KNEX)


def _of_kysely(
    module: Module,
    name: str,
    call: Called,
    chain: list[Called],
    placed: tuple[list[int], list[Called]],
) -> Iterator[Entity]:
    """The table that a chain of calls makes or changes; `placed` are the places of all calls of the
    file, and these."""
    starts, calls = placed
    statements: list[_Statement] = []
    for each in chain:
        given = each.given.at[-1] if each.given.at else each.node
        is_function = given.type in FUNCTIONS
        first, last = (bisect_left(starts, at) for at in (given.start_byte, given.end_byte))
        statements.append((each, calls[first:last] if is_function else []))
    columns = _columns(module, statements)
    line, end = line_of(call.given.get(0) or call.node), end_of((chain or [call])[-1].node)
    new = next((_told(module, each, 0) for each in chain if each.name == "renameTo"), "")
    if call.name in _MAKERS:
        yield Entity(name, "table", line, end, columns, framework=KYSELY)
    elif columns or new:
        yield Entity(name, "change", line, end, columns, new, KYSELY)


def _is_of_schema(module: Module, node: Node | None) -> bool:
    """Is it called on a builder of schemas, `knex.schema`?"""
    for _ in range(2 * CHAIN_MAX):
        if node is None:
            return False
        if node.type == "member_expression":
            if module.part(node, "property") == "schema":
                return True
            node = child(node, "object")
        elif node.type == "call_expression":
            node = child(node, "function")
        else:
            return module.text(node) == "schema"
    return False


def _is_backward(module: Module, call: Called) -> bool:
    """Does it stand in the half of a migration that undoes the other?"""
    return call.caller.rpartition(".")[2] == _BACKWARD or any(
        around.type == "pair" and module.part(around, "key") == _BACKWARD
        for around, _ in outward(call.node)
    )


def _parameter(module: Module, function: Node) -> str:
    """What a function calls the first thing that it is given."""
    single = child(function, "parameter")
    listed = child(function, "parameters")
    first = single or (listed.named_children[0] if listed and listed.named_children else None)
    return module.text(first).partition(":")[0].strip()


def _statements(module: Module, table: str, calls: list[Called]) -> list[_Statement]:
    """The statements on a table, each a chain of calls."""
    chains: dict[int, list[Called]] = defaultdict(list)
    for call in calls:
        if module.text(module.root_of(call.of)) == table:
            chains[call.node.start_byte].append(call)
    return [(first, rest) for first, *rest in chains.values()]


def _columns(module: Module, statements: list[_Statement]) -> tuple[Column, ...]:
    """The columns that statements declare; one that is dropped has no type, one that is renamed
    refers to its new name."""
    columns: dict[str, Column] = {}
    for first, rest in statements:
        names, name = _names(module, first), _told(module, first, 0)
        if first.name in _TYPES:
            for column in _made(module, first, rest):
                columns[column.name] = column
        elif first.name in _TYPED and name:
            columns[name] = _typed(module, name, first, rest)
        elif first.name in ("dropColumn", "dropColumns"):
            columns |= {name: Column(name) for name in names}
        elif first.name == "renameColumn" and name:
            columns[name] = Column(name, references=_told(module, first, 1))
        elif first.name in _CONSTRAINTS:
            marked = module.values(first.given.get(1))
            for name in marked if len(marked) == 1 else ():
                column = _constrained(module, name, first)
                columns[name] = columns[name].marked(column) if name in columns else column
        elif first.name in ("primary", "foreign") or (first.name == "unique" and len(names) == 1):
            for name in names:
                if name in columns:
                    columns[name] = _marked(module, columns[name], [first, *rest])
    return tuple(columns.values())


def _names(module: Module, call: Called) -> tuple[str, ...]:
    return tuple(
        name
        for node in call.given.at
        for item in (node.named_children if node.type == "array" else (node,))
        if (name := text_of(module, item))
    )


def _told(module: Module, call: Called, place: int) -> str:
    """A name that a call is given, in braces where it is that of a constant."""
    return text_of(module, call.given.get(place)) or ""


def _made(module: Module, first: Called, rest: list[Called]) -> Iterator[Column]:
    if first.name == "timestamps":
        for name in ("created_at", "updated_at"):
            yield Column(name, "timestamp", line=first.line)
        return
    size = module.text(first.given.get(1))
    type_ = first.value(1) if first.name == "specificType" else first.name
    name = _told(module, first, 0) or ("id" if first.name in _COUNTED else "")
    if name:
        text = f"{type_}({size})" if size.isdecimal() else type_
        column = Column(name, text, first.name in _COUNTED, line=line_of(first.node))
        yield _marked(module, column, rest)


def _typed(module: Module, name: str, call: Called, inner: list[Called]) -> Column:
    is_altered = call.name == "alterColumn"
    given = next((it for it in inner if it.name == "setDataType"), None) if is_altered else call
    node = given.given.get(0 if is_altered else 1) if given else None
    text = module.value(node) or module.line(node, 60).removeprefix("sql").strip("`")
    return _marked(module, Column(name, text or AS_IS, line=line_of_method(call)), inner)


def _constrained(module: Module, name: str, call: Called) -> Column:
    table, keys = _told(module, call, 2), module.values(call.given.get(3))
    target = ".".join((table, *keys[:1])) if "Foreign" in call.name else ""
    return Column(name, AS_IS, "Primary" in call.name, "Unique" in call.name, target)


def _marked(module: Module, column: Column, chain: list[Called]) -> Column:
    calls = {call.name: call for call in chain}
    target = _told(module, calls["references"], 0) if "references" in calls else ""
    if "inTable" in calls:
        table = _told(module, calls["inTable"], 0)
        target = f"{table}.{target}" if target else table
    return msgspec.structs.replace(
        column,
        is_key=column.is_key or not _KEYS.isdisjoint(calls),
        is_unique=column.is_unique or "unique" in calls,
        references=target or column.references,
    )
