"""Mermaid of measured graphs: our own numbers as names, everything else in quotes.

Source: wiki reference, section 10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.wiki.text.inline import Md, md, text

LABEL_MAX = 40
NODES_MAX = 20
_REFUSED = re.compile(r"[^\w \-./:@+#*]+")


class Diagram(NamedTuple):
    """`source` is Mermaid, `alternative` says the same in lines of a list."""

    caption: str
    source: str
    alternative: list[Md]


class Edge(NamedTuple):
    start: str
    end: str
    label: str = ""


def flowchart(
    caption: str, labels: dict[str, str], edges: Sequence[Edge], *, direction: str = "TB"
) -> Diagram | None:
    """Boxes by id with their labels, and arrows between them; None for less than two boxes."""
    if len(labels) < 2 or not edges:
        return None
    names = {each: f"n{number}" for number, each in enumerate(sorted(labels), 1)}
    lines = [f"flowchart {direction}"]
    lines += [f'  {names[each]}["{label(labels[each])}"]' for each in sorted(labels)]
    for edge in edges:
        told = f'|"{label(edge.label)}"|' if edge.label else ""
        lines.append(f"  {names[edge.start]} -->{told} {names[edge.end]}")
    alternative = [
        md(
            "{} → {}{}",
            labels[each.start],
            labels[each.end],
            text(f" ({each.label})" if each.label else ""),
        )
        for each in edges
    ]
    return Diagram(caption, "\n".join(lines), alternative)


def label(words: str) -> str:
    """What may stand in quotes in a diagram."""
    told = " ".join(_REFUSED.sub(" ", words).split())
    return told if len(told) <= LABEL_MAX else told[: LABEL_MAX - 1] + "…"
