"""Parts that the YAML of many providers has in common, each read in one way.

Scripts with the places of their lines, variables, filters, lists that may be a single word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stationmaster.pipelines.model import Place, distinct, line
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Documents,
    Fault,
    Mapping,
    Node,
    Scalar,
    Sequence,
    get,
    items,
    members,
    text,
    texts,
)

LIST_MAX = 100
_GAP_MAX = 200
_NESTING_MAX = 10
_SCALARS_MAX = 20_000
_NAMELESS = frozenset({"", "env", "global", "jobs", "matrix", "environment"})
_COPIES_MAX = 1_000_000
_PART = re.compile(r"(\d{1,6})\s{0,3}([a-z]{0,9})")
_UNITS = {
    "": 1,
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "d": 86_400,
    "day": 86_400,
    "w": 604_800,
    "week": 604_800,
}


class Script(NamedTuple):
    """Shell text whose lines stand in the file one below the other, the first of them at `at`."""

    text: str
    at: Place


def mapping(files: Files, path: str, *, merges: bool = True) -> tuple[Mapping, Documents] | None:
    """The first document of a file that is a mapping; None for a file that says nothing.

    Raises Fault.
    """
    documents = files.documents(path, merges=merges)
    if not documents.roots:
        return None
    root = documents.roots[0]
    if not isinstance(root, Mapping):
        raise Fault("it is no mapping", root.line, root.column)
    return root, documents


def place(node: Node) -> Place:
    """The line and column of a node, from 1, with its path."""
    return Place(node.line, node.column, node.path)


def place_if(node: Node | None) -> Place | None:
    """The place of a node, None for None."""
    return None if node is None else place(node)


def place_of(root: Node | None, key: str) -> Place | None:
    """Where a key of a mapping stands."""
    at = root.keys.get(key) if isinstance(root, Mapping) else None
    return None if root is None or at is None else Place(*at, root.path)


def said(node: Node | None) -> str | None:
    """A text as it may be told; None for an empty one."""
    return line(text(node) or "") or None


def words(node: Node | None) -> list[str]:
    """Texts of a list, or of one word, as they may be told."""
    return distinct(texts(node), LIST_MAX)


def several(node: Node | None) -> list[Node]:
    """The items of a list; what is no list is its only item."""
    if isinstance(node, Sequence):
        return node.items
    return [] if node is None or (isinstance(node, Scalar) and node.is_null) else [node]


def pairs(node: Node | None) -> list[tuple[str, Node]]:
    """The members of a mapping, or those of a list's mappings, in their order."""
    return [pair for each in several(node) for pair in members(each).items()]


def filtered(node: Node | None, *, only: str = "include", never: str = "exclude") -> list[str]:
    """A filter as a list, what is excluded with a `!` before it."""
    if not isinstance(node, Mapping):
        return words(node)
    excluded = [f"!{each}" for each in texts(node.members.get(never))]
    return distinct([*texts(node.members.get(only)), *excluded], LIST_MAX)


def scripts(node: Node | None) -> list[Script]:
    """Command lines that follow one another, told apart where another part of the file is taken in.

    Lines between them, such as comments, are empty lines of the script, so that places stay true.
    """
    found: list[tuple[Place, list[str]]] = []
    below = 0
    for each in _lines(node, 0):
        written = each.text.rstrip("\n")
        at = Place(each.line + each.is_block, each.column, each.path)
        is_beside = bool(found) and found[-1][0].path == at.path
        if not is_beside or not 0 < at.line - below <= _GAP_MAX:
            found.append((at, [written]))
        else:
            found[-1][1].append("\n" * (at.line - below) + written)
        below = at.line + written.count("\n")
    return [Script("".join(parts), at) for at, parts in found]


def _lines(node: Node | None, level: int) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        if not node.is_null:
            yield node
    elif isinstance(node, Sequence) and level < _NESTING_MAX:
        for item in node.items[: LIST_MAX * 10]:
            yield from _lines(item, level + 1)


def variables(node: Node | None) -> dict[str, str]:
    """Of a mapping, of a list of mappings, of `NAME=value`, or of `{name: …, value: …}`."""
    found: dict[str, str] = {}
    for each in several(node)[: LIST_MAX * 5]:
        if isinstance(each, Scalar):
            for word in each.text[:2000].split():
                name, mark, value = word.partition("=")
                if mark and name.isidentifier():
                    found[name] = value
        elif (name_node := text(get(each, "name"))) is not None and get(each, "value") is not None:
            found[name_node] = text(get(each, "value")) or ""
        else:
            for key, member in list(members(each).items())[: LIST_MAX * 5]:
                given = member if isinstance(member, Scalar) else get(member, "value")
                if isinstance(given, Scalar):
                    found[key] = given.text
    return found


def labels(node: Node | None) -> list[str]:
    """Of a mapping as `name=value`, of a list as it is."""
    told = [f"{key}={text(value) or ''}" for key, value in members(node).items()]
    return distinct(told, LIST_MAX) or words(node)


def number(node: Node | None) -> int | None:
    """A plain number from 1 on."""
    digits = text(node) or ""
    return int(digits) if re.fullmatch(r"[1-9][0-9]{0,5}", digits) else None


def minutes(duration: str | None) -> int | None:
    """Such as `90 minutes`, `1h 30m`, or seconds; None for what is less than one."""
    units = [
        (int(count), unit if unit in _UNITS else unit.removesuffix("s"))
        for count, unit in _PART.findall((duration or "")[:100].lower())
    ]
    if not units or any(unit not in _UNITS for _, unit in units):
        return None
    return sum(count * _UNITS[unit] for count, unit in units) // 60 or None


def product(sizes: Iterable[int]) -> int | None:
    """How many copies of a job a matrix with axes of these sizes makes; None for one, or for too
    many to believe it."""
    total = math.prod(size for size in list(sizes)[:LIST_MAX] if size > 0)
    return total if 1 < total <= _COPIES_MAX else None


def keys_before(root: Node, mark: str) -> list[str]:
    """The names of values that are mappings with such a key, as encrypted ones are, up to a bound.

    A list's items go by the name of the list; `env`, `global`, `jobs`, and `matrix` name no value.
    """
    found: dict[str, None] = {}
    waiting: list[tuple[str, Node]] = [("", root)]
    for _ in range(_SCALARS_MAX):
        if not waiting:
            break
        name, node = waiting.pop()
        if mark in members(node) and name not in _NAMELESS:
            found[line(name)] = None
        inner = [(name, item) for item in items(node)] or list(members(node).items())
        waiting += reversed(inner[:_SCALARS_MAX])
    return list(found)[:LIST_MAX]
