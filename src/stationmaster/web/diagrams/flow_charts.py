"""Flow charts: boxes, groups of them, and arrows between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.web.diagrams import graph
from stationmaster.web.diagrams.drawing import Diagram, count, short
from stationmaster.web.diagrams.graph import Link, Node

_NAME = r"[\w.-]{1,60}"
_BOX = re.compile(
    rf"({_NAME})\s*[\[({{|>]+(?:\"([^\"]{{0,200}})\"|([^\"\])}}|]{{0,200}}))[\])}}|]+"
)
_ARROW = re.compile(
    rf"({_NAME})\s*(-->|-\.->|---|==>)(?:\|\"?([^|\"]{{0,200}})\"?\|)?\s*({_NAME})\s*"
)
_GROUP = re.compile(rf"subgraph\s+{_NAME}\s*\[\"?([^\"\]]{{0,200}})\"?\]|subgraph\s+(.{{1,200}})")
_IGNORED = ("style ", "classDef ", "class ", "linkStyle ", "direction ", "%%")


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    labels: dict[str, str] = {}
    groups: dict[str, str] = {}
    links: list[Link] = []
    group = ""
    for line in lines:
        if (opened := _GROUP.fullmatch(line)) is not None:
            group = opened[1] or opened[2]
        elif line == "end":
            group = ""
        elif (box := _BOX.fullmatch(line)) is not None:
            labels[box[1]] = short(box[2] or box[3] or box[1])
            groups[box[1]] = short(group)
        elif (arrow := _ARROW.fullmatch(line)) is not None:
            start, kind, label, end = arrow.groups()
            links.append(Link(start, end, short(label or ""), kind == "-.->", head="arrow"))
        elif not line.startswith(_IGNORED):
            return None
    if not links:
        return None
    for name in (name for link in links for name in (link.start, link.end)):
        labels.setdefault(name, name)
    nodes = {name: Node(label, groups.get(name, "")) for name, label in labels.items()}
    name = f"Flow chart of {count(len(nodes), 'box')} and {count(len(links), 'arrow')}"
    rows = [(labels[link.start], labels[link.end], link.label) for link in links]
    return Diagram(rows, graph.drawn(name, nodes, links))
