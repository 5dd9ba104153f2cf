"""Boxes and the lines between them as a drawing in layers. Labels of lines are placed so that they
hide each other and boxes as little as possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from stationmaster.web.diagrams import drawing, layers
from stationmaster.web.diagrams.drawing import (
    BOXES_MAX,
    LINE_HEIGHT,
    LINES_MAX,
    ROWS_MAX,
    SMALL_CHARACTER,
    Box,
    Drawing,
    Line,
    Words,
    short,
    width,
)
from stationmaster.web.diagrams.layers import Point

_POINTS_MAX = 1000
"""That all lines of a drawing pass together."""
_PADDING = 28
_LABEL_WIDTH_MAX = 200
"""That layers, which follow to the right, make place for."""
_MARK_LENGTH = 14
_APART = 36
"""Between lines that end at one side of a box with different numbers."""
_BESIDE = 16
"""From an end of a line to what is written there."""


class Node(NamedTuple):
    """The text of a box."""

    label: str
    group: str = ""
    rows: Sequence[str] = ()
    style: str = ""


class Link(NamedTuple):
    """A line from one box to another. `tail` and `head` are what is drawn at its start and end,
    of `_MARKS` or nothing; `at_start` and `at_end` are written there."""

    start: str
    end: str
    label: str = ""
    is_dashed: bool = False
    tail: str = ""
    head: str = ""
    at_start: str = ""
    at_end: str = ""


_MARKS = {
    "arrow": ("head", ((0, 0), (8, -5), (8, 5))),
    "triangle": ("hollow", ((0, 0), (12, -7), (12, 7))),
    "diamond": ("head", ((0, 0), (8, -5), (16, 0), (8, 5))),
    "open diamond": ("hollow", ((0, 0), (8, -5), (16, 0), (8, 5))),
}
"""The class and the corners of each: away from the box, and across."""
_LONG = ("triangle", "diamond", "open diamond")


def drawn(name: str, nodes: Mapping[str, Node], links: Sequence[Link]) -> Drawing | None:
    """A drawing of at least two boxes or of one with rows; None for what exceeds the limits.

    Of a link from a box to itself the label is a row of the box. Links with the same start and end
    are one line with the labels of all.
    """
    if len(nodes) > BOXES_MAX or len(links) > LINES_MAX:
        return None
    nodes = {key: _limited(node, key, links) for key, node in nodes.items()}
    lines = _joined([link for link in links if link.start != link.end])
    sizes = {key: _size(node) for key, node in nodes.items()}
    plan = layers.plan(sizes, [(link.start, link.end) for link in lines], _depths(lines))
    if sum(map(len, plan.ways.values())) > _POINTS_MAX:
        return None
    boxes = [Box(plan.spots[key], *node) for key, node in nodes.items()]
    ways = _parted(lines, plan)
    numbers = dict.fromkeys(
        words for link, way in ways for words in _numbers(link, way, plan.is_down)
    )
    words = placed(
        [Label(link.label, _bends(way)) for link, way in ways if link.label],
        [*plan.spots.values(), *map(area, numbers)],
        plan.is_down,
    )
    # Marks are last: lines that end at the same place must not hide them.
    shapes = [_line(link, way, plan.is_down) for link, way in ways]
    shapes += dict.fromkeys(
        _mark(mark, points, plan.is_down)
        for link, way in ways
        for mark, points in ((link.tail, way), (link.head, way[::-1]))
        if mark
    )
    return Drawing(name, round(plan.width), round(plan.height), boxes, shapes, [*numbers, *words])


def _parted(links: Sequence[Link], plan: layers.Plan) -> list[tuple[Link, Sequence[Point]]]:
    """The ways of links, apart where different numbers would be at one point of a box."""
    moves = _moves(links, plan)

    def moved(points: Sequence[Point], by: float) -> list[Point]:
        return [(x + by, y) if plan.is_down else (x, y + by) for x, y in points]

    parted: list[tuple[Link, Sequence[Point]]] = []
    for link in links:
        way = plan.ways[link.start, link.end]
        first = moved(way[:2], moves[way[0], link.at_start])
        last = moved(way[-2:], moves[way[-1], link.at_end])
        parted.append((link, [*first, *way[2:-2], *last]))
    return parted


def _moves(links: Sequence[Link], plan: layers.Plan) -> dict[tuple[Point, str], float]:
    """How far along its box an end of a link moves, by where it is and the number there."""
    axis, step = (0, _APART) if plan.is_down else (1, LINE_HEIGHT)
    others: dict[Point, dict[str, list[float]]] = {}
    room = {}
    for link in links:
        way = plan.ways[link.start, link.end]
        ends = ((link.start, link.at_start, way), (link.end, link.at_end, way[::-1]))
        for name, text, points in ends:
            others.setdefault(points[0], {}).setdefault(text, []).append(points[-1][axis])
            spot = plan.spots[name]
            room[points[0]] = spot.width if plan.is_down else spot.height
    moves = {}
    for point, texts in others.items():
        order = sorted((fmean(places), text) for text, places in texts.items())
        apart = min(step, room[point] / len(order))
        for place, (_, text) in enumerate(order):
            moves[point, text] = (place - (len(order) - 1) / 2) * apart
    return moves


def _depths(links: Sequence[Link]) -> tuple[float, float]:
    """Pixels between layers, downwards and to the right, for what is written there."""
    numbers = [
        width(text, SMALL_CHARACTER) for link in links for text in (link.at_start, link.at_end)
    ]
    most = max(numbers, default=0)
    down = layers.DEPTH + (2 * LINE_HEIGHT if most else 0)
    longest = max((width(link.label, SMALL_CHARACTER) for link in links), default=0)
    return down, max(layers.DEPTH, min(longest, _LABEL_WIDTH_MAX) + 2 * most + LINE_HEIGHT)


def _bends(way: Sequence[Point]) -> list[tuple[Point, Point]]:
    return [(way[place], way[place + 1]) for place in range(1, len(way) - 1, 2)]


def _limited(node: Node, key: str, links: Sequence[Link]) -> Node:
    own = [f"↻ {link.label}".strip() for link in links if link.start == link.end == key]
    rows = [short(row) for row in node.rows]
    if len(rows) > ROWS_MAX:
        rows = [*rows[: ROWS_MAX - 1], f"… and {len(rows) - ROWS_MAX + 1} more"]
    return Node(short(node.label), short(node.group), (*rows, *dict.fromkeys(own)), node.style)


def _joined(links: Sequence[Link]) -> list[Link]:
    by_ends: dict[tuple[str, str], Link] = {}
    for link in links:
        other = by_ends.get((link.start, link.end))
        if other is not None:
            labels = dict.fromkeys(label for label in (other.label, link.label) if label)
            link = other._replace(
                label=short(", ".join(labels)), is_dashed=other.is_dashed and link.is_dashed
            )
        by_ends[link.start, link.end] = link
    return list(by_ends.values())


def _size(node: Node) -> tuple[float, float]:
    lines = bool(node.label) + bool(node.group) + len(node.rows)
    widths = (width(node.label), *(width(row, SMALL_CHARACTER) for row in (node.group, *node.rows)))
    height = max(40, LINE_HEIGHT * (lines + 1) + (8 if node.rows and node.label else 0))
    return max(widths) + _PADDING, height


def _line(link: Link, way: Sequence[Point], is_down: bool) -> Line:
    points = list(way)
    if link.tail in _LONG:
        points[1] = _behind(way, is_down)
    if link.head in _LONG:
        points[-2] = _behind(way[::-1], is_down)
    parts = [f"M{way[0][0]:.0f} {way[0][1]:.0f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        if x == to_x or y == to_y:
            parts.append(f"L{to_x:.0f} {to_y:.0f}" if (x, y) != (to_x, to_y) else "")
        elif is_down:
            middle = (y + to_y) / 2
            parts.append(f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}")
        else:
            middle = (x + to_x) / 2
            parts.append(f"C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}")
    return Line("".join(parts), "way dashed" if link.is_dashed else "way")


def _behind(way: Sequence[Point], is_down: bool) -> Point:
    """The second point of a way, not before the end of a long mark at the first."""
    (x, y), (next_x, next_y) = way[:2]
    side = _side(way, is_down) * _MARK_LENGTH
    if is_down:
        return x, y + side if abs(next_y - y) < _MARK_LENGTH else next_y
    return x + side if abs(next_x - x) < _MARK_LENGTH else next_x, y


def _mark(mark: str, way: Sequence[Point], is_down: bool) -> Line:
    """What is drawn at the first point of a way."""
    style, corners = _MARKS[mark]
    (x, y), side = way[0], _side(way, is_down)
    points = [
        (x + across, y + side * away) if is_down else (x + side * away, y + across)
        for away, across in corners
    ]
    return Line("M" + "L".join(f"{left:.0f} {top:.0f}" for left, top in points) + "z", style)


def _side(way: Sequence[Point], is_down: bool) -> int:
    """1 where a way leaves its first point downwards or to the right, else -1."""
    axis = 1 if is_down else 0
    return 1 if way[2][axis] > way[0][axis] else -1


def _numbers(link: Link, way: Sequence[Point], is_down: bool) -> list[Words]:
    """What is written at the ends of a line."""
    words = []
    for text, points in ((link.at_start, way), (link.at_end, way[::-1])):
        if text and is_down:
            (x, y), side = points[0], _side(points, is_down)
            words.append(Words(x + 9, y + side * _BESIDE, text, "start"))
        elif text:
            (x, y), side = points[0], _side(points, is_down)
            words.append(Words(x + side * 6, y - 8, text, "start" if side > 0 else "end"))
    return words


_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
"""Of a bend, the places for a label, the best first."""
_BENDS_MAX = 3
_BAND = 64
"""Pixels; only what is in the same bands is compared."""


class Label(NamedTuple):
    """The words of a line and the bends that it makes, from its start to its end."""

    text: str
    bends: Sequence[tuple[Point, Point]]


def placed(
    labels: Sequence[Label], taken: Sequence[drawing.BoxPosition], is_down: bool
) -> list[drawing.Words]:
    """The labels, each at the place of its line where it hides least of what is there already."""
    bands: dict[int, list[drawing.BoxPosition]] = {}
    for spot in taken:
        _take(bands, spot)
    words = []
    for label in labels:
        size = drawing.width(label.text, drawing.SMALL_CHARACTER)
        best, least = drawing.BoxPosition(0, 0, 0, 0), float("inf")
        for x, y in _places(label.bends, is_down):
            spot = drawing.BoxPosition(x, y, size, drawing.LINE_HEIGHT)
            near = [other for band in _bands(spot) for other in bands.get(band, ())]
            hidden = sum(_common(spot, other) for other in near)
            if hidden < least:
                best, least = spot, hidden
            if not hidden:
                break
        _take(bands, best)
        words.append(drawing.Words(best.x, best.y, label.text))
    return words


def _bands(spot: drawing.BoxPosition) -> range:
    """The horizontal bands of a drawing that contain a place."""
    half = spot.height / 2
    return range(int((spot.y - half) // _BAND), int((spot.y + half) // _BAND) + 1)


def _take(bands: dict[int, list[drawing.BoxPosition]], spot: drawing.BoxPosition) -> None:
    for band in _bands(spot):
        bands.setdefault(band, []).append(spot)


def area(words: drawing.Words) -> drawing.BoxPosition:
    """The place that a text takes."""
    size = drawing.width(words.text, drawing.SMALL_CHARACTER)
    middle = {"start": size / 2, "middle": 0, "end": -size / 2}[words.anchor]
    return drawing.BoxPosition(words.x + middle, words.y, size, drawing.LINE_HEIGHT)


def _places(bends: Sequence[tuple[Point, Point]], is_down: bool) -> Iterator[Point]:
    """Points of a line, of bends in its middle first."""
    middle = (len(bends) - 1) / 2
    near = sorted(range(len(bends)), key=lambda place: abs(place - middle))[:_BENDS_MAX]
    for place in near:
        (x, y), (to_x, to_y) = bends[place]
        for share in _SHARES:
            # The curve leads from layer to layer slowly in its middle, and fast to the side.
            fast = share * share * (3 - 2 * share)
            slow = share**3 + 1.5 * share * (1 - share)
            across, along = (fast, slow) if is_down else (slow, fast)
            yield x + (to_x - x) * across, y + (to_y - y) * along


def _common(one: drawing.BoxPosition, other: drawing.BoxPosition) -> float:
    """The area that two have in common."""
    wide = (one.width + other.width) / 2 - abs(one.x - other.x)
    high = (one.height + other.height) / 2 - abs(one.y - other.y)
    return wide * high if wide > 0 and high > 0 else 0
