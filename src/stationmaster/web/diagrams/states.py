"""Diagrams of states: boxes, what they are part of, and the ways from one to another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.web.diagrams import graph
from stationmaster.web.diagrams.drawing import STYLING, Diagram, count, plain, short
from stationmaster.web.diagrams.graph import Link, Node

_NAME = r"[\w.-]{1,60}"
_WAY = re.compile(
    rf"(\[\*\]|{_NAME})(?::::[\w-]+)? ?--> ?(\[\*\]|{_NAME})(?::::[\w-]+)?(?: ?: ?(.*))?"
)
_NAMED = re.compile(rf"state \"([^\"]{{0,200}})\" as ({_NAME})( \{{)?")
_OPENED = re.compile(rf"state ({_NAME}) ?\{{")
_KIND = re.compile(rf"state ({_NAME}) ?<<(choice|fork|join)>>")
_PLAIN = re.compile(rf"(?:state )?({_NAME})(?::::[\w-]+)?(?: ?: ?(.*))?")
_NOTE = re.compile(rf"note (?:left|right) of ({_NAME})(?: ?: ?(.*))?", re.IGNORECASE)
_IGNORED = (*STYLING, "class ")
_DASHES = "--"
"""Between parts of a state that run at the same time."""
_BEGIN, _END = "● begin", "◉ end"


class _Reader:
    """What was read so far: links, and label, group and rows by state."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.labels: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.rows: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._note: str | None = None

    def take(self, line: str) -> bool:
        """Is a line understood?"""
        if self._note is not None:
            return self._noted(line)
        if line == "}":
            return bool(self._open and self._open.pop())
        if line == _DASHES or line.startswith(_IGNORED):
            return True
        return self._note_of(line) or self._way(line) or self._state(line)

    def _noted(self, line: str) -> bool:
        if line.lower() == "end note":
            self._note = None
        elif self._note is not None:
            self.rows.setdefault(self._note, []).append(short(line))
        return True

    def _note_of(self, line: str) -> bool:
        note = _NOTE.fullmatch(line)
        if note is None:
            return False
        self._key(note[1])
        if note[2]:
            self.rows.setdefault(note[1], []).append(short(note[2]))
        else:
            self._note = note[1]
        return True

    def _way(self, line: str) -> bool:
        way = _WAY.fullmatch(line)
        if way is None:
            return False
        start = self._key(way[1], _BEGIN)
        end = self._key(way[2], _END)
        self.links.append(Link(start, end, short(way[3] or ""), head="arrow"))
        return True

    def _state(self, line: str) -> bool:
        if (named := _NAMED.fullmatch(line)) is not None:
            self.labels[self._key(named[2])] = short(named[1])
            if named[3]:
                self._open.append(named[2])
        elif (opened := _OPENED.fullmatch(line)) is not None:
            self._open.append(self._key(opened[1]))
        elif (kind := _KIND.fullmatch(line)) is not None:
            self.labels[self._key(kind[1])] = f"{kind[1]} ({kind[2]})"
        elif (match := _PLAIN.fullmatch(line)) is not None:
            name = self._key(match[1])
            if match[2]:
                self.rows.setdefault(name, []).append(short(match[2]))
        else:
            return False
        return True

    def _key(self, name: str, mark: str = "") -> str:
        """The key of a state; `[*]` is the beginning or end of what is open."""
        within = self._open[-1] if self._open else ""
        if name == "[*]":
            name = f"{mark}\0{within}"
            self.labels[name] = mark
        if within and name != within:
            self.groups.setdefault(name, within)
        self.labels.setdefault(name, name)
        return name


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    reader = _Reader()
    if not all(map(reader.take, lines)) or not reader.links:
        return None
    labels, links = reader.labels, reader.links
    inner = {*reader.groups.values()}
    used = {name for link in links for name in (link.start, link.end)}
    nodes = {
        name: Node(label, labels.get(reader.groups.get(name, ""), ""), reader.rows.get(name, ()))
        for name, label in labels.items()
        # What only holds others is named in the boxes of these.
        if name in used or name not in inner
    }
    title = f"Diagram of {count(len(nodes), 'state')} and {count(len(links), 'way')}"
    rows = [(labels[link.start], labels[link.end], link.label) for link in links]
    rows += [
        (labels[name], "", plain(text)) for name, texts in reader.rows.items() for text in texts
    ]
    return Diagram(rows, graph.drawn(title, nodes, links))
