"""Calls in files of Go, and what the variables that they are given hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import islice
from typing import NamedTuple

from stationmaster.reading.code.languages.go.frameworks import bound
from stationmaster.reading.code.languages.go.settings import Objects
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.code.signatures import arguments_from
from stationmaster.wiki.facts.code.bindings import declaration
from stationmaster.wiki.facts.code.comments import lines_of, numbered, symbol_of
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.configured.go_structs import fields, held, nameless, struct
from stationmaster.wiki.facts.model import Facts, Spot

_BEFORE_MAX, _CALLS_MAX = 300, 200
_REMARK = re.compile(r"(?m)^[ \t]*(?://|#(?=[ \t#]))[^\n]*")
_MADE = re.compile(r"(?:new\(|&?)((?:\w{1,60}\.)?\w{1,100})(?:\{.*|\))", re.DOTALL)
_NAMED = re.compile(r"[&*]?(\w{1,60})((?:\.\w{1,60})*)")
_RESULT = re.compile(r"\)[ \t]*\(?\*?((?:\w{1,60}\.)?\w{1,100})")
_ASSIGNED = re.compile(
    r"\b(\w{1,80})\b(?=(?:[ \t]*,[ \t]*\w{1,80})?[ \t]*:?=[ \t]*(?:new\(|[&*])?"
    r"((?:\w{1,80}\.)?\w{1,80})([{()]?))"
)
_DECLARED = re.compile(r"\b(\w{1,80})(?=[ \t]+\*?((?:\w{1,80}\.)?[A-Za-z]\w{0,80}))")
_HOLDS = re.compile(r"\b(\w{1,80})\b(?=(?:[ \t]+string)?[ \t]*:?=[ \t]*(\"[^\"\\\n]{0,300}\"))")
_TEXT = re.compile(r"\"([^\"\\]*)\"")
_NAMELESS = re.compile(r"\bstruct\s*\{\s*$")
_FILLED = r"\.Unmarshal\w*\(\s*\"[^\"\n]{1,200}\"\s*,\s*&%s\.((?:\w+\.)*\w+)\s*[,)]"
_GIVEN = r"(?m)^\t%s\.((?:\w+\.)*\w+)\s*=(?!=)(.*)$"
"""What is set in any case."""
_ANYTHING = frozenset({"any", "interface{}"})


class Call(NamedTuple):
    """`of` is the name that it is called on, '' for none; `before` what stands before it in its
    statement, and `at` is its place in the text, in the line `line`."""

    name: str
    of: str
    given: tuple[str, ...]
    before: str
    at: int
    line: int


def source(facts: Facts, path: str) -> str:
    """The text of a file with empty lines for comments."""
    return _REMARK.sub("", facts.tree.text(path))


def calls(text: str, names: Iterable[str]) -> Iterator[Call]:
    """The calls of functions and methods of these names."""
    choice = "|".join(map(re.escape, sorted(names)))
    called = re.compile(rf"(?:(\w{{1,60}}|\))\.)?\b({choice})\(")
    for line, match in islice(numbered(called, text), _CALLS_MAX if choice else 0):
        before = text[max(match.start() - _BEFORE_MAX, 0) : match.start(2)].rpartition("\n")[2]
        if not before.endswith("func "):
            of = (match[1] or "").strip(")")
            yield Call(match[2], of, arguments_from(text, match.end()), before, match.start(), line)


def enclosing(facts: Facts, path: str, text: str, at: int) -> Symbol | None:
    """The function around a place in the text of a file."""
    return symbol_of(facts, path, around(facts, path, text.count("\n", 0, at) + 1))


def parameter(function: Symbol, name: str, types: Set[str] = _ANYTHING) -> int | None:
    """The place of a parameter that takes anything, or one of some types."""
    start = function.signature.find(f"{function.name}(") + len(function.name) + 1
    for place, parameter in enumerate(arguments_from(function.signature, start)):
        word, _, type_ = parameter.partition(" ")
        if word == name and "".join(type_.split()) in types:
            return place
    return None


def text_of(call: Call, place: int, text: str) -> str | None:
    """The text that an argument is, or that a name in the file holds."""
    written = call.given[place] if place < len(call.given) else ""
    literal = _TEXT.fullmatch(written)
    if literal is None and written.isidentifier():
        held = next((it[2] for it in _HOLDS.finditer(text) if it[1] == written), "")
        literal = _TEXT.fullmatch(held)
    return literal[1] if literal else None


def steps(written: str) -> tuple[str, ...]:
    """The names of the fields that lead to what an argument is: `&config.Till` has one."""
    named = _NAMED.fullmatch(written)
    return tuple(named[2].split(".")[1:]) if named else ()


class Apart(NamedTuple):
    """The fields of a struct, by the names that lead to them, that a function fills beside a call:
    by calls for a part alone, and by values that it gives them afterwards, whatever they hold."""

    filled: frozenset[tuple[str, ...]] = frozenset()
    given: frozenset[tuple[str, ...]] = frozenset()


def apart(facts: Facts, path: str, text: str, call: Call, written: str) -> Apart:
    """What the function around a call fills in other ways of the variable that an argument is."""
    variable = written.lstrip("&")
    function = enclosing(facts, path, text, call.at)
    if function is None or not variable.isidentifier():
        return Apart()
    lines = text.split("\n")
    whole, after = (
        "\n".join(lines[at - 1 : function.end]) for at in (function.line, call.line + 1)
    )
    name = re.escape(variable)
    filled = frozenset(tuple(it.split(".")) for it in re.findall(_FILLED % name, whole))
    given = frozenset(
        tuple(field.split("."))
        for field, value in re.findall(_GIVEN % name, after)
        if f"{variable}.{field}" not in value
    )
    return Apart(filled, given)


def part(facts: Facts, path: str, text: str, call: Call) -> str | None:
    """The key with its sign of the part of all settings that a call is of, '' for all; None for
    what a function fills with what it is given itself, which is none."""
    objects = Objects(text, bound(facts.code[path].imports))
    is_none = objects.is_of_function(call.of, call.line)
    return None if is_none else objects.above(call.of, call.line) or ""


class Variables:
    """What the variables of a file hold."""

    def __init__(self, facts: Facts, path: str, text: str) -> None:
        self._facts, self._path, self._text = facts, path, text

    def struct(self, written: str, at: int) -> tuple[Spot, str] | None:
        """The struct that an argument of a call at a place is, with the sign of what holds many."""
        if made := _MADE.fullmatch(written):
            spot, sign = struct(self._facts, made[1], self._path), ""
            return (spot, sign) if spot else None
        named = _NAMED.fullmatch(written)
        spot, sign = (self._of_name(named[1], at) if named else None), ""
        for step in steps(written):
            below = fields(self._facts, spot) if spot else ()
            field = next((it for it in below if it.name == step), None)
            spot, sign = (held(self._facts, field), field.lists()) if field else (None, "")
        return (spot, sign) if spot else None

    def _of_name(self, name: str, at: int) -> Spot | None:
        """What is nearest before the place, in the function around it; else in the package."""
        function = enclosing(self._facts, self._path, self._text, at)
        first = function.line if function else 1
        own = [*self._held(self._text[self._start(first) : at], name, self._path, first)]
        if own:
            return own[-1]
        end = declaration(self._facts, self._path, name)
        if end is None or end[1].kind != "variable":
            return None
        path, symbol = end
        rows = lines_of(self._facts, path)[symbol.line - 1 : symbol.end]
        if _NAMELESS.search(rows[0]):
            return Spot(path, name)
        return next(self._held("\n".join(rows), name, path), None)

    def _start(self, line: int) -> int:
        place = 0
        for _ in range(line - 1):
            place = self._text.find("\n", place) + 1
        return place

    def _held(self, text: str, name: str, path: str, start: int | None = None) -> Iterator[Spot]:
        """The structs that a name is given in a text, which begins at the line `start`."""
        places = [(it.start(), it[2], it[3]) for it in _ASSIGNED.finditer(text) if it[1] == name]
        places += [(it.start(), it[2], "") for it in _DECLARED.finditer(text) if it[1] == name]
        for place, written, sign in sorted(places):
            if written == "struct" and start is not None:
                yield nameless(path, start + text.count("\n", 0, place))
                continue
            spot = struct(self._facts, written, path)
            if spot is None and sign == "(":
                spot = self._result(written, path)
            if spot is not None:
                yield spot

    def _result(self, written: str, path: str) -> Spot | None:
        """The struct that a function gives first."""
        end = declaration(self._facts, path, written)
        if end is None or end[1].kind != "function":
            return None
        result = _RESULT.search(end[1].signature, end[1].signature.find("("))
        return struct(self._facts, result[1], end[0]) if result else None
