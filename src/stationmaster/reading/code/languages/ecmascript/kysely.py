"""Columns of tables that Kysely makes and changes: `createTable("pets").addColumn("id", …)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stationmaster.reading.code.languages.ecmascript.module import Module, line_of_method
from stationmaster.reading.code.languages.ecmascript.texts import text_of
from stationmaster.reading.code.languages.module import Called
from stationmaster.reading.code.stored import AS_IS, Column

FRAMEWORK = "Kysely"
PACKAGE = "kysely"
_COLUMNS = frozenset({"addColumn", "modifyColumn", "alterColumn"})
_DROPPED, _RENAMED = "dropColumn", "renameColumn"
_CONSTRAINTS = frozenset(
    {"addForeignKeyConstraint", "addPrimaryKeyConstraint", "addUniqueConstraint"}
)


def columns(
    module: Module, chain: Sequence[Called], inner: Mapping[int, Sequence[Called]]
) -> tuple[Column, ...]:
    """What the calls of a chain declare of a table; `inner` are the calls in the functions that
    they are given, by the place of the call."""
    found: dict[str, Column] = {}
    for call in chain:
        name = _text(module, call, 0)
        if call.name in _COLUMNS and name:
            found[name] = _column(module, name, call, inner.get(call.node.end_byte, ()))
        elif call.name == _DROPPED and name:
            found[name] = Column(name)
        elif call.name == _RENAMED and name:
            found[name] = Column(name, references=_text(module, call, 1))
        elif call.name in _CONSTRAINTS:
            names = module.values(call.given.get(1))
            for marked in names if len(names) == 1 else ():
                column = _constrained(module, marked, call)
                found[marked] = found[marked].marked(column) if marked in found else column
    return tuple(found.values())


def _column(module: Module, name: str, call: Called, inner: Sequence[Called]) -> Column:
    calls = {each.name: each for each in inner}
    given = calls.get("setDataType") if call.name == "alterColumn" else call
    node = given.given.get(0 if call.name == "alterColumn" else 1) if given else None
    text = module.value(node) or module.source.line(node, 60).removeprefix("sql").strip("`")
    references = calls.get("references")
    target = _text(module, references, 0) if references else ""
    is_key, is_unique = "primaryKey" in calls, "unique" in calls
    return Column(name, text or AS_IS, is_key, is_unique, target, line_of_method(call))


def _constrained(module: Module, name: str, call: Called) -> Column:
    table, keys = _text(module, call, 2), module.values(call.given.get(3))
    return Column(
        name, AS_IS, "Primary" in call.name, "Unique" in call.name,
        ".".join((table, *keys[:1])) if "Foreign" in call.name else "",
    )  # fmt: skip


def _text(module: Module, call: Called, place: int) -> str:
    return text_of(module, call.given.get(place)) or ""
