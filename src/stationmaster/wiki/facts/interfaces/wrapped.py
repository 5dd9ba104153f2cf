"""Handlers within what a route is given: `wrapped(show)` is answered by `show`."""

from __future__ import annotations

import re

from msgspec.structs import replace

from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.model import Route
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.model import Facts, Spot

_TEXT = re.compile(r"\"[^\"]*+\"|`[^`]*+`")
_PART = re.compile(r"[\w.]+|[(),]")


def unwrapped(facts: Facts, path: str, route: Route) -> Route:
    """A route whose handler is a call: by the innermost of the functions of the repository that are
    given to one another, else by what is called."""
    if "(" not in route.handler:
        return route
    outer, *parts = _PART.findall(_TEXT.sub("", route.handler))
    names = [outer]
    level = depth = 0
    for part in parts:
        depth += (part == "(") - (part == ")")
        if depth <= level and part in ",)":
            break
        if depth == level + 1 and part not in "(),":
            spot = handler_of(facts, path, part, route.line)
            if spot is not None and _is_function(facts, spot):
                names.append(part)
                level = depth
    # A guard is not what answers, unless there is nothing else.
    inner = [name for name in names[1:] if not is_guard(name)]
    return replace(route, handler=(inner or names)[-1])


def _is_function(facts: Facts, spot: Spot) -> bool:
    """Is something a function, or a variable that holds one?"""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or symbol.kind != "variable":
        return symbol is not None and symbol.kind in ("function", "method")
    return any("func(" in line for line in lines_of(facts, spot.path)[symbol.line - 1 : symbol.end])
