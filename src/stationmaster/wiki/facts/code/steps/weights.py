"""How much a function says of what the functions that lead to it do, and what it takes to show
it."""

from __future__ import annotations

import re

from stationmaster.catalogue.repositories.english import english
from stationmaster.reading.code.explaining import EXCERPT_MAX
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import only_statement, symbol_of
from stationmaster.wiki.facts.code.names import users_of
from stationmaster.wiki.facts.code.stations import (
    CALLS_MAX,
    LINES_MIN,
    Station,
    callers_of,
    only_declares,
    station_of,
)
from stationmaster.wiki.facts.code.symbols import TYPES, is_sample, maker_of, suites
from stationmaster.wiki.facts.model import Facts, Spot, query

MAKER_LINES_MIN = 8
"""Of a function that makes an object and is worth showing."""
LISTED_MAX, _HEAD_ROOM = 10, 4
"""Calls of a function that a page lists, and lines that it takes besides its code and calls."""
_LINES_ENOUGH, _DOC_WORTH, _CALL_WORTH, _WRITE_WORTH, _USERS, _CALLERS = 40, 10, 8, 24, 4, 2
_ASIDE_SHARE = 0.3
"""What makes a function central: its length, a comment, its calls, that it is named after what it
stores or passes on; what many files use, or twice as many functions call, is a helper, and what
makes an object, or whose name is that of a helper, such as reading a value, weighs less than what
is done with it."""
_AIDING = re.compile(
    rf"_*(?i:{'|'.join(english().aiding)})(?![a-z])|\w*(?i:{'|'.join(english().telling)})"
)
_GIVES = re.compile(r"_*(?:get|to|as)(?![a-z])")
_WRITING = re.compile(rf"(?:{'|'.join(english().writing)})(?![a-z])")
_REPORTS = re.compile(rf"_*(?i:v?(?:{'|'.join(english().reporting)}))(?:f|ln|s|\d)?_*")
_REPORTER = re.compile(r"(?i:\w{0,60}(?:log|logger|logging))")
_REPORTING_FILE = re.compile(r"(?:^|/)(?:log(?:s|ger|ging)?|metrics?)(?:/[^/]{1,100})?\.\w{1,5}$")
_REPORTED_BY, _HELPED_MAX, _REPORTING_LINES_MAX = 4, 12, 12
"""Functions that call one which reports, at least, those that call what is no helper, and lines of
a function in a file of reports that only helps to make one."""
_LINE_MAX = 300
"""Characters of a line that are read."""
_OF_ERROR = re.compile(
    r".*(?:\)|->|:)\s*[*&]?(?:\w{1,60}(?:\.|::)){0,3}\w{0,60}(?:Error|Exception)\s*[{:]?$"
)
"""A signature that returns only an error."""
_MAKES_ERROR = re.compile(r"_*(?i:new|wrap|make)\w*Err(?:or)?$")
_RETURNS_ERROR = re.compile(r"[^\[\]]{0,200}?[Ee]rrf?\([^()]{0,200}\) error(?: \{)?$")
"""In Go the name of a function that is named after an error and returns one."""

_ACCESSES = re.compile(
    r"(?:return|(?:this\.|self\.|\$this->)?\w+ =) (?:this\.|self\.|\$this->|\$)?\w+;?"
)
"""The body of a function that only gives or sets a field."""
_OF_OBJECTS = re.compile(
    r"toString|ToString|equals|Equals|hashCode|GetHashCode|__(?:repr|eq|hash)__"
)
"""Methods that any object has, and that say nothing of what it is for."""


def weight(facts: Facts, spot: Spot) -> float:
    """How important a function is in a flow; 0 for one that is not shown."""
    return _weight(facts, *spot)


