"""Where the boxes and arrows of a flow chart stand: layers from start to end, few crossings.

Boxes of a layer stand one after the other; an arrow over several layers passes between the boxes of
those in the middle. Arrows of a circle that would lead back are drawn from their end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

BOX_HEIGHT = 40
GAP = 24
"""Between boxes of a layer, pixels."""
DEPTH = 64
"""Between layers, where arrows bend."""
MARGIN = 12
_SWEEPS = 4
_CHARACTER = 7.4
_PADDING = 28
_WAY_WIDTH = 12
"""Of the place where an arrow passes a layer."""

Arrow = tuple[str, str]


class Spot(NamedTuple):
    """The centre of a box, and its width and height, in pixels."""

    x: float
    y: float
    width: float
    height: float


class Plan(NamedTuple):
    """`ways` has for each arrow the points that it passes, from the border of its start to that of
    its end; `is_down` says that layers follow downwards, else to the right."""

    width: float
    height: float
    spots: Mapping[str, Spot]
    ways: Mapping[Arrow, Sequence[tuple[float, float]]]
    is_down: bool


def plan(labels: Mapping[str, int], arrows: Iterable[Arrow]) -> Plan:
    """A plan for boxes, by the length of their longest line in characters, and the arrows between
    different ones, in the direction that is narrower."""
    wanted = list(dict.fromkeys(each for each in arrows if each[0] != each[1]))
    forward = _without_circles(labels, wanted)
    ranks = _ranks(labels, forward)
    layers, chains = _layers(ranks, forward)
    _order(layers, chains)
    sizes = {name: length * _CHARACTER + _PADDING for name, length in labels.items()}
    plans = [_placed(layers, chains, sizes, is_down) for is_down in (True, False)]
    best = min(plans, key=lambda each: each.width)
    ways = {
        arrow: best.ways[arrow] if arrow in best.ways else best.ways[arrow[1], arrow[0]][::-1]
        for arrow in wanted
    }
    return best._replace(ways=ways)


def _without_circles(names: Iterable[str], arrows: Sequence[Arrow]) -> list[Arrow]:
    """The arrows with those turned round that lead back to where a walk came from."""
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
        beside, order = (above, layers) if sweep % 2 == 0 else (below, layers[::-1])
        for before, layer in pairwise(order):
            at = {name: place for place, name in enumerate(before)}
            old = {name: place for place, name in enumerate(layer)}
            layer.sort(
                key=lambda name, at=at, old=old, beside=beside: (  # type: ignore[misc]
                    _middle([at[each] for each in beside.get(name, ())], old[name])
                )
            )


def _middle(places: Sequence[int], otherwise: int) -> float:
    return sum(places) / len(places) if places else otherwise


def _placed(
    layers: Sequence[Sequence[str]],
    chains: Mapping[Arrow, Sequence[str]],
    sizes: Mapping[str, float],
    is_down: bool,
) -> Plan:
    def across(name: str) -> float:
        if name not in sizes:
            return _WAY_WIDTH
        return sizes[name] if is_down else BOX_HEIGHT

    def along(layer: Sequence[str]) -> float:
        return BOX_HEIGHT if is_down else max((sizes.get(n, 0) for n in layer), default=0)

    lengths = [sum(map(across, layer)) + GAP * (len(layer) - 1) for layer in layers]
    breadth = max(lengths, default=0)
    centres: dict[str, tuple[float, float]] = {}
    depths: dict[str, float] = {}
    depth = float(MARGIN)
    for layer, length in zip(layers, lengths, strict=True):
        at = MARGIN + (breadth - length) / 2
        for name in layer:
            centres[name] = (at + across(name) / 2, depth + along(layer) / 2)
            depths[name] = (BOX_HEIGHT if is_down else sizes[name]) if name in sizes else 0
            at += across(name) + GAP
        depth += along(layer) + DEPTH
    total = depth - DEPTH + MARGIN

    def point(name: str, step: int) -> tuple[float, float]:
        side, down = centres[name]
        down += step * depths[name] / 2
        return (side, down) if is_down else (down, side)

    ways = {
        arrow: [point(chain[0], 1), *(point(n, 0) for n in chain[1:-1]), point(chain[-1], -1)]
        for arrow, chain in chains.items()
    }
    spots = {name: Spot(*point(name, 0), size, BOX_HEIGHT) for name, size in sizes.items()}
    whole = breadth + 2 * MARGIN
    width, height = (whole, total) if is_down else (total, whole)
    return Plan(width, height, spots, ways, is_down)
