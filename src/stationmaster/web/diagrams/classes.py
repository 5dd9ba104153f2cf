"""Diagrams of classes: their members, what they extend, and what else leads from one to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.web.diagrams import graph
from stationmaster.web.diagrams.drawing import STYLING, Diagram, Row, count, plain, short, wrapped
from stationmaster.web.diagrams.graph import Link, Node

_NAME = r"(?:`[^`]{1,60}`|[\w.-]{0,59}[\w](?:~[^`\"{}:|]{1,80}~)?)"
_CLASS = re.compile(
    rf"class\s++({_NAME})\s*+(?:\[\"([^\"]{{0,200}})\"\])?\s*+(?::::\s*+[\w-]+)?\s*+"
    r"(?:<<([^<>]{1,60})>>)?\s*+(?:(\{)\s*+(\})?)?"
)
_RELATION = re.compile(
    rf"({_NAME})\s*+(?:\"([^\"]{{0,60}})\")?\s*+(<\||\*|o|<|\(\))?(--|\.\.)(\|>|\*|o(?=[\s\"])|>|\(\))?\s*+"
    rf"(?:\"([^\"]{{0,60}})\")?\s*+({_NAME})\s*+(?::\s*+(.{{0,300}}))?"
)
_MEMBER = re.compile(rf"({_NAME})\s*:\s*(.{{1,300}})")
_KIND = re.compile(rf"<<([^<>]{{1,60}})>>\s*({_NAME})")
_NOTE = re.compile(rf"note\s+(?:for\s+({_NAME})\s+)?\"([^\"]{{1,400}})\"")
_SPACE = re.compile(rf"namespace\s+({_NAME})\s*\{{")
_IGNORED = (*STYLING, "cssClass ", "click ", "link ", "callback ")
_MARKS = {"<|": "triangle", "*": "diamond", "o": "open diamond", "<": "arrow"}
_MEANINGS = {"triangle": "extends", "diamond": "part of", "open diamond": "belongs to"}
"""What a mark means for the class at the line's other end."""


class _Classes(NamedTuple):
    labels: dict[str, str]
    kinds: dict[str, str]
    spaces: dict[str, str]
    members: dict[str, list[str]]
    notes: list[tuple[str, str]]
    """The class or '', and the words."""
    links: list[Link]

    def add(self, name: str, label: str = "", space: str = "") -> str:
        """The key of a class, which is its name without its parameters."""
        key = name.strip("`").partition("~")[0]
        if label or "~" in name or key not in self.labels:
            self.labels[key] = short(label or _as_written(name))
        if space:
            self.spaces[key] = short(_as_written(space))
        return key


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    classes = _Classes({}, {}, {}, {}, [], [])
    inside = space = ""
    for line in lines:
        if inside:
            kind = re.fullmatch(r"<<([^<>]{1,60})>>", line)
            if line == "}":
                inside = ""
            elif kind is not None:
                classes.kinds[inside] = short(kind[1])
            else:
                classes.members.setdefault(inside, []).append(plain(_as_written(line)))
        elif line == "}" and space:
            space = ""
        elif (opened := _SPACE.fullmatch(line)) is not None and not space:
            space = opened[1]
        elif (match := _CLASS.fullmatch(line)) is not None:
            key = classes.add(match[1], match[2] or "", space)
            if match[3]:
                classes.kinds[key] = short(match[3])
            inside = key if match[4] and not match[5] else ""
        elif not _add(classes, line):
            return None
    if inside or space:
        return None
    return _diagram(classes)


def _add(classes: _Classes, line: str) -> bool:
    """Add what a line states of classes that need no declaration; False if it states nothing."""
    if (kind := _KIND.fullmatch(line)) is not None:
        classes.kinds[classes.add(kind[2])] = short(kind[1])
    elif (note := _NOTE.fullmatch(line)) is not None:
        classes.notes.append((classes.add(note[1]) if note[1] else "", note[2]))
    elif (relation := _RELATION.fullmatch(line)) is not None:
        classes.links.append(_link(classes, relation))
    elif (member := _MEMBER.fullmatch(line)) is not None:
        members = classes.members.setdefault(classes.add(member[1]), [])
        members.append(plain(_as_written(member[2])))
    else:
        return line.startswith(_IGNORED)
    return True


def _link(classes: _Classes, relation: re.Match[str]) -> Link:
    """From the general to the special, or from who points to what it points at."""
    name, at_start, left, line, right, at_end, other, label = relation.groups()
    start, end = classes.add(name), classes.add(other)
    mirrored = {"|>": "<|", ">": "<"}.get(right or "", right or "")
    link = Link(
        start,
        end,
        plain(label or "").strip('"'),
        line == "..",
        _MARKS.get(left or "", ""),
        _MARKS.get(mirrored, ""),
        short(at_start or ""),
        short(at_end or ""),
    )
    is_upwards = link.head in _MEANINGS or (link.tail == "arrow" and not link.head)
    if not is_upwards or link.tail in _MEANINGS:
        return link
    return link._replace(
        start=end,
        end=start,
        tail=link.head,
        head=link.tail,
        at_start=link.at_end,
        at_end=link.at_start,
    )


def _diagram(classes: _Classes) -> Diagram | None:
    labels, links = classes.labels, classes.links
    rows = [_row(link, labels) for link in links]
    rows += [(labels[name], "", ", ".join(own)) for name, own in classes.members.items()]
    rows += [(labels[name], "", f"is «{kind}»") for name, kind in classes.kinds.items()]
    rows += [(labels[name], "", f"in {space}") for name, space in classes.spaces.items()]
    rows += [(labels.get(name, "Note"), "", plain(words)) for name, words in classes.notes]
    if not labels or not rows:
        return None
    nodes = {name: _node(classes, name) for name in labels}
    shown = [*links]
    for number, (name, words) in enumerate(classes.notes):
        key = f"note {number}"
        nodes[key] = Node("", rows=wrapped(words), style="note")
        if name:
            shown.append(Link(name, key, is_dashed=True))
    name = f"Diagram of {count(len(labels), 'class')} and {count(len(links), 'relation')}"
    return Diagram(rows, graph.drawn(name, nodes, shown), ("Class", "Other class", "What"))


def _node(classes: _Classes, name: str) -> Node:
    kind, space = classes.kinds.get(name, ""), classes.spaces.get(name, "")
    group = " · ".join([*([f"«{kind}»"] if kind else []), *([space] if space else [])])
    return Node(classes.labels[name], group, classes.members.get(name, ()))


def _row(link: Link, labels: dict[str, str]) -> Row:
    """The text of a line: of a special class about the general one, else in its own direction."""
    start, end = labels[link.start], labels[link.end]
    numbers = (link.at_start, link.at_end)
    meaning = _MEANINGS.get(link.tail, "")
    if meaning:
        start, end, numbers = end, start, numbers[::-1]
    if meaning == "extends" and link.is_dashed:
        meaning = "implements"
    if not meaning and link.is_dashed and link.head:
        meaning = "depends on"
    shown = " to ".join(number or "?" for number in numbers) if any(numbers) else ""
    parts = dict.fromkeys(part for part in (meaning, shown, link.label) if part)
    return start, end, ": ".join(parts)


def _as_written(name: str) -> str:
    """A name as people write it: `List~T~` is `List<T>`."""
    opened = re.sub(r"(?<=\w)~(?=\w)", "<", name.strip("`"))
    return re.sub(r"(?<=[\w~>\]?])~(?!\w)", ">", opened)
