"""Charts of one row of bars: names and numbers, or parts of a whole."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from stationmaster.web.diagrams.drawing import (
    BOXES_MAX,
    SMALL_CHARACTER,
    Box,
    BoxPosition,
    Diagram,
    Drawing,
    Words,
    count,
    plain,
    short,
    width,
)

_NAMES = re.compile(r"x-axis(?: \"[^\"]{0,200}\"| [\w-]{1,60})? ?\[(.*)\]")
_UNIT = re.compile(
    r"y-axis(?: (?:\"([^\"]{0,200})\"|([A-Za-z][\w-]{0,60})))?(?: -?[\d.]+ --> [\d.]+)?"
)
_BARS = re.compile(r"bar ?\[([\d., ]*)\]")
_NAME = re.compile(r"\s*(?:\"([^\"]*)\"|([^,\"]+))\s*(?:,|$)")
_IGNORED = ("title ", "acc")
_LONGEST = 320
"""Pixels of the bar of the highest number."""
_MARGIN, _STEP, _THICK = 12, 26, 16


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    names: list[str] = []
    values: list[float] = []
    unit = ""
    for line in lines:
        if (axis := _NAMES.fullmatch(line)) is not None and not names:
            names = [short(quoted or bare) for quoted, bare in _NAME.findall(axis[1])]
        elif (bars := _BARS.fullmatch(line)) is not None and not values:
            try:
                values = [float(part) for part in bars[1].split(",")]
            except ValueError:
                return None
        elif (scale := _UNIT.fullmatch(line)) is not None:
            unit = plain(scale[1] or scale[2] or "")
        elif not line.startswith(_IGNORED):
            return None
    if not values or len(names) != len(values) or not all(map(math.isfinite, values)):
        return None
    rows = [(name, f"{value:,.10g}", unit) for name, value in zip(names, values, strict=True)]
    drawing = None
    if len(values) <= BOXES_MAX:
        texts = [f"{number} {short(unit)}".strip() for _, number, _ in rows]
        drawing = drawn(f"Chart of {count(len(values), 'bar')}", names, values, texts)
    return Diagram(rows, drawing, ("Name", "Number", "Unit"))


def drawn(
    title: str, names: Sequence[str], values: Sequence[float], texts: Sequence[str]
) -> Drawing:
    """A bar below the other for each name, as long as its value, with its text behind it."""
    left = _MARGIN + max(width(name, SMALL_CHARACTER) for name in names) + 8
    most = max(values) or 1
    boxes, words = [], []
    right = left
    for place, (name, value, text) in enumerate(zip(names, values, texts, strict=True)):
        y = _MARGIN + _STEP * place + _STEP / 2
        long = max(1, _LONGEST * value / most)
        boxes.append(Box(BoxPosition(left + long / 2, y, long, _THICK), "", style="amount"))
        words += [Words(left - 8, y, name, "end"), Words(left + long + 8, y, text, "start")]
        right = max(right, left + long + 8 + width(text, SMALL_CHARACTER))
    height = 2 * _MARGIN + _STEP * len(values)
    return Drawing(title, round(right + _MARGIN), height, boxes, [], words)


_PART = re.compile(r"\"([^\"]{1,200})\" ?: ?(\d{1,30}(?:\.\d{1,30})?)")
_PIE_IGNORED = ("title ", "showData", "accTitle", "accDescr")


def read_pie(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    parts: list[tuple[str, float]] = []
    for line in lines:
        if (part := _PART.fullmatch(line)) is not None:
            parts.append((short(part[1]), float(part[2])))
        elif not line.startswith(_PIE_IGNORED):
            return None
    whole = math.fsum(value for _, value in parts)
    if not whole:
        return None
    rows = [(name, f"{value:,.10g}", f"{value / whole:.1%}") for name, value in parts]
    drawing = None
    if len(parts) <= BOXES_MAX:
        names, values = zip(*parts, strict=True)
        texts = [f"{number} ({share})" for _, number, share in rows]
        drawing = drawn(f"Chart of {len(parts)} parts of a whole", names, values, texts)
    return Diagram(rows, drawing, ("Part", "Number", "Share"))
