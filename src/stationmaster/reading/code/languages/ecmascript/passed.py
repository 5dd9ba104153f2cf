"""What lets only some requests pass among what routers are given (`router.use(auth)`), for the
routes and routers that are put on them later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.closures import asked_around, is_refusing, lines_of
from stationmaster.reading.code.languages.ecmascript.module import GIVING, OURS, Module
from stationmaster.reading.code.languages.routers import (
    CLOSURE,
    CONDITION,
    FUNCTION,
    purpose,
)
from stationmaster.reading.code.languages.source import above, child, line_of
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Mount, Route

HOOKS = code.ordered("ecmascript.routes.hooks")
_ROUTING = re.compile(r"(?i)rout|controller|\bapi ")
"""How something is called that has routes of its own."""
_CLOSURES = frozenset({"arrow_function", "function_expression"})
_NAMES = frozenset({"identifier", "member_expression"})
_LITERALS = re.compile(
    r"\((?:(?:\"[\w.:, -]{1,60}\"|'[\w.:, -]{1,60}'|true|false)[, ]{0,2}){1,6}\)"
)
_Put = TypeVar("_Put", Route, Mount)


class Use(NamedTuple):
    """`guards` before what is put on a router between two lines, below `path`."""

    owner: str
    path: str
    start: int
    end: int
    guards: tuple[str, ...]


def use(module: Module, called: Called, name: str, owner: str) -> Iterator[Use]:
    """What a call of a router's method puts before what comes later."""
    nodes = called.given.at
    first = module.value(nodes[0]) if nodes else None
    if name == "addHook" and first in HOOKS:
        path, nodes = "", nodes[1:]
    elif name == "use":
        path, nodes = (first or "").rstrip("*"), nodes if first is None else nodes[1:]
    else:
        return
    function = above(called.node, *GIVING)
    end = (function or module.root).end_point[0] + 1
    condition = f"{CONDITION}{asked_around(module, called.node, *GIVING)}".rstrip(CONDITION)
    if named := guards(module, nodes):
        line = line_of(called.node)
        yield Use(owner, path.rstrip("/"), line, end, tuple(f"{it}{condition}" for it in named))


def guards(module: Module, nodes: Sequence[Node]) -> tuple[str, ...]:
    """Those of some arguments that let only some requests pass: what this file does not declare is
    one if it is a function."""
    found = []
    for node in nodes:
        items = node.named_children if node.type == "array" else [node]
        for item in items:
            named = child(item, "function") if item.type == "call_expression" else item
            name = module.line(named, 80) if named is not None and named.type in _NAMES else ""
            origin = module.origin(named)
            is_named = name and is_guard(purpose(name), name)
            if is_named and not _ROUTING.search(f"{name} {origin}"):
                is_known = origin and not origin.startswith(OURS)
                found.append(("" if is_known else FUNCTION) + name + needed(module, item))
            elif item.type in _CLOSURES and is_refusing(module.text(item)):
                found.append(f"{CLOSURE}{lines_of(item)}")
    return tuple(found)


def needed(module: Module, guard: Node) -> str:
    """What a call that makes a guard is given, where it is all written out: `("admin")`."""
    text = module.part(guard, "arguments") if guard.type == "call_expression" else ""
    return text if _LITERALS.fullmatch(text) else ""


def behind(put: _Put, uses: Sequence[Use]) -> _Put:
    """A route or a mount with the guards that its router has before it."""
    path = put.path if isinstance(put, Route) else put.prefix
    fitting = [
        it.guards
        for it in uses
        if it.owner == put.owner and it.start < put.line <= it.end and _is_below(path, it.path)
    ]
    asked: list[str] = [guard for guards in fitting for guard in guards]
    if isinstance(put, Mount):
        return replace(put, guards=tuple(dict.fromkeys((*asked, *put.guards)))) if asked else put
    named = [*dict.fromkeys(filter(None, (*asked, put.guard, *put.further)))]
    return replace(put, guard=named[0], further=tuple(named[1:])) if asked else put


def _is_below(path: str, above_it: str) -> bool:
    return not above_it or f"{path}/".startswith(f"{above_it}/")
