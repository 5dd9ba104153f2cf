"""Settings that Python code declares in tables of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.source import child, first_sentence, line_of
from stationmaster.reading.code.model import Setting

_TABLE = re.compile(r"_?(?:[A-Z]{1,20}_)?(?:SETTINGS|OPTIONS|CONFIG)")
_ROW = re.compile(r"(?:\w*_?)?(?:[Ss]etting|[Oo]ption|[Cc]onfig)\w{0,10}")
_ROWS_MIN = 2


def tables(module: Module) -> Iterator[Setting]:
    """`SETTINGS = (Setting("page_size", 100, "Rows of a page"), …)`, and `OPTIONS = {"page_size":
    {"default": 100}, …}`."""
    for constant in module.constants:
        if not _TABLE.fullmatch(constant.name) or constant.value is None:
            continue
        rows = [*_rows(module, constant.value)]
        yield from (row for row in rows if len(rows) >= _ROWS_MIN and row.name)


def _rows(module: Module, table: Node) -> Iterator[Setting]:
    for row in table.named_children:
        if row.type == "call" and _ROW.fullmatch(module.part(row, "function")):
            given = module.given(row)
            name, default = given.get(0, "name", "key"), given.get("default", 1)
            yield _row(module, row, name, default, given.get("help", "description", "doc", 2))
        elif row.type == "pair":
            members = module.pairs(child(row, "value"))
            name = child(row, "key")
            docs = (members[key] for key in ("help", "description", "doc") if key in members)
            if "default" in members:
                yield _row(module, row, name, members["default"], next(docs, None))


def _row(
    module: Module, row: Node, name: Node | None, default: Node | None, doc: Node | None
) -> Setting:
    said = first_sentence(module.value(doc) or "")
    return Setting(module.value(name) or "", "key", line_of(row), module.plain(default), doc=said)


def doc_below(module: Module, node: Node) -> str:
    """The first sentence of the text that stands directly below a field; '' without one."""
    statement = node.parent
    below = statement.next_named_sibling if statement is not None else None
    text = child(below)
    if below is None or below.type != "expression_statement" or text is None:
        return ""
    return first_sentence(module.literal(text) or "") if text.type == "string" else ""
