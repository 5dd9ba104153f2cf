"""The places of a diagram's boxes and arrows: layers from start to end, few crossings.

Boxes of a layer follow one another; an arrow over several layers passes between the boxes of
those in the middle. Arrows of a circle that would lead back are drawn from their end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stationmaster.web.diagrams.drawing import BoxPosition

GAP = 24
"""Between boxes of a layer, pixels."""
DEPTH = 64
"""Between layers, where arrows bend, where nothing is written there."""
MARGIN = 12
_SWEEPS = 4
_WAY_WIDTH = 12
"""Of the place where an arrow passes a layer."""

Arrow = tuple[str, str]
Point = tuple[float, float]


class Plan(NamedTuple):
    """`ways` has for each arrow the points that it passes, from the border of its start to that of
    its end: of each layer that where it begins and ends there, so that it bends from the second to
    the third, from the fourth to the fifth and so on. `is_down`: layers follow downwards,
    else to the right."""

    width: float
    height: float
    spots: Mapping[str, BoxPosition]
    ways: Mapping[Arrow, Sequence[Point]]
    is_down: bool


def plan(
    sizes: Mapping[str, tuple[float, float]],
    arrows: Iterable[Arrow],
    depths: tuple[float, float] = (DEPTH, DEPTH),
) -> Plan:
    """A plan for boxes, by their width and height, and the arrows between different ones, in the
    direction that is narrower. `depths` are pixels between layers that follow downwards, and
    between those that follow to the right."""
    distinct = list(dict.fromkeys(arrow for arrow in arrows if arrow[0] != arrow[1]))
    forward = _without_circles(sizes, distinct)
    ranks = _ranks(sizes, forward)
    layers, chains = _layers(ranks, forward)
    _order(layers, chains)
    plans = [
        _placed(layers, chains, sizes, between, is_down)
        for between, is_down in zip(depths, (True, False), strict=True)
    ]
    best = min(plans, key=lambda candidate: candidate.width)
    ways = {
        arrow: best.ways[arrow] if arrow in best.ways else best.ways[arrow[1], arrow[0]][::-1]
        for arrow in distinct
    }
    return best._replace(ways=ways)


def _without_circles(names: Iterable[str], arrows: Sequence[Arrow]) -> list[Arrow]:
    """The arrows, with those reversed that lead back along a walk."""
    following: dict[str, list[str]] = {name: [] for name in names}
    for start, end in arrows:
        following[start].append(end)
    done: set[str] = set()
    on_the_way: set[str] = set()
    turned: set[Arrow] = set()
    for root in following:
        if root in done:
            continue
        stack = [(root, iter(following[root]))]
        on_the_way.add(root)
        while stack:
            name, ends = stack[-1]
            for end in ends:
                if end in on_the_way:
                    turned.add((name, end))
                elif end not in done:
                    on_the_way.add(end)
                    stack.append((end, iter(following[end])))
                    break
            else:
                stack.pop()
                on_the_way.discard(name)
                done.add(name)
    return list(dict.fromkeys((b, a) if (a, b) in turned else (a, b) for a, b in arrows))


def _ranks(names: Iterable[str], arrows: Sequence[Arrow]) -> dict[str, int]:
    """The layer of each box: one after the last of those that lead to it."""
    ranks = dict.fromkeys(names, 0)
    for _ in range(len(ranks)):
        is_same = True
        for start, end in arrows:
            if ranks[end] <= ranks[start]:
                ranks[end], is_same = ranks[start] + 1, False
        if is_same:
            break
    return ranks


def _layers(
    ranks: Mapping[str, int], arrows: Sequence[Arrow]
) -> tuple[list[list[str]], dict[Arrow, list[str]]]:
    """The names of each layer, and the names that each arrow passes; a name with a NUL is the
    place where an arrow passes a layer."""
    layers: list[list[str]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
    for name, rank in ranks.items():
        layers[rank].append(name)
    chains = {}
    for start, end in arrows:
        chain = [start]
        for rank in range(ranks[start] + 1, ranks[end]):
            chain.append(f"{start}\0{end}\0{rank}")
            layers[rank].append(chain[-1])
        chains[start, end] = [*chain, end]
    return layers, chains


def _order(layers: list[list[str]], chains: Mapping[Arrow, Sequence[str]]) -> None:
    """Sort each layer by the middle of its neighbours, downwards and upwards in turn."""
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for chain in chains.values():
        for start, end in pairwise(chain):
            above.setdefault(end, []).append(start)
            below.setdefault(start, []).append(end)
    for sweep in range(_SWEEPS):
        neighbours, order = (above, layers) if sweep % 2 == 0 else (below, layers[::-1])
        for before, layer in pairwise(order):
            at = {name: place for place, name in enumerate(before)}
            middles = {
                name: _middle([at[neighbour] for neighbour in neighbours.get(name, ())], place)
                for place, name in enumerate(layer)
            }
            layer.sort(key=middles.__getitem__)


def _middle(places: Sequence[int], otherwise: int) -> float:
    return sum(places) / len(places) if places else otherwise


def _placed(
    layers: Sequence[Sequence[str]],
    chains: Mapping[Arrow, Sequence[str]],
    sizes: Mapping[str, tuple[float, float]],
    between: float,
    is_down: bool,
) -> Plan:
    def across(name: str) -> float:
        return sizes[name][0 if is_down else 1] if name in sizes else _WAY_WIDTH

    def along(name: str) -> float:
        return sizes[name][1 if is_down else 0] if name in sizes else 0

    lengths = [sum(map(across, layer)) + GAP * (len(layer) - 1) for layer in layers]
    breadth = max(lengths, default=0)
    centres: dict[str, Point] = {}
    thickness: dict[str, float] = {}
    depth = float(MARGIN)
    for layer, length in zip(layers, lengths, strict=True):
        thick = max(map(along, layer), default=0)
        at = MARGIN + (breadth - length) / 2
        for name in layer:
            centres[name] = (at + across(name) / 2, depth + thick / 2)
            thickness[name] = thick
            at += across(name) + GAP
        depth += thick + between
    total = depth - between + MARGIN

    def point(name: str, offset: float) -> Point:
        side, down = centres[name]
        return (side, down + offset) if is_down else (down + offset, side)

    def way(chain: Sequence[str]) -> list[Point]:
        """Bends are between layers alone: within one an arrow leads straight past larger boxes."""
        start, end = chain[0], chain[-1]
        points = [point(start, along(start) / 2), point(start, thickness[start] / 2)]
        for name in chain[1:-1]:
            points += [point(name, -thickness[name] / 2), point(name, thickness[name] / 2)]
        return [*points, point(end, -thickness[end] / 2), point(end, -along(end) / 2)]

    ways = {arrow: way(chain) for arrow, chain in chains.items()}
    spots = {name: BoxPosition(*point(name, 0), *size) for name, size in sizes.items()}
    whole = breadth + 2 * MARGIN
    width, height = (whole, total) if is_down else (total, whole)
    return Plan(width, height, spots, ways, is_down)
