"""Settings that Python code declares in tables of its own, or reads for every field of a class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.module import Module
from stationmaster.reading.code.languages.python.paths import path_of
from stationmaster.reading.code.languages.source import child, first_sentence, line_of
from stationmaster.reading.code.model import Setting

_TABLE = re.compile(r"_?(?:[A-Z]{1,20}_)?(?:SETTINGS|OPTIONS|CONFIG)")
_ROW = re.compile(r"(?:\w*_?)?(?:[Ss]etting|[Oo]ption|[Cc]onfig)\w{0,10}")
_ROWS_MIN = 2
_FIELDS_OF = re.compile(
    rb"\bfields\(\s*(\w+)\s*\)|\bget_type_hints\(\s*(\w+)\s*\)"
    rb"|\b(\w+)\.(?:__annotations__|model_fields|__dataclass_fields__|__struct_fields__|_fields)\b"
)
_UPPER = re.compile(r"\{[\w.\[\]'\"]{1,60}\}$")


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


def looped(module: Module, keys: Iterable[Node]) -> Iterator[Setting]:
    """A variable of the environment for each field of a class: `environ.get(PREFIX +
    field.name.upper())`. `keys` are what the environment is asked for."""
    prefixes = {
        _UPPER.sub("", path)
        for key in keys
        if (path := _upper(module, key)) is not None and _UPPER.search(path)
    }
    if len(prefixes) != 1:
        return
    prefix = prefixes.pop()
    names = {
        (match[1] or match[2] or match[3]).decode() for match in _FIELDS_OF.finditer(module.data)
    }
    for definition in module.definitions:
        if definition.is_class and definition.name in names:
            yield from _fields(module, definition, prefix)


def _upper(module: Module, key: Node) -> str | None:
    """The name that is asked for, with a hole for the field's own in capitals."""
    text = module.text(key)
    if ".upper()" not in text or len(text) > 200:
        return None
    if key.type == "call":
        inner = child(key, "function")
        inner = child(inner, "object")
        is_wrapped = inner is not None and inner.type == "parenthesized_expression"
        return path_of(module, child(inner) if is_wrapped else inner)
    if key.type == "binary_operator":
        left = path_of(module, child(key, "left"))
        return None if left is None else left + "{field}"
    path = path_of(module, key)
    return None if path is None else re.sub(r"\{[^{}]+\.upper\(\)\}$", "{field}", path)


def _fields(module: Module, each: Definition, prefix: str) -> Iterator[Setting]:
    for field in module.attributes.get(each.node.start_byte, ()):
        if field.type is not None and not field.name.startswith("_"):
            yield Setting(
                prefix + field.name.upper(),
                "env",
                line_of(field.node),
                module.plain(field.value),
                field.value is None,
                doc_below(module, field.node),
            )


def doc_below(module: Module, node: Node) -> str:
    """The first sentence of the text that stands directly below a field; '' without one."""
    statement = node.parent
    below = statement.next_named_sibling if statement is not None else None
    text = child(below)
    if below is None or below.type != "expression_statement" or text is None:
        return ""
    return first_sentence(module.literal(text) or "") if text.type == "string" else ""