@query
def _weight(facts: Facts, path: str, name: str) -> float:
    spot, symbol = Spot(path, name), symbol_of(facts, path, name)
    if symbol is None or symbol.kind in TYPES or path in suites(facts):
        return 0
    if symbol.container and _OF_OBJECTS.fullmatch(symbol.name):
        return 0
    if is_sample(Spot("", name)) and not callers_of(facts, path, name):
        return 0  # Only tests call it.
    lines_min = MAKER_LINES_MIN if _is_maker(path, symbol) else LINES_MIN
    is_short = symbol.end - symbol.line + 1 < lines_min
    if is_short or _is_of_error(symbol) or only_declares(facts, path, name):
        return 0
    if _ACCESSES.fullmatch(only_statement(facts, path, name)):
        return 0
    calls = min(len(station_of(facts, spot).steps), CALLS_MAX)
    lines = min(symbol.end - symbol.line, _LINES_ENOUGH)
    worth = lines / 2 + _DOC_WORTH * bool(symbol.doc) + _CALL_WORTH * calls
    worth += _WRITE_WORTH * bool(_WRITING.match(symbol.name))
    files = users_of(facts, path).get(symbol.container if _is_maker(path, symbol) else name, 0)
    users = max(files, _callers_count(facts, path, name) / _CALLERS)
    return round(worth * share_of(facts, spot) / (1 + users / _USERS), 6)


def room_of(facts: Facts, station: Station) -> int:
    """How many lines of a page a function takes: of its code, and of what it calls."""
    symbol = symbol_of(facts, station.spot.path, station.spot.name) if station.spot.name else None
    first, last = (symbol.line, symbol.end) if symbol else (1, EXCERPT_MAX)
    first, last = station.within if station.within[0] else (first, last)
    lines = min(last - first + 1, EXCERPT_MAX)
    return _HEAD_ROOM + lines + min(len(station.steps), LISTED_MAX)


@query
def is_reporting(facts: Facts, path: str, name: str) -> bool:
    """Does a function only report what happens, for many others?"""
    holder, _, last = name.rpartition(".")
    symbol = symbol_of(facts, path, name)
    is_short = symbol is not None and symbol.end - symbol.line < _REPORTING_LINES_MAX
    is_named = bool(_REPORTS.fullmatch(last) or _REPORTER.fullmatch(holder))
    is_named = is_named or (is_short and _REPORTING_FILE.search(path) is not None)
    return is_named and _callers_count(facts, path, name) >= _REPORTED_BY


def is_helper(facts: Facts, spot: Spot) -> bool:
    """Do so many functions call one that it is no part of what any of them does?"""
    return _callers_count(facts, *spot) > _HELPED_MAX or is_reporting(facts, *spot)


def is_aside(facts: Facts, spot: Spot) -> bool:
    """Is a function one that many call, or that only makes an error?"""
    symbol = symbol_of(facts, spot.path, spot.name)
    return is_helper(facts, spot) or (symbol is not None and _is_of_error(symbol))


def is_reading(facts: Facts, spot: Spot) -> bool:
    """Does a function without a comment that so many call only give or check a value?"""
    name, symbol = spot.name.rpartition(".")[2], symbol_of(facts, spot.path, spot.name)
    is_plain = symbol is not None and not symbol.doc
    return is_plain and _GIVES.match(name) is not None and is_helper(facts, spot)


def _callers_count(facts: Facts, path: str, name: str) -> int:
    return len({caller for caller, _ in callers_of(facts, path, name)})


def share_of(facts: Facts, spot: Spot) -> float:
    """The share that counts of a function and of what it leads to: less for a helper."""
    symbol = symbol_of(facts, spot.path, spot.name) if spot.name else None
    is_aside = symbol is not None and (
        _is_maker(spot.path, symbol) or _AIDING.match(symbol.name) is not None or is_sample(spot)
    )
    return _ASIDE_SHARE if is_aside else 1


def _is_maker(path: str, symbol: Symbol) -> bool:
    return symbol.kind == "constructor" or symbol.name == maker_of(path, symbol.container)


def _is_of_error(symbol: Symbol) -> bool:
    """Does a function only make or return an error?"""
    head = symbol.signature[:_LINE_MAX]
    forms = (_OF_ERROR, _RETURNS_ERROR)
    return bool(_MAKES_ERROR.match(symbol.name)) or any(form.match(head) for form in forms)
