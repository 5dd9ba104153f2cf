"""Which types of Go implement its interfaces: they have the methods, and need not say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import TEXT_MAX, Call, Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.names import Spot, called
from stationmaster.wiki.facts.model import Facts, query

_DEPTH_MAX = 4
"""Of types that are embedded in each other."""
_EMBEDDED_MAX = 20
"""In one type."""
_TYPE = re.compile(
    r"\b(?:[A-Z]\w*|any|bool|byte|complex\d+|error|float\d+|u?int\d*|rune|string|uintptr)\b"
)
_Methods = Mapping[str, frozenset[str]]
"""The types that each takes and gives, by its name."""


class Implementers(NamedTuple):
    """`whole` have all methods themselves; `wrapping` hold another one and replace some."""

    whole: tuple[tuple[str, Symbol], ...]
    wrapping: tuple[tuple[str, Symbol], ...]


@query
def implementers(facts: Facts) -> Mapping[Spot, Implementers]:
    """Of the interfaces of source files. One with a single method that takes and gives only types
    of the language is met by chance, and is none."""
    types = dict(_types(facts))
    embedded = {spot: _embedded(facts, spot, symbol) for spot, symbol in types.items()}
    own = {spot: _own_methods(facts).get((folder_of(spot.path), spot.name), {}) for spot in types}
    methods = _all_methods(types, embedded, own)
    by_name: dict[str, list[Spot]] = defaultdict(list)
    holders: dict[Spot, list[Spot]] = defaultdict(list)
    for spot, symbol in types.items():
        for name in methods[spot] if symbol.kind != "interface" else ():
            by_name[name].append(spot)
        for inner in embedded[spot] if symbol.kind == "struct" else ():
            holders[inner].append(spot)
    found = {}
    for spot, symbol in types.items():
        wanted = methods[spot] if symbol.kind == "interface" else {}
        if len(wanted) > 1 or any(name[:1].isupper() for it in wanted.values() for name in it):
            rarest = min(wanted, key=lambda name: len(by_name[name]))
            near = [it for it in by_name[rarest] if own[it].keys() & wanted.keys()]
            whole = [it for it in near if _has(methods[it], wanted)]
            holding = [it for it in holders[spot] if own[it].keys() & wanted.keys()]
            found[spot] = Implementers(
                tuple((it.path, types[it]) for it in whole),
                tuple((it.path, types[it]) for it in holding if it not in whole),
            )
    return found


def _has(own: _Methods, wanted: _Methods) -> bool:
    return all(name in own and own[name] == types for name, types in wanted.items())


def _types(facts: Facts) -> Iterator[tuple[Spot, Symbol]]:
    for path, said in facts.code.items():
        if path.endswith(".go") and facts.records[path].file_class == "source":
            for symbol in said.symbols:
                if symbol.kind in ("interface", "struct", "type"):
                    yield Spot(path, symbol.qualified), symbol


def _all_methods(
    types: Mapping[Spot, Symbol],
    embedded: Mapping[Spot, Sequence[Spot]],
    own: Mapping[Spot, _Methods],
) -> Mapping[Spot, _Methods]:
    """Those of types and of what they embed: of a struct without those of interfaces."""
    found = own
    for _ in range(_DEPTH_MAX):
        found = {
            spot: {
                name: kinds
                for inner in embedded[spot]
                if symbol.kind == "interface" or types[inner].kind != "interface"
                for name, kinds in found[inner].items()
            }
            | {**found[spot]}
            for spot, symbol in types.items()
        }
    return found


@query
def _own_methods(facts: Facts) -> Mapping[tuple[str, str], _Methods]:
    """By the folder and the name of a type, whose methods may stand in several files."""
    found: dict[tuple[str, str], dict[str, frozenset[str]]] = defaultdict(dict)
    for path, said in facts.code.items():
        if path.endswith(".go") and facts.records[path].file_class == "source":
            for symbol in said.symbols:
                if symbol.kind == "method" and len(symbol.signature) < TEXT_MAX:
                    rest = symbol.signature.partition(f"{symbol.name}(")[2]
                    kinds = frozenset(_TYPE.findall(rest))
                    found[folder_of(path), symbol.container][symbol.name] = kinds
    return found


def _embedded(facts: Facts, spot: Spot, symbol: Symbol) -> Sequence[Spot]:
    """The types of the repository that a type embeds."""
    found = []
    for base in symbol.bases[:_EMBEDDED_MAX]:
        of, _, name = base.partition("[")[0].lstrip("*").rpartition(".")
        inner = called(facts, spot.path, Call(name, 0, of))
        if inner is not None and inner != spot and inner in _kinds(facts):
            found.append(inner)
    return found


@query
def _kinds(facts: Facts) -> Mapping[Spot, str]:
    return {spot: symbol.kind for spot, symbol in _types(facts)}
