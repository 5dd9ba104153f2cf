"""Where the labels of lines stand, so that they hide each other and boxes as little as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.web.diagrams import drawing
from stationmaster.web.diagrams.layers import Point

_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
"""Of a bend, where a label may stand, the best first."""
_BENDS_MAX = 3
_BAND = 64
"""Pixels; only what lies in the same bands is compared."""


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
    """The horizontal bands of a drawing that a place lies in."""
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
