"""Types that several others extend or implement: where the code is made to be extended."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.reading.code.languages.go.implementing import Place
from stationmaster.reading.code.model import Call, Symbol
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import called, types
from stationmaster.wiki.facts.code.symbols import TYPES, only_for_tests
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.texts.meanings import is_deprecated

IMPLEMENTATIONS_MIN, IMPLEMENTATIONS_MAX = 3, 100
"""Fewer show no way to extend the code; more build on what everything does."""
_GENERIC = re.compile(r"[<\[(].*$")
_FUNCTION = re.compile(r"=>|\w\??\([^()]{0,200}\)\s?:")
_LINE_MAX = 400
_STATIC = re.compile(r"^(?:\w+ ){0,3}static ")
_IMPLEMENTS = re.compile(
    r"(?m)^(?:unsafe )?impl(?:<[^{;\n]{0,200}>)? ([A-Za-z_][\w:]{0,100})(?:<[^{;\n]{0,200}>)?"
    r" for ([A-Za-z_][\w:]{0,100})"
)
"""Outside modules, such as those of tests."""
_ORDINARY = re.compile(r"(?:.*\.)?(?:.{0,60}(?:Error|Exception)|Test\w{0,60}|\w{0,60}TestCase)$")


class Point(msgspec.Struct, frozen=True, array_like=True):
    """A type of the repository, its own public methods, and the types that build on it directly:
    their file and name, by path. `duties` are methods that these have to write, of a class and of
    what it builds on itself."""

    path: str
    symbol: Symbol
    methods: tuple[Symbol, ...]
    implementations: tuple[tuple[str, Symbol], ...]
    duties: tuple[str, ...] = ()


@query
def extension_points(facts: Facts) -> tuple[Point, ...]:
    """Those with most implementations first; errors, which everybody extends, are none. In Go
    they are interfaces: what is embedded there is not extended."""
    found: dict[Spot, list[tuple[str, Symbol]]] = defaultdict(list)
    for path, said in facts.code.items():
        if facts.records[path].file_class != "source" or path.endswith(".go"):
            continue
        tests = only_for_tests(facts, path)
        for symbol in said.symbols:
            for base in symbol.bases if symbol.qualified not in tests else ():
                spot = declared(facts, path, base)
                if spot is not None and spot != Spot(path, symbol.qualified):
                    found[spot].append((path, symbol))
    for spot, row in _implemented_elsewhere(facts):
        found[spot].append(row)
    found |= {
        Spot(*place): _symbols(facts, it.whole)
        for place, it in types(facts).implementers.items()
        if not it.by_chance
    }
    points = [
        _point(facts, spot, given)
        for spot, given in found.items()
        if len({(path, each.qualified) for path, each in given}) >= IMPLEMENTATIONS_MIN
        and facts.records[spot.path].file_class == "source"
        and not _ORDINARY.fullmatch(spot.name)
    ]
    points = [point for point in points if _is_extended(facts, point)]
    points.sort(key=lambda each: (-len(each.implementations), each.path, each.symbol.line))
    return tuple(points)


def _implemented_elsewhere(facts: Facts) -> Iterator[tuple[Spot, tuple[str, Symbol]]]:
    """The traits of Rust that a file implements for types of other files, with these."""
    for path, record in facts.records.items():
        is_rust = path.endswith(".rs") and path in facts.code and record.file_class == "source"
        text = facts.tree.text(path) if is_rust else ""
        for match in _IMPLEMENTS.finditer(text) if " for " in text else ():
            trait, type_ = (declared(facts, path, it) for it in match.groups())
            symbol = symbol_of(facts, *type_) if type_ and type_.path != path else None
            if trait and type_ and symbol and symbol.kind in TYPES:
                yield trait, (type_.path, symbol)


def _is_extended(facts: Facts, point: Point) -> bool:
    """Is a type there to be extended? One that only marks others or holds their values is not, nor
    one that is deprecated, nor a class that all build on, and that asks nothing of them."""
    if is_deprecated(point.symbol) or not (point.methods or point.duties or _asks(facts, point)):
        return False
    is_open = bool(point.duties) or point.symbol.kind != "class"
    return is_open or len(point.implementations) <= IMPLEMENTATIONS_MAX


def _asks(facts: Facts, point: Point) -> bool:
    """Does an interface of TypeScript have a function, or one of Go those of another?"""
    if not point.path.endswith((".ts", ".tsx")):
        return point.path.endswith(".go")
    lines = lines_of(facts, point.path)[point.symbol.line - 1 : point.symbol.end]
    return any(_FUNCTION.search(line[:_LINE_MAX]) for line in lines)


def _symbols(facts: Facts, places: Sequence[Place]) -> list[tuple[str, Symbol]]:
    return [(path, it) for path, name in places if (it := symbol_of(facts, path, name))]


def declared(facts: Facts, path: str, base: str) -> Spot | None:
    """Where the repository declares a base that a file names."""
    words = _GENERIC.sub("", base).replace("::", ".").replace("\\", ".").strip(". ")
    of, _, name = words.rpartition(".")
    return called(facts, path, Call(name, 0, of)) if name else None


def _point(facts: Facts, spot: Spot, given: list[tuple[str, Symbol]]) -> Point:
    symbols = facts.code[spot.path].symbols
    symbol = next(each for each in symbols if each.qualified == spot.name)
    methods = [
        each
        for each in symbols
        if each.container == spot.name
        and (each.is_public or spot.path.endswith(".go"))
        and not each.name.startswith("__")
        and each.kind in ("method", "function")
        and not _STATIC.search(each.signature)
    ]
    declares = types(facts)
    open_ = [name for path, name in declares.methods(spot) if declares.is_open((path, name))]
    duties = dict.fromkeys(name.partition("(")[0].removeprefix(f"{spot.name}.") for name in open_)
    once = {(path, each.qualified): (path, each) for path, each in reversed(given)}
    return Point(
        spot.path,
        symbol,
        tuple(methods),
        tuple(once[key] for key in sorted(once, key=lambda it: (is_deprecated(once[it][1]), it))),
        tuple(duties) if symbol.kind == "class" else (),
    )
