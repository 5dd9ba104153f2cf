"""Flow charts: boxes, groups of them, and arrows between them, of which a line may have several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.web.diagrams import graph
from stationmaster.web.diagrams.drawing import STYLING, Diagram, count, short
from stationmaster.web.diagrams.graph import Link, Node

_BOX = re.compile(
    r"\s*(?P<name>\w+(?:[.-]\w+)*)"
    r"(?:[\[({|>]{1,3}[/\\]?(?:\"(?P<quoted>[^\"]{0,200})\"|(?P<bare>[^\"\])}|]{0,200}?))[/\\]?"
    r"[\])}|]{1,3})?(?::::[\w-]+)?\s*"
)
"""A name, the text of its box, and its class."""
_ARROW = re.compile(
    r"(?P<tail><|[ox](?=[-=]))?"
    r"(?:(?:--|==|-\.)(?:\s+|(?![ox]\s))(?P<words>[^-=.>|\s][^|>]{0,200}?)\s*"
    r"(?P<end>--+|==+|\.+-)(?P<tip>[>ox])?"
    r"|(?P<line>--+|==+|-\.+-?)(?P<head>[ox](?!\w)|>)?"
    r"(?:\|\s*\"?(?P<label>[^|\"]{0,200})\"?\|)?)"
)
"""A line with its words behind it in bars, or within it."""
_GROUP = re.compile(
    r"subgraph\s+(\w[\w.-]{0,60})\s*\[\"?([^\"\]]{0,200})\"?\]|subgraph\s+\"?([^\"]{1,200})\"?"
)
_NAME_MAX = 60
_IGNORED = (*STYLING, "class ", "linkStyle ", "click ")


class _Reader:
    """What was read so far: links, and label and group by box."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.labels: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self._open: list[str] = []

    def take(self, line: str) -> bool:
        """Is a line understood?"""
        if (group := _GROUP.fullmatch(line)) is not None:
            title = short(group[2] or group[3])
            self.labels.setdefault(f"subgraph {group[1] or title}", title)
            self._open.append(title)
            return True
        if line == "end":
            if self._open:
                self._open.pop()
            return True
        return line.startswith(_IGNORED) or self._statement(line)

    def _statement(self, line: str) -> bool:
        """Boxes, joined by `&`, and the arrows from all of these to all of the next ones."""
        at, before, arrow = 0, [], None
        while True:
            boxes: list[str] = []
            while (box := _BOX.match(line, at)) is not None:
                boxes.append(self._box(box))
                at = box.end()
                if line[at : at + 1] != "&":
                    break
                at += 1
            if not boxes or any(len(name) > _NAME_MAX for name in boxes):
                return False
            if arrow is not None:
                self.links += [_link(start, end, arrow) for start in before for end in boxes]
            if at == len(line):
                return True
            before, arrow = boxes, _ARROW.match(line, at)
            if arrow is None:
                return False
            at = arrow.end()

    def _box(self, box: re.Match[str]) -> str:
        name, text = box["name"], box["quoted"] or box["bare"]
        self.labels.setdefault(name, "")
        if text:
            self.labels[name] = short(text.strip(" /\\"))
        if self._open:
            self.groups[name] = self._open[-1]
        return name


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    reader = _Reader()
    for line in lines:
        parts = [line] if '"' in line else line.split(";")
        if not all(reader.take(part.strip()) for part in parts):
            return None
    links, labels = reader.links, reader.labels
    if not links:
        return None
    names = [name for name in labels if not name.startswith("subgraph ")]
    nodes = {
        name: Node(
            labels[name] or labels.get(f"subgraph {name}", name), reader.groups.get(name, "")
        )
        for name in names
    }
    name = f"Flow chart of {count(len(nodes), 'box')} and {count(len(links), 'arrow')}"
    rows = [(nodes[link.start].label, nodes[link.end].label, link.label) for link in links]
    return Diagram(rows, graph.drawn(name, nodes, links))


def _link(start: str, end: str, arrow: re.Match[str]) -> Link:
    is_headed = ">" in (arrow["head"], arrow["tip"])
    return Link(
        start,
        end,
        short((arrow["label"] or arrow["words"] or "").strip(" \"'")),
        "." in (arrow["line"] or arrow["end"]),
        tail="arrow" if arrow["tail"] == "<" else "",
        head="arrow" if is_headed else "",
    )
