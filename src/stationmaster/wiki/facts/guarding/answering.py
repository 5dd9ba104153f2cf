"""What answers a route: the function or method that its handler is the name of."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.reading.code.languages.ecmascript.sails import FRAMEWORK as SAILS
from stationmaster.reading.code.model import Route, Symbol
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.guarding import sails
from stationmaster.wiki.facts.interfaces import laravel, rails
from stationmaster.wiki.facts.model import Facts

_MARKS_MAX = 30
"""Lines of annotations above a method."""


class Answer(NamedTuple):
    """What answers a route: the symbol of the file `where` whose guards are asked, None where
    nobody knows it, and the file and lines that are shown, '' for those of the route."""

    route: Route
    where: str
    symbol: Symbol | None
    shown: tuple[str, int, int]


def answered(facts: Facts, path: str, route: Route) -> Answer:
    """What answers a route, which loses a handler that the repository cannot have. An action of
    Rails without a method has the filters of its controller, and may be a template alone."""
    where, symbol = _handler(facts, path, route) or ("", None)
    if symbol is not None and where == path:
        symbol = _marked(facts, path, route.line, symbol)
    shown = (where, symbol.line, symbol.end) if symbol else ("", 0, 0)
    if path.endswith(".rb") and symbol is None:
        where, symbol = rails.controller(facts, route.handler) or ("", None)
        if template := rails.template(facts, route.handler):
            shown = template, 1, len(lines_of(facts, template))
        if not rails.is_found(facts, route):
            route = replace(route, handler="")
    return Answer(route, where, symbol, shown)


def _marked(facts: Facts, path: str, line: int, symbol: Symbol) -> Symbol:
    """Of methods of one name the one whose annotation is at a line."""
    alike = [it for it in facts.code[path].symbols if it.qualified == symbol.qualified]
    marked = (it for it in alike[1:] and alike if it.marks and line <= it.end)
    return next((it for it in marked if it.line - _MARKS_MAX <= line), symbol)


def _handler(facts: Facts, path: str, route: Route) -> tuple[str, Symbol] | None:
    words, line = route.handler, route.line
    if not words:
        return None
    named = declaration(facts, path, words)
    spot = handler_of(facts, path, words, line) if named is None else None
    symbol = symbol_of(facts, spot.path, spot.name) if spot else None
    if spot is not None and symbol is not None:
        return spot.path, symbol
    if named is None and path.endswith(".php"):
        return laravel.handler(facts, path, words, line)
    if named is None and route.framework == SAILS:
        return sails.action(facts, path, words)
    return named or (rails.handler(facts, words) if path.endswith(".rb") else None)
