"""Guards by the names that files call them: what decides whether a request reaches its handler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.explaining import indent
from stationmaster.reading.code.languages.closures import is_refusing
from stationmaster.reading.code.languages.ecmascript.nest import TELLING
from stationmaster.reading.code.languages.routers import (
    CLOSURE,
    CONDITION,
    FUNCTION,
    UNPROVEN,
)
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.signatures import arguments
from stationmaster.wiki.facts.code.bindings import declaration, meant
from stationmaster.wiki.facts.code.comments import asked_at, lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces, wrappers
from stationmaster.wiki.facts.code.names import around, beans, handler_of
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

_DEPTH_MAX = 4
"""Of decorators within decorators."""
_BEAN = re.compile(r"@(\w{1,80})\.(\w{1,80})\(")
"""A method of an object by its name, in an expression of Spring."""
_DOT = re.compile(r"(?<!\s)\s++\.")
_LAMBDA = re.compile(r"(?<!\w)(\w++)\s*+=>\s*+(?:\1\s*+\.)?")
_CODES = {"401": re.compile(r"(?i)401|unauthori[sz]ed"), "403": re.compile(r"(?i)403|forbidden")}
_WORDS = dict.fromkeys(("in", "where"), "if")
_POLICY_LINES, _POLICY_MAX = 12, 160
"""Of the statement that declares a policy, and letters of what it demands."""


class Guard(NamedTuple):
    """`spot` is None where the repository does not declare it; `condition` is when it is asked;
    `members` are those of a group that has a name, in order, of which some only may protect;
    `lines` are those of a function without a name, which is written where it is put before
    handlers; `parts` are the guards of an expression, of which not all need let a request pass;
    what `is_own` is an answer of the handler itself."""

    name: str
    spot: Spot | None
    condition: str = ""
    members: tuple[str, ...] = ()
    lines: Place | None = None
    parts: tuple[Guard, ...] = ()
    is_own: bool = False

    @property
    def words(self) -> str:
        """The name with the condition, as a table shows them."""
        sign = " " if self.is_own else ", "
        return f"{self.name}{sign}{self.condition}" if self.condition else self.name


def refusal(answer: str, condition: str) -> Guard:
    """The answer 401 or 403 that a handler gives itself under a condition."""
    code = next((code for code, form in _CODES.items() if form.search(answer)), answer)
    return Guard(f"refuses with {code}", None, condition, is_own=True)


def where_asked(facts: Facts, path: str, line: int, guards: Iterable[Guard]) -> Iterator[Guard]:
    """Guards that a file puts before handlers at a line, with the conditions of that."""
    asked = when(facts, path, around(facts, path, line), line)
    for guard in guards:
        conditions = dict.fromkeys(filter(None, (asked, guard.condition)))
        yield guard._replace(condition=" and ".join(conditions))


def when(facts: Facts, path: str, name: str, line: int) -> str:
    """The conditions under which a line of a symbol runs, as those of a guard."""
    words = []
    for it in asked_at(facts, path, name, line):
        text = " or ".join(it.texts).removeprefix("else ")
        is_whole = text.startswith(("if", "unless"))
        words.append(text if is_whole else f"{_WORDS.get(it.word, 'unless')} {text}")
    return " and ".join(words)


def named(facts: Facts, path: str, names: Iterable[str], line: int) -> tuple[Guard, ...]:
    """The guards that a file names at a line."""
    return tuple(guard for name in names for guard in _named(facts, path, name, line, _DEPTH_MAX))


def _named(facts: Facts, path: str, words: str, line: int, depth: int) -> tuple[Guard, ...]:
    """What one name stands for: a decorator of the project's own (`@Own`) for all that it is made
    of, `=KEY` for itself."""
    if words.startswith("@"):
        own = words[1:].partition("(")[0]
        return tuple(
            guard
            for origin in (meant(facts, path, own) if depth else ())
            for name in _composed(facts).get((origin.path, origin.name or own), ())
            for guard in _named(facts, origin.path, name, line, depth - 1)
        )
    if words.startswith(CLOSURE):
        at, _, condition = words.removeprefix(CLOSURE).partition(CONDITION)
        first, _, last = at.partition("-")
        lines = Place(path, int(first), int(last or first))
        return (Guard(f"a function at {path}:{at}", None, condition, lines=lines),)
    if not words or words.startswith(TELLING):
        return (Guard(words, None),) if words else ()
    words, _, condition = words.partition(CONDITION)
    if words.startswith(UNPROVEN):
        words = words.removeprefix(UNPROVEN)
        bare = words.partition("(")[0]
        spot = declared(facts, path, bare) or handler_of(facts, path, bare, line)
        if spot is None or not _refuses(facts, *spot):
            return ()
    if words.startswith(FUNCTION):
        words = words.removeprefix(FUNCTION)
        bare = words.partition("(")[0]
        is_here = declared(facts, path, bare) or handler_of(facts, path, bare, line)
        if (is_here is None or is_here.path != path) and _is_routing(facts, path, bare):
            return ()
    bare, _, needed = words.partition("(")
    if asked := _BEAN.search(needed):
        return (Guard(words, beans(facts).get((asked[1], asked[2])), condition),)
    if bare == "Authorize":
        policy = _policies(facts).get(_policy(needed.removesuffix(")")))
        return (Guard(words, policy[0] if policy else None),)
    spot = declared(facts, path, bare) or handler_of(facts, path, bare, line)
    return (Guard(words, spot, condition),)


def forbidden() -> re.Pattern[str]:
    """What a function says that answers 401 or 403."""
    return compiled(middleware().guards.forbidden)


def forbidding() -> re.Pattern[str]:
    """The beginning of a statement of Python that answers so."""
    return compiled(middleware().guards.forbidding)


@query
def _refuses(facts: Facts, path: str, name: str) -> bool:
    """May a function that requests pass through answer that one is not allowed?"""
    symbol = symbol_of(facts, path, name)
    text = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end]) if symbol else ""
    known = wrappers(facts).get((path, name))
    is_between = known.refuses if known else is_refusing(text)
    return is_between and forbidden().search(text) is not None


def _is_routing(facts: Facts, path: str, name: str) -> bool:
    """May a name stand for routes of another file? True where nobody knows it."""
    origins = meant(facts, path, name)
    files = {origin.path for origin in origins}
    return not origins or not files.isdisjoint(_routing(facts))


@query
def _routing(facts: Facts) -> frozenset[str]:
    """The files that have routes, or put routers on others."""
    files = ((it, it.wiring) for it in interfaces(facts))
    routing = (it for it, own in files if it.routes or it.mounts or own.routes or own.mounts)
    return frozenset(it.path for it in routing)


@query
def _composed(facts: Facts) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Guards by the file and the function that makes a decorator of them."""
    return {
        (file.path, name): guards
        for file in interfaces(facts)
        for name, guards in (file.wiring.middleware if not file.path.endswith(".php") else ())
    }


