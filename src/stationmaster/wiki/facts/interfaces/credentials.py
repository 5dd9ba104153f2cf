"""What guards look at: headers, cookies, sessions and parameters of a request, in their own lines
and in those of what they call; keys that they check with, and what handlers of Rust take that
refuses some requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.catalogue.middleware import is_guard, middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import targets
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

_DEPTH_MAX = 2
"""Of functions that call each other."""
_FUNCTIONS_MAX = 12
_LINES_MAX = 80
"""Of one function."""
_WORD = re.compile(r"[A-Za-z_]\w*[?!]?")
_CALLED = ("function", "method", "property")
_TAKEN = re.compile(r"\s*+(?:&\s*+)?(?:\w+::)*+([A-Z]\w*)")
_EXTRACTING = frozenset({"from_request", "from_request_parts"})
_OPTIONAL = re.compile(r"(?i)maybe|opt(?:ional)?[A-Z_]")
_REFUSED = re.compile(r"(?i)\bunauthori[sz]ed|\bforbidden|\b40[13]\b")


class Looked(NamedTuple):
    """A header, cookie or the like, and the function and line that look at it."""

    kind: str
    name: str
    function: str
    place: Place


@query
def key_lines(facts: Facts, path: str, name: str) -> tuple[int, ...]:
    """The lines of a function that tell keys and schemes by which it recognizes callers."""
    symbol, form = symbol_of(facts, path, name), compiled(middleware().guards.keys)
    lines = lines_of(facts, path)[symbol.line - 1 : symbol.end] if symbol else ()
    first = symbol.line if symbol else 0
    return tuple(at for at, line in enumerate(lines, first) if form.search(line[:400]))


@query
def looked_at(facts: Facts, path: str, name: str) -> tuple[Looked, ...]:
    """What a guard looks at, each once."""
    found: dict[tuple[str, str], Looked] = {}
    for spot, symbol in _reached(facts, Spot(path, name)):
        lines = lines_of(facts, spot.path)[symbol.line - 1 : symbol.end][:_LINES_MAX]
        for number, line in enumerate(lines, symbol.line):
            for row in middleware().guards.asked:
                for word in compiled(row.pattern).findall(line[:400]):
                    name, place = row.name or word, Place(spot.path, number)
                    found.setdefault((row.kind, name), Looked(row.kind, name, spot.name, place))
    return tuple(found.values())


def _reached(facts: Facts, start: Spot) -> Iterator[tuple[Spot, Symbol]]:
    """A function and what it calls, or names of the type that holds it."""
    waiting, seen = [(start, 0)], {start}
    while waiting and len(seen) <= _FUNCTIONS_MAX:
        spot, depth = waiting.pop(0)
        symbol = symbol_of(facts, spot.path, spot.name)
        if symbol is None or symbol.kind not in _CALLED:
            continue
        yield spot, symbol
        for inner in _inner(facts, spot, symbol) if depth < _DEPTH_MAX else ():
            if inner not in seen:
                seen.add(inner)
                waiting.append((inner, depth + 1))


def _inner(facts: Facts, spot: Spot, symbol: Symbol) -> Iterator[Spot]:
    said = facts.code[spot.path]
    words = {
        word
        for line in lines_of(facts, spot.path)[symbol.line : symbol.end][:_LINES_MAX]
        for word in _WORD.findall(line)
    }
    for other in said.symbols:
        is_beside = other.container == symbol.container and other.kind in _CALLED
        if is_beside and other.name in words and symbol.container:
            yield Spot(spot.path, other.qualified)
    for call in said.calls:
        if call.caller == spot.name:
            yield from targets(facts, spot.path, call)


def extracted(facts: Facts, handler: Symbol) -> Iterator[tuple[str, Spot]]:
    """What a handler of Rust takes that is made of a request by who sends it, and where: a request
    that it cannot be made of is refused."""
    given = handler.signature.partition(handler.name)[2]
    for parameter in arguments(given[max(given.find("("), 0) :]):
        match = _TAKEN.match(parameter.partition(":")[2])
        if match and (spot := _extractors(facts).get(match[1])):
            yield match[1], spot


@query
def _extractors(facts: Facts) -> Mapping[str, Spot]:
    """Types of Rust that are made of requests that are let in, by their names."""
    found: dict[str, Spot] = {}
    for path, said in facts.code.items():
        for it in said.symbols if path.endswith(".rs") else ():
            if it.name in _EXTRACTING and it.container and not _OPTIONAL.match(it.container):
                lines = lines_of(facts, path)[it.line - 1 : it.end]
                if is_guard(it.container) or any(map(_REFUSED.search, lines)):
                    found[it.container] = Spot(path, it.qualified)
    return found
