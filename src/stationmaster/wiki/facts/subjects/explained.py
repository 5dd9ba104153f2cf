"""On which page each function is explained step by step: on one alone, to which others lead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import msgspec

from stationmaster.wiki.facts.code.flows import Flow, flow, flows, walk, walk_again
from stationmaster.wiki.facts.code.starts import PROGRAM
from stationmaster.wiki.facts.code.steps.weights import room_of
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects.choosing import concepts

FLOW_ROOM, CONCEPT_ROOM = 320, 280
"""Lines of code and calls that a page shows of its steps."""
BEGINNINGS_MAX = 4
"""Functions at which the steps of a subject begin."""
_LEAST = 2
"""Functions of a flow that is worth a page; that of a program always is."""


class Explained(msgspec.Struct, frozen=True, array_like=True):
    """The page that explains a function and the number of its step, 0 where none has a number."""

    key: str
    number: int


class Steps(msgspec.Struct, frozen=True, array_like=True):
    """The functions that a page explains, by what leads to them."""

    flows: tuple[Flow, ...] = ()

    @property
    def numbers(self) -> dict[Spot, int]:
        """Their numbers as steps, through all flows; 0 for one that leads to none of the others."""
        numbers: dict[Spot, int] = {}
        count = 0
        for way in self.flows:
            is_way = len(way.stations) > 1
            for station in way.stations:
                count += is_way
                numbers[station.spot] = count if is_way else 0
        return numbers


class _Pages(msgspec.Struct):
    steps: dict[str, Steps]
    places: dict[Spot, Explained]


@query
def explained(facts: Facts, key: str) -> Steps:
    return _pages(facts).steps.get(key, Steps())


@query
def explained_at(facts: Facts, path: str, name: str) -> Explained | None:
    return _pages(facts).places.get(Spot(path, name))


@query
def _pages(facts: Facts) -> _Pages:
    """A flow ends where another begins. A function belongs to the first flow that leads to it of
    those that begin with a method of its type, else to the first of all; and so for subjects, which
    may be about its type, where no flow leads to it."""
    ordered = sorted(flows(facts), key=lambda key: is_aside(flow(facts, key).start.path))
    ways = {key: flow(facts, key) for key in ordered}
    begun = {way.start for way in ways.values() if not way.stations[0].within[0]}

    def walks(key: str, apart: Set[Spot]) -> list[Flow]:
        if key in ways:
            start = ways[key].start
            return [walk_again(facts, ways[key], {*begun, *apart} - {start}, FLOW_ROOM)]
        return [*_walked(facts, concepts(facts)[key].starts, {*begun, *apart})]

    for key in [*ways]:
        if len(walks(key, set())[0].stations) < _LEAST and ways[key].kind != PROGRAM:
            begun.discard(ways.pop(key).start)
    keys = [*ways, *(key for key in concepts(facts) if key not in ways)]
    owners: dict[Spot, str] = {}
    near: set[Spot] = set()
    for key in keys:
        stations = [station.spot for way in walks(key, set()) for station in way.stations]
        types = {*concepts(facts)[key].types} if key not in ways else {_holder(ways[key].start)}
        for spot in stations:
            is_near = _holder(spot) in types and spot not in near
            if spot not in owners or (is_near and (key in ways or owners[spot] not in ways)):
                owners[spot] = key
                near |= {spot} if is_near else set()
    pages = _Pages({}, {})
    for key in keys:
        others = {spot for spot, owner in owners.items() if owner != key}
        steps = pages.steps[key] = Steps(tuple(walks(key, others | pages.places.keys())))
        numbers = steps.numbers
        for station in (station for way in steps.flows for station in way.stations):
            if not station.within[0]:
                place = Explained(key, numbers[station.spot])
                pages.places.setdefault(station.spot, place)
    return pages


def _holder(spot: Spot) -> Spot:
    return Spot(spot.path, spot.name.rpartition(".")[0])


def _walked(facts: Facts, starts: Sequence[Spot], apart: Set[Spot]) -> Iterator[Flow]:
    """What the first functions of a subject lead to, without those apart."""
    seen = {*apart}
    room, left = CONCEPT_ROOM, BEGINNINGS_MAX
    for start in starts:
        if start not in seen and left and room > 0:
            way = walk(facts, start.name, start, 0, apart=seen, room=room)
            room -= sum(room_of(facts, station) for station in way.stations)
            seen |= {station.spot for station in way.stations}
            left -= 1
            yield way