def declared(facts: Facts, path: str, words: str) -> Spot | None:
    """What a file calls so, where the repository declares it."""
    end = declaration(facts, path, words)
    return Spot(end[0], end[1].qualified) if end else None


def demanded(facts: Facts, guard: Guard) -> str:
    """What a policy of .NET demands, as it is declared; '' for other guards."""
    name = guard.name.removeprefix("Authorize(").removesuffix(")")
    return _policies(facts).get(_policy(name), (None, ""))[1] if name != guard.name else ""


def _policy(words: str) -> str:
    """A policy by its name, or by the constant that holds it with its class."""
    return ".".join(words.strip('"').split(".")[-2:])


@query
def _policies(facts: Facts) -> Mapping[str, tuple[Spot, str]]:
    """The functions that declare policies of .NET, and what these demand, by their names."""
    functions = {}
    for path, file in facts.code.items():
        for call in file.calls if path.endswith(".cs") else ():
            if call.name == "AddPolicy" and call.caller:
                lines = lines_of(facts, path)[call.line - 1 : call.line - 1 + _POLICY_LINES]
                name, *asked = arguments("\n".join(lines).partition("AddPolicy")[2]) or ("",)
                words = _LAMBDA.sub("", asked[0], count=1) if asked else ""
                functions[_policy(name)] = (
                    Spot(path, call.caller),
                    one_line(_DOT.sub(".", words), _POLICY_MAX),
                )
    return functions


def in_body(
    facts: Facts, path: str, holder: str, pattern: re.Pattern[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """The statements in the body of a class that begin so, by the numbers of their lines, without
    those of its methods."""
    symbol, lines = symbol_of(facts, path, holder), lines_of(facts, path)
    if symbol is None:
        return
    outer = indent(lines[symbol.line - 1])
    within = {indent(line) for line in lines[symbol.line : symbol.end] if line.strip()}
    own = min((it for it in within if it > outer), default=-1)
    for number in range(symbol.line + 1, symbol.end + 1):
        line = lines[number - 1]
        match = pattern.match(line) if indent(line) == own else None
        if match and not around(facts, path, number):
            yield number, match
