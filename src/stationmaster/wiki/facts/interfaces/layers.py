"""What requests pass through before and after their handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.catalogue.middleware import middleware
from stationmaster.catalogue.table import compiled, matching
from stationmaster.reading.code import explaining
from stationmaster.reading.code.bodies import Condition
from stationmaster.reading.code.model import FileFacts
from stationmaster.wiki.facts.code.bindings import declaration, meant
from stationmaster.wiki.facts.code.comments import asked_at, numbered, symbol_of
from stationmaster.wiki.facts.code.names import around, handler_of, made_type
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.code.steps.libraries import extending
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.interfaces import file_routes
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

LAYERS_MAX = 200
WORDS_MAX = 120
_CHAIN_MAX = 200
"""Lines of a chain of calls."""
_CALL = re.compile(
    r"\s*((?:[\w$@()\"]+(?=\.|->))?(?:(?:\.|->)\w+)+|\w+)(?:<[\w., ]{1,99}>)?\s*[({]"
)
"""The beginning of a line that calls something."""
_PART = re.compile(r"(?:\s*+\.service\()?\s*+((?:web::)?(?:scope|resource)\([^)]{0,80}\))")
"""The beginning of a chain of calls that builds a part of the routes alone."""
_DOTTED = re.compile(r"[\"']((?:\w+\.)+\w+)[\"']")
_GIVEN = re.compile(r"(?:\((?:new\s{1,9})?|\w<(?=\w{1,99}>\())(\w{1,99})\b")
_MADE = re.compile(r"\b(\w{1,99}+)\s{0,9}=\s{0,9}new\s{1,9}(\w{1,99})\(")
"""A variable, and the type of what it holds."""
_AROUND = frozenset({"middleware", "proxy", "handle", "onRequest"})
_MATCHER = re.compile(r"\bmatcher\s*:\s*(\[[^\]]{1,400}\]|[\"'`][^\"'`\n]{1,200}[\"'`])")
"""The paths that a file of Next.js is for."""
_GENERIC = re.compile(r"[<\[(].*$")


class Layer(msgspec.Struct, frozen=True):
    """`words` are how it is registered, or what it is called; `ends` are what runs, as far as the
    repository declares it: its name, place and comment; `part` of the routes it is for, as written,
    '' where none is known, and `conditions` are those under which it is registered."""

    words: str
    place: Place
    ends: tuple[tuple[str, Place, str], ...]
    part: str = ""
    conditions: tuple[Condition, ...] = ()


@query
def layers(facts: Facts) -> tuple[Layer, ...]:
    """By file, in the order of the source."""
    listed: list[Layer] = []
    for path, code in facts.code.items():
        if facts.records[path].file_class == "source":
            own = [*_declared(facts, path, code), *_listed(facts, path, code)]
            own += _provided(facts, path, code)
            listed += sorted([*own, *_called(facts, path, code)], key=lambda it: it.place.line or 0)
    listed += [_placed(facts, path) for path in file_routes.around(facts)]
    return tuple(listed[:LAYERS_MAX])


def _placed(facts: Facts, path: str) -> Layer:
    """A file that lies where a framework looks for what is around handlers."""
    own = [it for it in facts.code[path].symbols if it.kind == "function" and not it.container]
    named = [it for it in own if it.name in _AROUND] or own[:1]
    ends = [end for it in named for end in _ends(facts, Spot(path, it.qualified))]
    matched = _MATCHER.search(facts.tree.text(path))
    part = " ".join(matched[1].split()) if matched else ""
    return Layer(path.rpartition("/")[2], Place(path), tuple(ends), part[:WORDS_MAX])


def _declared(facts: Facts, path: str, code: FileFacts) -> Iterator[Layer]:
    table = middleware()
    elsewhere = {name for name, of in table.types.within.items() if not _imports(code, of)}
    for symbol in code.symbols:
        bases = {_GENERIC.sub("", base).rpartition(".")[2] for base in symbol.bases}
        marks = {mark.rpartition(".")[2] for mark in symbol.marks}
        is_type = symbol.kind in TYPES and bases & table.types.names - elsewhere
        if is_type or marks & table.marks.names:
            place = Place(path, symbol.line, symbol.end)
            library = extending(facts, Spot(path, symbol.qualified))
            called = [end for it in library.methods for end in _ends(facts, it)] if library else []
            ends = [(name, where, doc or symbol.doc) for name, where, doc in called]
            ends = ends or [(symbol.qualified, place, symbol.doc)]
            hooks = [it for it in symbol.marks if it.rpartition(".")[2] in table.marks.names]
            words = symbol.qualified if is_type else " ".join(f"@{it}" for it in hooks)
            yield Layer(words, place, tuple(ends))


def _listed(facts: Facts, path: str, code: FileFacts) -> Iterator[Layer]:
    for symbol in code.symbols:
        if symbol.name in middleware().lists.names and not symbol.container:
            lines = facts.tree.text(path).split("\n")[symbol.line - 1 : symbol.end]
            for line, text in enumerate(lines, symbol.line):
                for dotted in _DOTTED.findall(text):
                    end = declaration(facts, path, dotted)
                    spot = Spot(end[0], end[1].qualified) if end else None
                    yield Layer(dotted, Place(path, line), _ends(facts, spot))


def _provided(facts: Facts, path: str, code: FileFacts) -> Iterator[Layer]:
    table = middleware().provided
    text = facts.tree.text(path) if _imports(code, table.packages) else ""
    for line, match in numbered(compiled(table.pattern), text):
        end = declaration(facts, path, match[2])
        spot = Spot(end[0], end[1].qualified) if end else None
        yield Layer(f"{match[1]}: {match[2]}", Place(path, line), _ends(facts, spot))


def _called(facts: Facts, path: str, code: FileFacts) -> Iterator[Layer]:
    calls = middleware().calls.get(path[path.rfind(".") :])
    if calls is None or (calls.packages and not _imports(code, calls.packages)):
        return
    if calls.beside and not compiled(calls.beside).search(facts.tree.text(path)):
        return
    mounts = (mount.line for mount in code.mounts if meant(facts, path, mount.child))
    others = {*mounts, *(route.line for route in code.routes)}
    tests = {test.name for test in code.tests}
    lines = facts.tree.text(path).split("\n")
    named = {line: match[1] for line, text in enumerate(lines, 1) if (match := _CALL.match(text))}
    names = {name: name if name[0] not in ".-" else f"_{name}" for name in {*named.values()}}
    wanted = matching({*names.values()}, calls.names)
    for line, name in named.items():
        if line in others or names[name] not in wanted:
            continue
        text = lines[line - 1]
        caller = around(facts, path, line)
        if caller.rpartition(".")[2] not in tests and not caller.startswith("tests."):
            steps = station_of(facts, Spot(path, caller)).steps if caller else ()
            last = explaining.block_end(lines, line) if text.endswith("(") else line
            ends = (_ends(facts, step.ends[0]) for step in steps if line <= step.line <= last)
            runs = tuple(end for some in ends for end in some) or _named(facts, path, text, line)
            when = asked_at(facts, path, caller, line)
            yield Layer(_words(lines, line), Place(path, line), runs, _part(lines, line), when)


def _part(lines: Sequence[str], line: int) -> str:
    """The part of the routes at the beginning of the chain that a line goes on with."""
    depth = explaining.indent(lines[line - 1])
    before = range(line - 2, max(-1, line - _CHAIN_MAX), -1)
    outer = (
        lines[at] for at in before if lines[at].strip() and explaining.indent(lines[at]) < depth
    )
    begins = _PART.match(next(outer, "")) if lines[line - 1].lstrip().startswith(".") else None
    return begins[1] if begins else ""


def _named(facts: Facts, path: str, text: str, line: int) -> tuple[tuple[str, Place, str], ...]:
    """The type that a call is given, by its name or by that of a variable which holds a new one,
    with the methods that a library calls on it."""
    given = _GIVEN.search(text)
    made = _made(facts, path).get(given[1]) if given else None
    name = made or (given[1] if given else "")
    spot = handler_of(facts, path, name, 0) if made else None
    end = declaration(facts, path, name) if spot is None and name else None
    spot = spot or (Spot(end[0], end[1].qualified) if end else None)
    if spot is None and (place := made_type(facts, path, name, line) if name else None):
        spot = Spot(*place)
    symbol = symbol_of(facts, spot.path, spot.name) if spot else None
    if spot is None or symbol is None or symbol.kind not in TYPES:
        return ()
    library = extending(facts, spot)
    called = [end for it in library.methods for end in _ends(facts, it)] if library else []
    return tuple(called) or _ends(facts, spot)


@query
def _made(facts: Facts, path: str) -> Mapping[str, str]:
    """The types of new things by the variables that hold them, of several the first."""
    return dict(reversed(_MADE.findall(facts.tree.text(path))))


def _words(lines: Sequence[str], line: int) -> str:
    """A call as written, cut where its arguments go on over many lines."""
    text = " ".join(lines[line - 1].split())
    if text.endswith("("):
        text += " ".join(lines[line].split()) if line < len(lines) else ""
    text = text.rstrip("; ")
    is_whole = text.count("(") == text.count(")") and not text.endswith("{")
    return text[:WORDS_MAX] if is_whole else f"{text[:WORDS_MAX]} …"


def _imports(code: FileFacts, packages: Sequence[str]) -> bool:
    return any(
        imported.name.startswith(package) for imported in code.imports for package in packages
    )


def _ends(facts: Facts, spot: Spot | None) -> tuple[tuple[str, Place, str], ...]:
    symbol = symbol_of(facts, spot.path, spot.name) if spot else None
    if spot is None or symbol is None:
        return ()
    return ((spot.name, Place(spot.path, symbol.line, symbol.end), symbol.doc),)
