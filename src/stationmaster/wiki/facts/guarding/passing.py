"""Which requests guards let pass at once: a function of Flask that runs before all handlers by the
path or the handler of requests (`if request.path.startswith("/api/"): return`), a guard of NestJS
by what a decorator of the handler says, those of .NET by a mark of the action."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.reading.code.languages.csharp.web import ANONYMOUS
from stationmaster.reading.code.languages.ecmascript.nest import TELLING
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.model import Facts, query

_IF = re.compile(r"(?:el)?if (.{1,500}?):[ \t]*(?:#.*)?")
_BEGINS = re.compile(r"request\.path\.startswith\((.{1,500})\)")
_IS = re.compile(r"request\.path (?:==|in) (.{1,500})")
_FOR = re.compile(r"(?:request\.endpoint and )?(?:request\.)?endpoint (?:==|in) (.{1,500})")
_TEXTS = re.compile(r"[\[({]?(?:[\"'][\w./:-]{1,200}[\"'],? ?){1,40}[\])}]?")
_TEXT = re.compile(r"[\"']([^\"']{1,200})[\"']")
_PASSES = frozenset({"return", "return None"})
_REFUSES = re.compile(r"abort\(|raise\b|return\b|redirect\(")

_DECIDING = frozenset({"Authenticated", "DenyAll", "PermitAll", "RolesAllowed"})
"""Marks of Java of which the nearest decides."""
_MAY_REFUSE = re.compile(
    r"\b(?:throw|return|await)\b|\bif\s{0,9}\(|\bnext\(\s{0,9}[^)\s]"
    r"|\b(?:ctx|reply|res|response)\.(?!locals\b)"
    r"|\.(?:assert|authorize|can|check|ensure|require|verify)\w{0,40}\("
)
"""What stands in a function of JavaScript that does more than to go on."""
_ASKED = re.compile(
    r"(?:\b(\w{1,80})\s{0,9}=\s{0,9}|\bif\s{0,9}\(\s{0,9})(?:await\s{1,9})?(?:this\.)?\w{0,40}"
    r"[rR]eflector\.get\w{0,40}(?:<[^<>()]{0,80}>)?\(\s{0,200}[\"'`]?([\w.]{1,80})"
)
"""A variable that holds what a guard of NestJS reads of its handler, and the key; without one the
condition itself."""
_OF_VARIABLE = re.compile(
    r"\bif\s{0,9}\(\s{0,9}(\w{1,80})\s{0,9}\)\s{0,9}+\{?\s{0,200}+return true\b"
)
_AT_ONCE = re.compile(r"[^;{}]{0,300}\)\s{0,9}+\{?\s{0,200}+return true\b")


class Passed(msgspec.Struct, frozen=True):
    """How paths begin that pass, whole paths, and names of handlers."""

    beginnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    handlers: tuple[str, ...] = ()


def is_anonymous(facts: Facts, path: str, handler: Symbol | None, guards: Sequence[Guard]) -> bool:
    """Are all callers let pass to an action of .NET, by a mark of its own, of its class or of what
    that builds on, or where its route is put; to a view of Django REST framework; or to a method of
    Java, whose own mark stands instead of that of its class?"""
    marks = {guard.name for guard in guards}
    if path.endswith(".py"):
        return marks == {"AllowAny"}
    if handler is not None and path.endswith((".cs", ".java", ".kt")):
        holder = handler.qualified if handler.kind in TYPES else handler.container
        classes = (symbol_of(facts, *it) for it in types(facts).around((path, holder)))
        own = (handler.marks, *(it.marks for it in classes if it))
        if not path.endswith(".cs"):
            return "PermitAll" in next((it for it in own if _DECIDING.intersection(it)), ())
        marks.update(*own)
    return ANONYMOUS in marks


def lets_pass(facts: Facts, guard: Guard, route: str, handler: str) -> bool:
    """Does a guard return without a question for a route?"""
    if guard.spot is None or not guard.spot.path.endswith(".py"):
        return guard.spot is not None and _passes_all(facts, guard.spot.path, guard.spot.name)
    own = _passed(facts, guard.spot.path, guard.spot.name)
    is_named = handler.rpartition(".")[2] in own.handlers
    return is_named or route in own.paths or route.startswith(own.beginnings)


def asked(facts: Facts, guards: Sequence[Guard]) -> tuple[tuple[Guard, ...], bool]:
    """The guards of a route that are asked, and whether decorators keep others from it."""
    keys = {it.name.removeprefix(TELLING) for it in guards if it.name.startswith(TELLING)}
    named = [guard for guard in guards if not guard.name.startswith(TELLING)]
    left = [guard for guard in named if not (keys and keys & _keys(facts, guard))]
    return tuple(left), len(left) < len(named)


def _keys(facts: Facts, guard: Guard) -> frozenset[str]:
    """The keys of what makes a guard of NestJS let everybody pass, itself or by a class that it
    builds on."""
    places = [*types(facts).around(guard.spot)] if guard.spot else []
    return frozenset(key for place in places for key in _passing_keys(facts, *place))


@query
def _passing_keys(facts: Facts, path: str, name: str) -> frozenset[str]:
    symbol = symbol_of(facts, path, name)
    lines = lines_of(facts, path)[symbol.line - 1 : symbol.end] if symbol else ()
    text = "\n".join(lines)
    letting = {match[1] for match in _OF_VARIABLE.finditer(text)}
    return frozenset(
        match[2]
        for match in _ASKED.finditer(text)
        if (match[1] in letting if match[1] else _AT_ONCE.match(text, match.end()))
    )


@query
def _passes_all(facts: Facts, path: str, name: str) -> bool:
    """Does a function of JavaScript only go on to what is `next`, or look at what a body holds?"""
    symbol = symbol_of(facts, path, name) if path.endswith((".js", ".ts", ".mjs", ".cjs")) else None
    lines = lines_of(facts, path)[symbol.line - 1 : symbol.end] if symbol else ()
    text = "\n".join(lines)
    is_passing = "next()" in text and not _MAY_REFUSE.search(text)
    return is_passing or "validationResult(" in text


@query
def _passed(facts: Facts, path: str, name: str) -> Passed:
    symbol = symbol_of(facts, path, name)
    if symbol is None:
        return Passed()
    lines = facts.tree.text(path).split("\n")[symbol.line : symbol.end]
    found: dict[str, list[str]] = {"begins": [], "is": [], "for": []}
    for condition in _let_through([line for line in lines if line.strip()]):
        for kind, texts in _read(condition):
            found[kind] += texts
    handlers = (text.rpartition(".")[2] for text in found["for"])
    return Passed(tuple(found["begins"]), tuple(found["is"]), tuple(handlers))


def _let_through(lines: list[str]) -> Iterator[str]:
    """Conditions under which nothing more is asked, up to the first line that may refuse; none
    within a condition on the request."""
    around: list[tuple[int, str]] = []
    plain = [line for line in lines if not line.lstrip().startswith("#")]
    for at, line in enumerate(plain):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        around = [outer for outer in around if outer[0] < indent]
        if match := _IF.fullmatch(bare):
            following = plain[at + 1].strip() if at + 1 < len(plain) else ""
            if following in _PASSES and not any("request" in outer for _, outer in around):
                yield match[1]
            around.append((indent, match[1]))
        elif _REFUSES.match(bare) and bare not in _PASSES:
            return


def _read(condition: str) -> Iterator[tuple[str, list[str]]]:
    """What each of some alternatives asks of a request; what is not understood is left out."""
    for part in condition.split(" or "):
        for kind, pattern in (("begins", _BEGINS), ("is", _IS), ("for", _FOR)):
            match = pattern.fullmatch(part.strip())
            if match and _TEXTS.fullmatch(match[1].strip()):
                yield kind, _TEXT.findall(match[1])
