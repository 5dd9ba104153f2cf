"""Tables of addresses: lists of tuples with an address and what answers there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.python.paths import path_of
from stationmaster.reading.code.languages.python.routes import view
from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Route

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.python.module import Module

_TABLE = re.compile(
    r"(?i)_?(?:[a-z]{1,20}_)?(?:url|route|handler|endpoint)s?(?:_?(?:patterns|table|map))?"
)
_METHOD = re.compile(r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS")
_APPLICATION = "tornado.web.Application"
_HANDLERS = frozenset({"identifier", "attribute", "call"})


def read(module: Module) -> Iterator[Route]:
    """The routes of lists named after URLs or handlers, and those of Tornado applications."""
    lists = [constant.value for constant in module.constants if _TABLE.fullmatch(constant.name)]
    for called, origin in module.calls_of("tornado"):
        if origin == _APPLICATION:
            given = module.arguments(called.node).get(0, "handlers")
            if given is not None and given.type == "list":
                lists.append(given)
    framework = "Tornado" if "tornado" in module.packages else ""
    for table in lists:
        if table is not None and table.type in ("list", "tuple"):
            for row in table.named_children:
                yield from _row(module, row, framework)


def _row(module: Module, row: Node, framework: str) -> Iterator[Route]:
    if row.type == "call":  # `url(r"/", Handler)` of Tornado.
        if module.origin(row.child_by_field_name("function")).startswith("tornado.web."):
            cells = list(module.arguments(row).at)
        else:
            return
    elif row.type == "tuple":
        cells = [named_child for named_child in row.named_children if named_child.type != "comment"]
    else:
        return
    method = "ANY"
    if len(cells) > 2 and _METHOD.fullmatch(module.literal(cells[0]) or ""):
        method = module.literal(cells.pop(0)) or method
    if len(cells) < 2 or cells[1].type not in _HANDLERS:
        return
    path = path_of(module, cells[0])
    if path is not None and path.startswith(("/", "^")):
        yield Route(method, path, line_of(row), view(module, cells[1]), "", "", framework)
