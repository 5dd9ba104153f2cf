"""Diagrams of entities: tables with their columns, and how many rows of one belong to another's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.web.diagrams import graph
from stationmaster.web.diagrams.drawing import STYLING, Diagram, Row, count, plain, short
from stationmaster.web.diagrams.graph import Link, Node

_NAME = r"(?:[\w.-]{1,60}|\"[^\"]{1,60}\")"
_LABEL = r"(?:\[\"?([^\"\]]{0,200})\"?\])?"
_TABLE = re.compile(rf"({_NAME})\s*+{_LABEL}\s*+(?:(\{{)([^{{}}]*)(\}})?)?")
_RELATION = re.compile(
    rf"({_NAME})\s*(\|\||\|o|o\||\}}o|\}}\|)(--|\.\.)(\|\||o\||\|o|o\{{|\|\{{)\s*({_NAME})"
    r"\s*(?::\s*\"?([^\"]{0,300})\"?)?"
)
_COLUMN = re.compile(
    r"([\w()\[\]*.,?<>~-]{1,60})\s++([\w*.?\[\]-]{1,60})"
    r"((?:\s*+,?\s*+\b(?:PK|FK|UK)\b)*+)(?:\s*+\"([^\"]{0,200})\")?"
)
_IGNORED = (*STYLING, "class ")


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    labels: dict[str, str] = {}
    columns: dict[str, list[str]] = {}
    links: list[Link] = []
    inside = ""
    for line in lines:
        if inside:
            body, _, rest = line.partition("}")
            if rest or not _add_columns(columns[inside], body):
                return None
            inside = "" if "}" in line else inside
        elif (relation := _RELATION.fullmatch(line)) is not None:
            links.append(_link(*relation.groups()))
        elif (table := _TABLE.fullmatch(line)) is not None:
            name, label, opened, body, closed = table.groups()
            labels[name] = short(label or name.strip('"'))
            if not _add_columns(columns.setdefault(name, []), body or ""):
                return None
            inside = name if opened and not closed else ""
        elif not line.startswith(_IGNORED):
            return None
    return None if inside else _diagram(labels, columns, links)


def _diagram(
    labels: dict[str, str], columns: dict[str, list[str]], links: Sequence[Link]
) -> Diagram | None:
    for name in (name for link in links for name in (link.start, link.end)):
        labels.setdefault(name, short(name.strip('"')))
    if not links and not any(columns.values()):
        return None
    rows: list[Row] = [
        (
            labels[link.start],
            labels[link.end],
            f"{link.at_start} to {link.at_end}" + (f": {link.label}" if link.label else ""),
        )
        for link in links
    ]
    rows += [(labels[name], "", ", ".join(own)) for name, own in columns.items() if own]
    nodes = {name: Node(label, rows=columns.get(name, ())) for name, label in labels.items()}
    name = f"Diagram of {count(len(nodes), 'table')} and {count(len(links), 'relation')}"
    return Diagram(rows, graph.drawn(name, nodes, links), ("Table", "Other table", "What"))


def _link(start: str, left: str, line: str, right: str, end: str, label: str | None) -> Link:
    return Link(
        start,
        end,
        plain(label or ""),
        line == "..",
        at_start=_number(left),
        at_end=_number(right),
    )


def _number(sign: str) -> str:
    """How many rows an end of a relation has."""
    if {"{", "}"} & {*sign}:
        return "0..*" if "o" in sign else "1..*"
    return "0..1" if "o" in sign else "1"


def _add_columns(columns: list[str], body: str) -> bool:
    """Add the columns of a line; False where it has something else."""
    at = 0
    body = body.strip()
    while at < len(body):
        column = _COLUMN.match(body, at)
        if column is None:
            return False
        kind, name, keys, words = column.groups()
        tail = " ".join([*re.findall("[PFU]K", keys), *([f"({words})"] if words else [])])
        columns.append(plain(f"{name} {kind} {tail}"))
        at = column.end()
        while at < len(body) and body[at].isspace():
            at += 1
    return True
