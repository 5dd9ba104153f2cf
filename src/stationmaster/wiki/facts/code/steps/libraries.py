"""What libraries call on objects of classes that extend theirs, such as the `run` of a thread."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.catalogue.enqueuing import called_back
from stationmaster.catalogue.table import matching
from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import called, types
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.symbols import TYPES, maker_of, suites
from stationmaster.wiki.facts.model import Facts, Spot, query

_IMPLICIT = {
    "java": "java.lang.",
    "kt": "java.lang.",
    "cs": "Microsoft.Extensions.Hosting.",
}
"""What files of an ending need not import."""
_REGISTERING = re.compile(
    r"\bAdd(?:Singleton|Scoped|Transient)<\s?(?:\w{1,60}\.){0,5}(\w{1,100}),"
    r"\s?(?:\w{1,60}\.){0,5}(\w{1,100})>"
)
_IN_MACRO = re.compile(
    r"\bimpl(?:<[^<>\n]{0,99}>)? (?:\w{1,60}::){0,5}(\w{1,99})(?:<[^<>\n]{0,99}>)? for \$"
)
_SIGNS = re.compile(r"::|[\\/:]")


class Extending(NamedTuple):
    """A class extends `base`, a class of a library that calls `methods` on it."""

    base: str
    methods: tuple[Spot, ...]


@query
def extending(facts: Facts, spot: Spot) -> Extending | None:
    """The base class and the methods that a library calls on objects of a type, or of the type of a
    constructor."""
    holder, _, name = spot.name.rpartition(".")
    is_maker = holder and name == maker_of(spot.path, holder)
    place = (spot.path, holder if is_maker else spot.name)
    symbol = symbol_of(facts, *place)
    if symbol is None or symbol.kind not in TYPES:
        return None
    own = {it[1].rpartition(".")[2]: Spot(*it) for it in types(facts).methods(place)}
    for path, type_ in types(facts).around(place):
        above = symbol_of(facts, path, type_)
        for words in above.bases if above else ():
            base = _SIGNS.sub(".", words.partition("<")[0]).rpartition(".")[2]
            names = matching(own, _methods(facts, path, base))
            if names:
                return Extending(base, tuple(own[it] for it in own if it in names))
    return None


def _methods(facts: Facts, path: str, base: str) -> list[str]:
    """The methods that a library calls on subclasses of a class that a file imports from it."""
    by_package = _by_name().get(base, {})
    if not by_package or called(facts, path, Call(base, 0)) is not None:
        return []
    imported = [_SIGNS.sub(".", it.name.removeprefix("node:")) for it in facts.code[path].imports]
    imported.append(_IMPLICIT.get(path.rpartition(".")[2], ""))
    near = (
        package for package in by_package if any(f"{it}.".startswith(package) for it in imported)
    )
    return by_package.get(next(near, ""), [])


def _by_name() -> Mapping[str, Mapping[str, list[str]]]:
    """The methods that libraries call, by class, then by package with a dot behind it."""
    by_name: dict[str, dict[str, list[str]]] = {}
    for name, methods in called_back().items():
        package, _, base = name.rpartition(".")
        by_name.setdefault(base, {})[f"{package}."] = methods
    return by_name


def implementing(facts: Facts, ends: tuple[Spot, ...]) -> tuple[Spot, ...]:
    """A method that is only declared, with those that implement it outside of tests: in .NET the
    only one of a type that is registered for its own, as in `AddSingleton<IStore, Store>()`."""
    others = tuple(it for it in ends[1:] if it.path not in suites(facts))
    types = {it: it.name.rpartition(".")[0].rpartition(".")[2] for it in (ends[0], *others)}
    made = _registered(facts).get(types[ends[0]], ()) if ends[0].path.endswith(".cs") else ()
    chosen = tuple(it for it in others if types[it] in made)
    return ends[0], *(chosen if len(chosen) == 1 else others)


@query
def made_by_macros(facts: Facts) -> frozenset[str]:
    """The traits of Rust that macros of the product implement for the types that they are given."""
    paths = (it for it in facts.code if it.endswith(".rs"))
    return frozenset(name for it in paths for name in _IN_MACRO.findall(facts.tree.text(it)))


@query
def _registered(facts: Facts) -> Mapping[str, frozenset[str]]:
    """The types that are registered for others in .NET, by the names of these."""
    made: dict[str, set[str]] = defaultdict(set)
    for path in facts.code:
        if path.endswith(".cs") and facts.records[path].file_class == "source":
            for declared, name in _REGISTERING.findall(facts.tree.text(path)):
                made[declared].add(name)
    return {declared: frozenset(names) for declared, names in made.items()}


def registered(facts: Facts, spot: Spot, call: Call) -> Step | None:
    """The step to a class whose objects a library makes, as in `AddHostedService<Worker>()`."""
    if not spot.path.endswith(".cs"):
        return None
    line = lines_of(facts, spot.path)[call.line - 1]
    match = re.search(rf"\b{re.escape(call.name)}<(\w{{1,80}})>", line)
    end = called(facts, spot.path, Call(match[1], call.line)) if match else None
    if end is None or extending(facts, end) is None:
        return None
    return Step(spot, (end,), call.line)
