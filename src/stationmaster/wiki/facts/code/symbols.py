"""What files and modules offer by name, and which of it matters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import msgspec

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.code.model import FileFacts, Symbol
from stationmaster.reading.code.signatures import is_setter
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_benchmark
from stationmaster.wiki.facts.code.imported import outer
from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.code.names import beside, users_of
from stationmaster.wiki.facts.model import Facts, Spot, query

_LIKE = expressions("suites")
LARGE_LINES, LARGE_MAX = 200, 12
ENTERED_MAX = 3
ALIKE_MIN = 8
"""Files of a module whose functions are compared."""
KEY_MAX = 15
"""Symbols of a module that are listed with their comments."""
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_MAKERS = {
    ".php": "__construct", ".py": "__init__", ".rb": "initialize", ".swift": "init",
    **dict.fromkeys(_SCRIPTS, "constructor"),
}  # fmt: skip
"""Names of methods that make an object, by the ending of files. Elsewhere they are called as their
type."""
TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "object", "type"})
_CALLED = frozenset({"method", "function", "constructor", "property"})
TEST_MARK = "cfg(test)"
_TESTS = re.compile(r"(?:\w+_)?tests?")
"""What modules of tests are called."""
_SAMPLE = re.compile(
    rf"(?<![A-Za-z])(?i:{'|'.join(sorted(lists.words('sample')))})s?(?![a-z])"
    rf"|(?:{'|'.join(sorted(map(str.capitalize, lists.words('sample'))))})s?(?![a-z])"
)
_FACTORIES = frozenset({"factories", "__mocks__", "mocks"})
_OF_PRODUCTS = frozenset({"src", "main", "lib", "app"})
"""Folders below which one of factories may be the product's."""
_OF_VALUES = (*_SCRIPTS, ".php", ".java")
"""Endings of languages in which a property is a field."""
_PLAIN = frozenset({"variable", "constant", "property", "macro", "type"})
"""Kinds of symbols that are listed only with a comment or with users."""


class Known(msgspec.Struct, frozen=True, array_like=True):
    """A symbol in its file; `users` are the source files outside that name it."""

    path: str
    symbol: Symbol
    users: int = 0


def maker_of(path: str, type_: str) -> str:
    """What the method of a type that makes its objects is called in a file."""
    return _MAKERS.get(f".{path.rpartition('.')[2]}", type_.rpartition(".")[2])


@query
def suites(facts: Facts) -> frozenset[str]:
    """The files of the product most of whose functions take the objects of a test framework."""
    paths = set()
    for path, code in facts.code.items():
        functions = [symbol for symbol in code.symbols if symbol.kind in ("function", "method")]
        of_tests = [symbol for symbol in functions if _LIKE["takes"].search(symbol.signature)]
        if of_tests and 2 * len(of_tests) >= len(functions):
            paths.add(path)
    return frozenset(paths)


@query
def public_of(facts: Facts, path: str) -> tuple[Symbol, ...]:
    """The symbols that a file exports, by line: those of its list of exports or of its default
    export, else the public ones that only modules contain."""
    if path not in facts.code:
        return ()
    code = facts.code[path]
    listed = None if code.exports is None else frozenset(code.exports)
    offered: dict[str, Symbol] = {}
    for symbol in outer(code):
        is_default = listed is not None and "default" in listed and symbol.is_public
        if is_default or (symbol.name in listed if listed is not None else symbol.is_public):
            offered.setdefault(symbol.qualified, symbol)
    return tuple(sorted(offered.values(), key=lambda symbol: (symbol.line, symbol.name)))


@query
def own_files(facts: Facts, key: str) -> tuple[str, ...]:
    """The files of a module without those that measure it, where there are others."""
    this = module(facts, key)
    return tuple(path for path in this.files if not is_benchmark(path)) or this.files


@query
def key_symbols(facts: Facts, key: str) -> tuple[Known, ...]:
    """The symbols of a module that most other files use, then types, then symbols with a comment;
    at most KEY_MAX."""
    candidates = []
    for path in own_files(facts, key):
        users = users_of(facts, path)
        candidates += [
            Known(path, symbol, users.get(symbol.qualified, 0)) for symbol in public_of(facts, path)
            if symbol.kind != "module"
            and (symbol.doc or symbol.kind not in _PLAIN or symbol.qualified in users)
        ]  # fmt: skip
    candidates.sort(key=_precedence)
    return tuple(candidates[:KEY_MAX])


