"""Tables that a loop goes through: `for _, route := range routes`, whose rows are structs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File, values
from stationmaster.reading.code.languages.go.kept import fields, literals_in
from stationmaster.reading.code.languages.go.structs import structs_of
from stationmaster.reading.code.languages.source import (
    above,
    child,
    first_child,
    inside,
    line_of,
    one_line,
)

_ROWS_MAX = 200
_HANDLERS = ("handler", "handlerfunc", "handle", "func", "fn", "controller")
_METHODS = ("method", "methods", "verb", "verbs")


class Row:
    """What stands for a variable of a loop, and for the fields of it, once around."""

    def __init__(self, file: File, name: str, literal: Node, cells: Mapping[str, Node]) -> None:
        self._file, self._cells = file, {f"{name}.{key}": it for key, it in cells.items()}
        self.line = line_of(literal)
        by_word = {key.lower(): node for key, node in cells.items()}
        self._handler = next((by_word[it] for it in _HANDLERS if it in by_word), None)
        self.method = next((by_word[it] for it in _METHODS if it in by_word), None)
        self._named = re.compile(rf"\b{re.escape(name)}(?:\.\w+)?\b")

    def of(self, node: Node) -> Node:
        """What stands for a node; that itself where nothing does."""
        is_field = node.type == "selector_expression"
        return self._cells.get(self._file.text(node), node) if is_field else node

    def words(self, text: str) -> str:
        """A handler as written with what stands for its parts; for the row itself its handler."""

        def cell(word: re.Match[str]) -> str:
            node = self._cells.get(word[0]) if "." in word[0] else self._handler
            return one_line(self._file.text(node), 100) if node is not None else word[0]

        return self._named.sub(cell, text)


def rows(file: File, node: Node) -> Iterator[Row]:
    """The rows of the table of the file that a loop around a node goes through."""
    loop = above(node, "for_statement")
    clause = first_child(loop, "range_clause") if loop is not None else None
    names = [file.text(it) for it in inside(clause, "left")]
    over = child(clause, "right")
    if over is None or len(names) != 2:
        return
    stated = values(file).get(file.text(over))
    table = child(stated) if stated is not None else over
    if over.type == "identifier" and stated is None:
        table = _assigned(file, over)
    if table is None or table.type != "composite_literal":
        return
    places = _places(file, table)
    for literal in literals_in(table)[:_ROWS_MAX]:
        cells = dict(fields(file, literal))
        if not cells:
            parts = [it.named_children[0] for it in literal.named_children if it.named_children]
            cells = dict(zip(places, parts, strict=False))
        yield Row(file, names[1], literal, cells)


def _assigned(file: File, name: Node) -> Node | None:
    """What a variable of the function around is given where it is declared."""
    around = above(name, "function_declaration", "method_declaration")
    for it in inside(around, "body") if around is not None else ():
        if it.type == "short_var_declaration" and file.part(it, "left") == file.text(name):
            return next(iter(inside(it, "right")), None)
    return None


def _places(file: File, table: Node) -> list[str]:
    """The fields of the rows of a table in their order."""
    type_ = file.part(table, "type")
    lines = (type_ if "struct" in type_ else file.data.decode(errors="replace")).splitlines()
    name = "" if "struct" in type_ else type_.rpartition("]")[2].lstrip("*")
    named = dict(structs_of(lines))
    return [field.name for field in named.get(name, ())]
