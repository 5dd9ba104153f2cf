"""What a function does outside of the repository: calls of packages of others that send something
or ask another service, as `catalogue/outgoing.toml` lists them.

A call counts where an import proves its package: of the name itself, or of the type of what the
call is made on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from stationmaster.catalogue.outgoing import Leaving, outgoing
from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.names import targets
from stationmaster.wiki.facts.code.stations import calls_of
from stationmaster.wiki.facts.model import Facts, Spot, query

CALLS_MAX = 3
"""Of one function."""
LINES_MAX = 30
"""Above a call, in which its variable is looked for."""
COLUMNS_MAX = 400
"""Of such a line."""
_KEPT = (
    r"([\w.]{{1,100}})\([^\n]{{0,200}}\)\s+as\s+{name}\s*:"
    r"|\b{name}\s*:?=(?!=)\s*(?:(?:await|new)\s+|&)*([\w.]{{0,100}})"
)
"""What makes a value that gets a name: `Client() as name:`, `name = Client()`."""
_SIGNS = re.compile(r"::|->|\?\.|\.")
_PLAIN = re.compile(r"[\w@]+(?:\.[\w@]+){0,4}")
_LAST = re.compile(r"[./\\]|::")
_OWN = frozenset({"self", "this", "cls"})


class Outside(NamedTuple):
    """A call of `function`, as written, of a package of others at a line; what it does as words
    that follow its name."""

    function: str
    package: str
    does: str
    line: int


class _Origin(NamedTuple):
    """What a name stands for: something called `name` in a package, '' for all of the package."""

    row: Leaving
    package: str
    name: str


@query
def outside_of(
    facts: Facts, path: str, name: str, first: int = 0, last: int = 0
) -> tuple[Outside, ...]:
    """The first calls of a function, or of some lines of it, that leave the repository; each
    function of a package once."""
    origins = _origins(facts, path)
    found: dict[tuple[str, str], Outside] = {}
    for call in calls_of(facts, Spot(path, name), (first, last)) if origins else ():
        origin = _origin(facts, path, origins, call)
        if origin is not None and len(found) < CALLS_MAX and not targets(facts, path, call):
            function = f"{call.of}.{call.name}" if call.of else call.name
            row = Outside(function, origin.package, origin.row.does, call.line)
            found.setdefault((function, origin.package), row)
    return tuple(found.values())


def _origin(
    facts: Facts, path: str, origins: Mapping[str, tuple[_Origin, ...]], call: Call
) -> _Origin | None:
    """What a call means, if that leaves the repository."""
    of = _SIGNS.sub(".", call.of.replace("$", "").removeprefix("await "))
    if not of:
        for origin in origins.get(call.name, ()):
            if (origin.name or "default") in origin.row.names:
                return origin
        return None
    if not _PLAIN.fullmatch(of):
        named = origins.get(call.of, ())
        return next((each for each in named if _is_asked(each.row, call.name)), None)
    head, _, rest = of.partition(".")
    for origin in origins.get(of, ()):
        is_whole = origin.name in ("", "default", "*", *origin.row.types, *origin.row.takers)
        if is_whole and _is_asked(origin.row, call.name):
            return origin
    for origin in origins.get(head, ()) if rest else ():
        takers = origin.row.takers | origin.row.types
        if (rest in takers or "*" in origin.row.names) and _is_asked(origin.row, call.name):
            return origin
    if not any(_is_asked(each.row, call.name) for named in origins.values() for each in named):
        return None
    type_ = _type(facts, path, call.caller, of) or _made(facts, path, call.line, of)
    return _of_type(origins, type_, call.name)


def _is_asked(row: Leaving, name: str) -> bool:
    return "*" in row.names or name in row.names


def _of_type(origins: Mapping[str, tuple[_Origin, ...]], type_: str, name: str) -> _Origin | None:
    """What a type of a package, or what one of its functions gives, is asked for."""
    words = type_.removesuffix("()")
    head, _, made = words.partition(".")
    for origin in origins.get(head, ()) if words else ():
        last = made or (origin.name if origin.name != "default" else head)
        is_made = last in origin.row.types or (type_ != words and last in origin.row.makers)
        if (is_made or origin.name in origin.row.types) and _is_asked(origin.row, name):
            return origin
    return None


def _type(facts: Facts, path: str, caller: str, of: str) -> str:
    """The type, as written, of a variable or of a field of the object itself; '' where it is not
    known."""
    held = _held(facts, path)
    head, _, name = of.partition(".")
    is_own = head in _OWN or held.get((caller, head)) == caller.rpartition(".")[0] != ""
    if name and not is_own:
        return ""
    scope, word = (caller.rpartition(".")[0], name) if name else (caller, head.lstrip("@"))
    while True:
        if (scope, word) in held:
            return held[scope, word]
        if not scope:
            return ""
        scope = scope.rpartition(".")[0]


def _made(facts: Facts, path: str, line: int, of: str) -> str:
    """What makes that which a variable holds at a line, by the lines above; '' where it is kept
    further away. It may hold something else elsewhere."""
    if not of.isidentifier():
        return ""
    kept = re.compile(_KEPT.format(name=re.escape(of)))
    for text in reversed(lines_of(facts, path)[max(0, line - 1 - LINES_MAX) : line - 1]):
        if match := kept.search(text[:COLUMNS_MAX]):
            return f"{match[1] or match[2] or ''}()"
    return ""


@query
def _held(facts: Facts, path: str) -> Mapping[tuple[str, str], str]:
    typed = (each for each in facts.code[path].typed if "|" not in each.type)
    return {(each.holder, each.name): each.type for each in typed}


@query
def _origins(facts: Facts, path: str) -> Mapping[str, tuple[_Origin, ...]]:
    """By the names that they have in a file."""
    rows = _by_ending().get(path[path.rfind(".") :], ())
    found: dict[str, list[_Origin]] = defaultdict(list)
    resolved = all_links(facts).resolved.get(path, ())
    imports = zip(facts.code[path].imports, resolved, strict=False) if rows else ()
    for given, end in imports:
        for row, package in () if end.targets else _packages(rows, given.name):
            last = "" if given.name == package else _LAST.split(given.name)[-1]
            names = given.names or (last,)
            for name, bound in zip(names, given.bound or names, strict=False):
                found[bound].append(_Origin(row, package, "" if name == "*" else name))
    for row in rows:
        for name in (row.types | row.takers) if row.is_implicit else ():
            found[name].append(_Origin(row, row.packages[0], name))
    return {name: tuple(origins) for name, origins in found.items()}


def _packages(rows: tuple[Leaving, ...], name: str) -> Iterator[tuple[Leaving, str]]:
    """The rows that have the package of an import, with that."""
    for row in rows:
        for package in row.packages:
            rest = name.removeprefix(package)
            if not rest or (rest != name and rest.startswith((".", "/", "\\", "::"))):
                yield row, package


@cache
def _by_ending() -> Mapping[str, tuple[Leaving, ...]]:
    found: dict[str, tuple[Leaving, ...]] = {}
    for row in outgoing().rows:
        for ending in row.endings:
            found[ending] = (*found.get(ending, ()), row)
    return found
