"""Mermaid of measured graphs: our own numbers as names, everything else in quotes.

Every diagram has the same content as lines of a list, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster.wiki.text import pruning
from stationmaster.wiki.text.inline import Md, joined, md, text
from stationmaster.wiki.text.pruning import Edge

__all__ = ["Column", "Diagram", "Edge", "entities", "flowchart", "label"]

LABEL_MAX = 40
NODES_MAX = 12
TABLES_MAX, COLUMNS_MAX = 15, 12
_REFUSED = re.compile(r"[^\w \-./:@+#*]+")
_LEADING = re.compile(r"^(?:(\d+)\.|[-*+#]+)(?= )")


class Diagram(NamedTuple):
    """`source` is Mermaid, `alternative` has the same content as lines of a list."""

    caption: str
    source: str
    alternative: list[Md]


class Column(NamedTuple):
    """Of a table in a picture; `key` is `PK`, `FK`, `UK` or ''."""

    name: str
    type: str = ""
    key: str = ""


def flowchart(
    caption: str,
    labels: Mapping[str, str],
    edges: Sequence[Edge],
    *,
    direction: str = "TB",
    groups: Mapping[str, Sequence[str]] | None = None,
) -> Diagram | None:
    """Boxes by id with their labels, and arrows between them; None for less than two boxes.

    Where there are too many boxes or edges, the lightest edges are left out. `groups` are boxes by
    the label of what they are drawn in. Edges that are not `sure` are dashed.
    """
    before, boxes = edges, len(labels)
    labels, edges = pruning.pruned(labels, edges, NODES_MAX)
    if len(labels) < 2 or not edges:
        return None
    names = {key: f"n{number}" for number, key in enumerate(sorted(labels), 1)}
    lines = [f"flowchart {direction}"]
    grouped: set[str] = set()
    for number, (title, members) in enumerate(sorted((groups or {}).items()), 1):
        inside = sorted(key for key in {*members} - grouped if key in names)
        grouped.update(inside)
        if inside:
            lines.append(f'  subgraph g{number}["{label(title)}"]')
            lines += [f'    {names[key]}["{label(labels[key])}"]' for key in inside]
            lines.append("  end")
    lines += [f'  {names[key]}["{label(labels[key])}"]' for key in sorted(labels.keys() - grouped)]
    for edge in edges:
        words = f'|"{label(edge.label)}"|' if edge.label else ""
        arrow = "-->" if edge.is_sure else "-.->"
        lines.append(f"  {names[edge.start]} {arrow}{words} {names[edge.end]}")
    alternative = _edge_lines(labels, edges)
    if boxes > NODES_MAX:
        alternative.append(Md(f"These are {len(labels)} of {boxes}, with the heaviest edges."))
    left = sum({edge.start, edge.end} <= labels.keys() for edge in before) - len(edges)
    if left:
        alternative.append(md("Lighter edges between them that are left out: {}.", left))
    return Diagram(caption, "\n".join(lines), alternative)


def entities(
    caption: str, tables: Mapping[str, Sequence[Column]], relations: Sequence[Edge]
) -> Diagram | None:
    """Tables by name, and who refers to whom: `start` has a key that points to `end`."""
    shown = sorted(tables)[:TABLES_MAX]
    names = {table: f"n{number}" for number, table in enumerate(shown, 1)}
    drawn = [
        relation for relation in relations if relation.start in names and relation.end in names
    ]
    if len(shown) < 2 or not drawn:
        return None
    lines = ["erDiagram"]
    for entity in shown:
        columns = tables[entity][:COLUMNS_MAX]
        lines.append(f'  {names[entity]}["{label(entity)}"]' + (" {" if columns else ""))
        for column in columns:
            key = f" {column.key}" if column.key in ("PK", "FK", "UK") else ""
            lines.append(f"    {_word(column.type or 'any')} {_word(column.name)}{key}")
        if columns:
            lines.append("  }")
    for edge in drawn:
        words = label(edge.label or "refers to")
        lines.append(f'  {names[edge.end]} ||--o{{ {names[edge.start]} : "{words}"')
    by_name = {table: table for table in shown}
    return Diagram(caption, "\n".join(lines), _edge_lines(by_name, drawn))


def label(words: str) -> str:
    """What may be in quotes in a diagram: never nothing, and no beginning of a list."""
    shown = _LEADING.sub(r"\1", " ".join(_REFUSED.sub(" ", words).split())) or "-"
    return shown if len(shown) <= LABEL_MAX else shown[: LABEL_MAX - 1] + "…"


def _word(words: str) -> str:
    """A name or type of a column."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", words).strip("_")[:LABEL_MAX]
    return plain if plain[:1].isalpha() else f"c_{plain}"


def _edge_lines(labels: Mapping[str, str], edges: Sequence[Edge]) -> list[Md]:
    """A line for each box that an arrow leaves."""
    lines: dict[str, list[Md]] = {}
    for edge in edges:
        end = md("{} ({})", labels[edge.end], edge.label) if edge.label else text(labels[edge.end])
        lines.setdefault(edge.start, []).append(end)
    return [md("{} → {}", labels[start], joined(ends)) for start, ends in lines.items()]