@query
def only_for_tests(facts: Facts, path: str) -> frozenset[str]:
    """The qualified names of a file's symbols that exist only for tests: tests, and what is
    compiled only for them or is in their module."""
    code = facts.code[path]
    tests = {test.name for test in code.tests}
    names: set[str] = set()
    for symbol in code.symbols:
        is_marked = TEST_MARK in symbol.marks or _TESTS.fullmatch(
            symbol.container.partition(".")[0]
        )
        if is_marked or tests & {symbol.name, symbol.qualified} or symbol.container in names:
            names.add(symbol.qualified)
    return frozenset(names)


@query
def shared(facts: Facts, key: str) -> Mapping[str, int]:
    """The functions that most of many files of a module declare, with the number of files."""
    files = module(facts, key).files
    counts: Counter[str] = Counter()
    for path in files:
        counts.update({it.qualified for it in public_of(facts, path) if it.kind == "function"})
    most = [name for name, count in sorted(counts.items()) if 2 * count > len(files)]
    return {name: counts[name] for name in most} if len(files) >= ALIKE_MIN else {}


def is_sample(spot: Spot) -> bool:
    """Is code named after a demonstration, a fixture or the like, itself, its type or its file?"""
    return is_made_for_tests(spot.path) or _SAMPLE.search(f"{spot.path} {spot.name}") is not None


def is_made_for_tests(path: str) -> bool:
    """Is a file in a folder of factories for tests, outside the folders of products?"""
    folders = path.split("/")[:-1]
    at = next((at for at, it in enumerate(folders) if it in _FACTORIES), len(folders))
    return at < len(folders) and _OF_PRODUCTS.isdisjoint(folders[:at])


@query
def public_count(facts: Facts, key: str) -> int:
    return sum(len(public_of(facts, path)) for path in own_files(facts, key))


@query
def types_called(facts: Facts, name: str) -> int:
    """The number of types with a name."""
    return _type_names(facts)[name]


@query
def _type_names(facts: Facts) -> Counter[str]:
    return Counter(
        symbol.name
        for code in facts.code.values()
        for symbol in code.symbols
        if symbol.kind in TYPES
    )


@query
def large_types(facts: Facts, key: str) -> tuple[Spot, ...]:
    """The types of a module with at least LARGE_LINES lines, the longest first."""
    types = []
    for path in module(facts, key).files:
        symbols = facts.code[path].symbols if path in facts.code else ()
        # Methods may follow the object that they are assigned to.
        ends = {
            symbol.container: symbol.end
            for symbol in sorted(symbols, key=lambda symbol: symbol.end)
        }
        for symbol in symbols:
            length = max(symbol.end, ends.get(symbol.qualified, 0)) - symbol.line
            if symbol.kind in TYPES and length >= LARGE_LINES:
                types.append((-length, path, symbol.qualified))
    return tuple(Spot(path, name) for _, path, name in sorted(types)[:LARGE_MAX])


@query
def entered_types(facts: Facts, key: str) -> tuple[Spot, ...]:
    """The types of a module that contain routes, commands or jobs, those with most first."""
    counts: Counter[Spot] = Counter()
    for path in module(facts, key).files:
        code = facts.code[path] if path in facts.code else FileFacts()
        lines = [item.line for some in (code.routes, code.commands, code.jobs) for item in some]
        for symbol in code.symbols:
            count = sum(symbol.line <= line <= symbol.end for line in lines)
            if symbol.kind in TYPES and count:
                counts[Spot(path, symbol.qualified)] = count
    order = sorted(counts, key=lambda spot: (-counts[spot], spot.path, spot.name))
    return tuple(order[:ENTERED_MAX])


def _precedence(row: Known) -> tuple[int, bool, bool, int, str, int]:
    symbol = row.symbol
    size = symbol.end - symbol.line
    return (
        -row.users, symbol.kind not in TYPES, not symbol.doc, -size, row.path, symbol.line,
    )  # fmt: skip


def _is_computed(path: str, symbol: Symbol) -> bool:
    """Has a property lines that run when it is read? Elsewhere these are but its value."""
    return symbol.end > symbol.line and not path.endswith(_OF_VALUES)


@query
def methods_of(facts: Facts, path: str, name: str) -> tuple[tuple[str, Symbol], ...]:
    """The methods of a type in order, each with its file: in Go also those in other files of its
    package."""
    others = beside(facts, folder_of(path)) if path.endswith(".go") else ()
    return tuple(
        (file, symbol)
        for file in dict.fromkeys((path, *others))
        for symbol in facts.code[file].symbols
        if symbol.container == name and symbol.kind in _CALLED
        and (symbol.kind != "property" or _is_computed(file, symbol))
        and not is_setter(symbol)
        # Overloads of Python are signatures of the function that follows them.
        and not (file.endswith(".py") and any(it.endswith("overload") for it in symbol.marks))
    )  # fmt: skip
