"""Which types of Go implement its interfaces: they have the methods, and need not say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import Symbol

Place = tuple[str, str]
"""A file and the qualified name of a symbol in it."""
_DEPTH_MAX = 4
"""Of types that are embedded in each other."""
_NAMED = re.compile(r"\b[A-Z]")
_Methods = Mapping[str, str]
"""What each takes and gives, by its name."""


class Implementers(NamedTuple):
    """`whole` have all methods themselves. An interface is met `by_chance` whose one method takes
    and gives only types of the language."""

    whole: tuple[Place, ...]
    by_chance: bool


def implementers(
    types: Mapping[Place, Symbol],
    own: Mapping[Place, _Methods],
    embedded: Mapping[Place, Sequence[Place]],
) -> Mapping[Place, Implementers]:
    """Of each interface with methods. `own` are the methods of a type, wherever they stand, and
    `embedded` the types that it is built on."""
    methods = _with_embedded(types, own, embedded)
    having: dict[str, list[Place]] = defaultdict(list)
    for place, symbol in types.items():
        for name in methods[place] if symbol.kind != "interface" else ():
            having[name].append(place)
    found = {}
    for place, symbol in types.items():
        wanted = methods[place] if symbol.kind == "interface" else {}
        if not wanted:
            continue
        rarest = min(wanted, key=lambda name: len(having[name]))
        near = (it for it in having[rarest] if own[it].keys() & wanted.keys())
        whole = [it for it in near if wanted.items() <= methods[it].items()]
        by_chance = len(wanted) == 1 and not any(map(_NAMED.search, wanted.values()))
        found[place] = Implementers(tuple(whole), by_chance)
    return found


def _with_embedded(
    types: Mapping[Place, Symbol],
    own: Mapping[Place, _Methods],
    embedded: Mapping[Place, Sequence[Place]],
) -> Mapping[Place, _Methods]:
    """Those of types and of what they embed: of a struct without those of interfaces."""
    methods: dict[Place, _Methods] = dict(own)
    for _ in range(_DEPTH_MAX):
        for place, symbol in types.items():
            for inner in embedded.get(place, ()):
                is_taken = symbol.kind == "interface" or types[inner].kind != "interface"
                if is_taken and inner in methods:
                    methods[place] = {**methods[inner], **methods[place]}
    return methods
