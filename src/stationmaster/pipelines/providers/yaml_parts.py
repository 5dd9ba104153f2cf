"""Parts that the YAML of many systems has in common, each read in one way.

Scripts with the places of their lines, variables, filters, lists that may be a single word. Keys
behind a node lead to the one that is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stationmaster.pipelines.model import Place, distinct, line
from stationmaster.repos.yaml_nodes import (
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
_UNIT = re.compile(
    r"(?:(s(?:ec(?:ond)?)?|)|(m(?:in(?:ute)?)?)|(h(?:r|our)?)|(d(?:ay)?)|(w(?:eek)?))s?"
)
_SECONDS = (1, 60, 3600, 86_400, 604_800)
"""Of the units that the groups of `_UNIT` name."""


class Script(NamedTuple):
    """Shell text whose lines are in the file one below the other, the first of them at `at`."""

    text: str
    at: Place


def place(node: Node) -> Place:
    """The line and column of a node, from 1, with its path."""
    return Place(node.line, node.column, node.path)


def place_if(node: Node | None) -> Place | None:
    """The place of a node, None for None."""
    return None if node is None else place(node)


def place_of(root: Node | None, key: str) -> Place | None:
    """The place of a key of a mapping."""
    at = root.keys.get(key) if isinstance(root, Mapping) else None
    return None if root is None or at is None else Place(*at, root.path)


def one_line(node: Node | None, *keys: str) -> str | None:
    """A text as it may be reported; None for an empty one."""
    return line(text(node, *keys) or "") or None


def words(node: Node | None, *keys: str) -> list[str]:
    """Texts of a list, or of one word, as they may be reported."""
    return distinct(texts(node, *keys), LIST_MAX)


def several(node: Node | None) -> list[Node]:
    """The items of a list; what is no list is its only item."""
    if isinstance(node, Sequence):
        return node.items
    return [] if node is None or (isinstance(node, Scalar) and node.is_null) else [node]


def filtered(node: Node | None, *, only: str = "include", never: str = "exclude") -> list[str]:
    """A filter as a list, what is excluded with a `!` before it."""
    if not isinstance(node, Mapping):
        return words(node)
    excluded = [f"!{pattern}" for pattern in texts(node.members.get(never))]
    return distinct([*texts(node.members.get(only)), *excluded], LIST_MAX)


def scripts(node: Node | None) -> list[Script]:
    """Command lines that follow one another, separate where another part of the file is included.

    Lines between them, such as comments, are empty lines of the script, so that places stay true.
    """
    blocks: list[tuple[Place, list[str]]] = []
    below = 0
    for scalar in _lines(node, 0):
        written = scalar.text.rstrip("\n")
        at = Place(scalar.line + scalar.is_block, scalar.column, scalar.path)
        is_connected = bool(blocks) and blocks[-1][0].path == at.path
        if not is_connected or not 0 < at.line - below <= _GAP_MAX:
            blocks.append((at, [written]))
        else:
            blocks[-1][1].append("\n" * (at.line - below) + written)
        below = at.line + written.count("\n")
    return [Script("".join(parts), at) for at, parts in blocks]


def _lines(node: Node | None, level: int) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        if not node.is_null:
            yield node
    elif isinstance(node, Sequence) and level < _NESTING_MAX:
        for item in node.items[: LIST_MAX * 10]:
            yield from _lines(item, level + 1)


def variables(node: Node | None, *keys: str) -> dict[str, str]:
    """Of a mapping, of a list of mappings, of `NAME=value`, or of `{name: …, value: …}`."""
    values: dict[str, str] = {}
    for entry in several(get(node, *keys))[: LIST_MAX * 5]:
        if isinstance(entry, Scalar):
            for word in entry.text[:2000].split():
                name, mark, value = word.partition("=")
                if mark and name.isidentifier():
                    values[name] = value
        elif (own := text(entry, "name")) is not None and get(entry, "value") is not None:
            values[own] = text(entry, "value") or ""
        else:
            for key, member in list(members(entry).items())[: LIST_MAX * 5]:
                inner = member if isinstance(member, Scalar) else get(member, "value")
                if isinstance(inner, Scalar):
                    values[key] = inner.text
    return values


def labels(node: Node | None, *keys: str) -> list[str]:
    """Of a mapping as `name=value`, of a list as it is."""
    pairs = [f"{key}={text(value) or ''}" for key, value in members(node, *keys).items()]
    return distinct(pairs, LIST_MAX) or words(node, *keys)


def number(node: Node | None, *keys: str) -> int | None:
    """A plain number from 1 on."""
    written = text(node, *keys) or ""
    return int(written) if re.fullmatch(r"[1-9][0-9]{0,5}", written) else None


def minutes(duration: str | None) -> int | None:
    """Such as `90 minutes`, `1h 30m`, or seconds; None for what is less than one."""
    seconds = 0
    for count, unit in _PART.findall((duration or "")[:100].lower()):
        match = _UNIT.fullmatch(unit)
        if match is None or match.lastindex is None:
            return None
        seconds += int(count) * _SECONDS[match.lastindex - 1]
    return seconds // 60 or None


def product(sizes: Iterable[int]) -> int | None:
    """How many copies of a job a matrix with axes of these sizes makes; None for one, or for too
    many to believe it."""
    total = math.prod(size for size in list(sizes)[:LIST_MAX] if size > 0)
    return total if 1 < total <= _COPIES_MAX else None


def keys_before(root: Node, mark: str) -> list[str]:
    """The names of values that are mappings with such a key, as encrypted ones are, up to a bound.

    A list's items go by the name of the list; `env`, `global`, `jobs`, and `matrix` name no value.
    """
    names: dict[str, None] = {}
    waiting: list[tuple[str, Node]] = [("", root)]
    for _ in range(_SCALARS_MAX):
        if not waiting:
            break
        name, node = waiting.pop()
        if mark in members(node) and name not in _NAMELESS:
            names[line(name)] = None
        inner = [(name, item) for item in items(node)] or list(members(node).items())
        waiting += reversed(inner[:_SCALARS_MAX])
    return list(names)[:LIST_MAX]
