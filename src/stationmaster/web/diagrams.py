"""Diagrams of wikis: flow charts as SVG, every kind as rows of words.

Whoever may upload a wiki may have written anything: what is not understood, or too large to be
drawn, stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from stationmaster.web.charts import layers
from stationmaster.web.charts.layers import Spot

BOXES_MAX, ARROWS_MAX = 40, 120
"""Of a drawing; larger flow charts are shown as rows of words."""
_POINTS_MAX = 500
"""That all arrows of a drawing pass together."""
_LINES_MAX = 400
_LABEL_MAX = 60
_NAME = r"[\w.-]{1,60}"
_BOX = re.compile(
    rf"({_NAME})\s*[\[({{|>]+(?:\"([^\"]{{0,200}})\"|([^\"\])}}|]{{0,200}}))[\])}}|]+"
)
_ARROW = re.compile(
    rf"({_NAME})\s*(-->|-\.->|---|==>)(?:\|\"?([^|\"]{{0,200}})\"?\|)?\s*({_NAME})\s*"
)
_GROUP = re.compile(rf"subgraph\s+{_NAME}\s*\[\"?([^\"\]]{{0,200}})\"?\]|subgraph\s+(.{{1,200}})")
_PARTICIPANT = re.compile(rf"(?:participant|actor)\s+({_NAME})(?:\s+as\s+(.{{1,200}}))?")
_MESSAGE = re.compile(rf"({_NAME})\s*-?-[>)x]{{1,2}}\s*({_NAME})\s*:\s*(.{{0,300}})")
_CLASS = re.compile(rf"class\s+({_NAME})\[\"([^\"]{{0,200}})\"\]")
_EXTENDS = re.compile(rf"({_NAME})\s*<\|--\s*({_NAME})")
_ENTITY = re.compile(rf"({_NAME})\[\"([^\"]{{0,200}})\"\](?:\s*{{)?")
_RELATION = re.compile(
    rf"({_NAME})\s+[|o}}]{{2}}--[|o{{]{{2}}\s+({_NAME})\s*:\s*\"?([^\"]{{0,200}})\"?"
)
_IGNORED = ("style ", "classDef ", "class ", "linkStyle ", "direction ", "%%")

Row = tuple[str, str, str]
"""From, to, and what is said of it."""


class Box(NamedTuple):
    label: str
    group: str
    spot: Spot


class Line(NamedTuple):
    """An arrow: the path of its line and of its head, and its words with their place."""

    d: str
    head: str
    is_dashed: bool
    label: str
    x: float
    y: float


class Drawing(NamedTuple):
    """A flow chart in pixels."""

    width: int
    height: int
    boxes: Sequence[Box]
    lines: Sequence[Line]


class Diagram(NamedTuple):
    """What is shown of a diagram: rows of words, and a drawing where there is one."""

    rows: Sequence[Row]
    drawing: Drawing | None


class _Arrow(NamedTuple):
    start: str
    end: str
    label: str
    is_dashed: bool


def read(code: str) -> Diagram | None:
    """The diagram of a Mermaid text; None for kinds and lines that are not understood."""
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    if not lines or len(lines) > _LINES_MAX:
        return None
    kind = lines[0].split()[0]
    if kind in ("flowchart", "graph"):
        return _flow_chart(lines[1:])
    readers = {"sequenceDiagram": _sequence, "classDiagram": _classes, "erDiagram": _entities}
    rows = readers[kind](lines[1:]) if kind in readers else []
    return Diagram(rows, None) if rows else None


def _flow_chart(lines: Sequence[str]) -> Diagram | None:
    labels: dict[str, str] = {}
    groups: dict[str, str] = {}
    arrows: list[_Arrow] = []
    group = ""
    for line in lines:
        if (opened := _GROUP.fullmatch(line)) is not None:
            group = opened[1] or opened[2]
        elif line == "end":
            group = ""
        elif (box := _BOX.fullmatch(line)) is not None:
            labels[box[1]] = _short(box[2] or box[3] or box[1])
            groups[box[1]] = _short(group)
        elif (found := _ARROW.fullmatch(line)) is not None:
            arrows.append(_Arrow(found[1], found[4], _short(found[3] or ""), found[2] == "-.->"))
        elif not line.startswith(_IGNORED):
            return None
    for arrow in arrows:
        for name in (arrow.start, arrow.end):
            labels.setdefault(name, name)
    rows = [(labels[each.start], labels[each.end], each.label) for each in arrows]
    if not rows:
        return None
    is_small = len(labels) <= BOXES_MAX and len(arrows) <= ARROWS_MAX
    return Diagram(rows, _drawn(labels, groups, arrows) if is_small else None)


def _drawn(
    labels: dict[str, str], groups: dict[str, str], arrows: Sequence[_Arrow]
) -> Drawing | None:
    sizes = {name: max(len(label), len(groups.get(name, ""))) for name, label in labels.items()}
    plan = layers.plan(sizes, [(each.start, each.end) for each in arrows])
    if sum(map(len, plan.ways.values())) > _POINTS_MAX:
        return None
    lines = [
        _line(each, plan.ways[each.start, each.end], plan.is_down)
        for each in arrows
        if each.start != each.end
    ]
    boxes = [Box(label, groups.get(name, ""), plan.spots[name]) for name, label in labels.items()]
    return Drawing(round(plan.width), round(plan.height), boxes, lines)


def _line(arrow: _Arrow, way: Sequence[tuple[float, float]], is_down: bool) -> Line:
    parts = [f"M{way[0][0]:.0f} {way[0][1]:.0f}"]
    for (x, y), (to_x, to_y) in pairwise(way):
        if is_down:
            middle = (y + to_y) / 2
            bends = f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f}"
        else:
            middle = (x + to_x) / 2
            bends = f"C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f}"
        parts.append(f"{bends} {to_x:.0f} {to_y:.0f}")
    (from_x, from_y), (x, y) = way[-2], way[-1]
    if is_down:
        back = 8 if y > from_y else -8
        head = f"M{x:.0f} {y:.0f}l-5 {-back}h10z"
    else:
        back = 8 if x > from_x else -8
        head = f"M{x:.0f} {y:.0f}l{-back} -5v10z"
    half = len(way) // 2
    (left, top), (right, low) = way[half - 1], way[half]
    return Line(
        "".join(parts), head, arrow.is_dashed, arrow.label, (left + right) / 2, (top + low) / 2
    )


def _sequence(lines: Sequence[str]) -> list[Row]:
    names: dict[str, str] = {}
    rows = []
    for line in lines:
        if (who := _PARTICIPANT.fullmatch(line)) is not None:
            names[who[1]] = _short(who[2] or who[1])
        elif (said := _MESSAGE.fullmatch(line)) is not None:
            rows.append((names.get(said[1], said[1]), names.get(said[2], said[2]), said[3]))
    return rows


def _classes(lines: Sequence[str]) -> list[Row]:
    names = {found[1]: _short(found[2]) for line in lines if (found := _CLASS.fullmatch(line))}
    return [
        (names.get(found[2], found[2]), names.get(found[1], found[1]), "extends")
        for line in lines
        if (found := _EXTENDS.fullmatch(line))
    ]


def _entities(lines: Sequence[str]) -> list[Row]:
    names = {found[1]: _short(found[2]) for line in lines if (found := _ENTITY.fullmatch(line))}
    return [
        (names.get(found[2], found[2]), names.get(found[1], found[1]), _short(found[3]))
        for line in lines
        if (found := _RELATION.fullmatch(line))
    ]


def _short(words: str) -> str:
    told = " ".join(words.split())
    return told if len(told) <= _LABEL_MAX else told[: _LABEL_MAX - 1] + "…"
