"""Types that others build on, and who uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.names import types as types_of
from stationmaster.wiki.facts.code.stations import callers_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.model import Facts, Spot

CALLERS_MAX = 24
"""Of one method."""
BELOW_MIN = 2
"""Types that build on one which leads its subject."""
ERROR = re.compile(r"(?:Error|Exception)s?$")


def below(facts: Facts, spot: Spot) -> tuple[Spot, ...]:
    """The types that build on one which several do."""
    found = types_of(facts).below(spot)
    is_leading = len(found) >= BELOW_MIN and not ERROR.search(spot.name)
    return tuple(Spot(*it) for it in found) if is_leading else ()


def chooses(facts: Facts, one: Spot, other: Spot) -> bool:
    """Does the file of one of two functions of the same name import that of the other?"""
    if one.name != other.name:
        return False
    return any(link.end == other.path for link in all_links(facts).out.get(one.path, ()))


def users_of(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """The functions that call methods of types, whichever type below stands for them."""
    for spot in types:
        for path, method in methods_of(facts, spot.path, spot.name):
            for caller, _ in callers_of(facts, path, method.qualified)[:CALLERS_MAX]:
                yield caller
