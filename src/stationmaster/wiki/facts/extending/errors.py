"""The errors that a project declares, by what they derive from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.extending.extensions import declared
from stationmaster.wiki.facts.model import Facts, Spot, query

_ERROR = re.compile(r"(?:.*\W)?\w*(?:Error|Exception|Throwable)")
_BELOW_MIN = 3
_DEPTH_MAX = 12


class Kind(msgspec.Struct, frozen=True, array_like=True):
    """An error `depth` below one that derives from outside the project, from `base`."""

    path: str
    symbol: Symbol
    depth: int
    base: str


@query
def errors(facts: Facts) -> tuple[Kind, ...]:
    """Each below the one that it derives from; () without a hierarchy of the project's own."""
    symbols: dict[Spot, Symbol] = {}
    below: dict[Spot, list[Spot]] = defaultdict(list)
    roots: dict[Spot, str] = {}
    for path, said in facts.code.items():
        for symbol in said.symbols if facts.records[path].file_class == "source" else ():
            base = next((it for it in symbol.bases if symbol.kind == "class"), "")
            if not base:
                continue
            spot, above = Spot(path, symbol.qualified), declared(facts, path, base)
            if above is not None and above != spot:
                symbols[spot] = symbol
                below[above].append(spot)
            elif _ERROR.fullmatch(base):
                symbols[spot], roots[spot] = symbol, base
    found = [kind for root, base in roots.items() for kind in _tree(root, base, symbols, below)]
    return tuple(found) if sum(kind.depth > 0 for kind in found) >= _BELOW_MIN else ()


def _tree(
    spot: Spot,
    base: str,
    symbols: Mapping[Spot, Symbol],
    below: Mapping[Spot, list[Spot]],
    depth: int = 0,
) -> Iterator[Kind]:
    yield Kind(spot.path, symbols[spot], depth, base)
    for inner in below.get(spot, ()) if depth < _DEPTH_MAX else ():
        yield from _tree(inner, base, symbols, below, depth + 1)
