"""How many copies of a job a matrix makes: the product of its lists, less what it excludes, more
what it includes.
"""

from __future__ import annotations

import math
from itertools import product

from stationmaster.repos.yaml_nodes import Mapping, Node, Scalar, Sequence, get, items, members

_COPIES_MAX = 1_024
"""Of one job; the service allows 256."""
_ENTRIES_MAX = 256

Value = str | tuple["Value", ...]
Entry = dict[str, Value]


class Matrices:
    """Sizes of a commit's matrices, within a bound of their cost together."""

    def __init__(self, comparisons_max: int = 500_000) -> None:
        self._left = comparisons_max

    def size(self, matrix: Node | None) -> int | None:
        """How many copies, None where that is only known when it runs, or is far too many."""
        if not isinstance(matrix, Mapping):
            return None
        lists = {k: v for k, v in matrix.members.items() if k not in ("include", "exclude")}
        if not all(isinstance(list_, Sequence) for list_ in lists.values()):
            return None
        entries = [_entries(get(matrix, key)) for key in ("exclude", "include")]
        excluded, included = entries
        if excluded is None or included is None:
            return None
        count = math.prod(len(items(list_)) for list_ in lists.values()) if lists else 0
        if not (excluded or included) or not lists:
            return len(included) or count or None
        cost = count * (len(excluded) + len(included))
        if count > _COPIES_MAX or cost > self._left:
            return None
        self._left -= cost
        axes = {key: [_value(item) for item in items(each)] for key, each in lists.items()}
        return _count(axes, excluded, included) or None


def _count(axes: dict[str, list[Value]], excluded: list[Entry], included: list[Entry]) -> int:
    copies = [dict(zip(axes, chosen, strict=True)) for chosen in product(*axes.values())]
    copies = [copy for copy in copies if not any(each.items() <= copy.items() for each in excluded)]
    return len(copies) + sum(not _extends(entry, axes, copies) for entry in included)


def _extends(entry: Entry, axes: dict[str, list[Value]], copies: list[Entry]) -> bool:
    """Does an entry add to copies that are there, changing none of their own values?"""
    own = {key: value for key, value in entry.items() if key in axes}
    return any(own.items() <= copy.items() for copy in copies)


def _entries(node: Node | None) -> list[Entry] | None:
    """None for a list that is computed."""
    if node is None or (isinstance(node, Scalar) and node.is_null):
        return []
    if not isinstance(node, Sequence) or len(node.items) > _ENTRIES_MAX:
        return None
    return [{k: _value(v) for k, v in members(item).items()} for item in node.items]


def _value(node: Node) -> Value:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return ("[", *map(_value, node.items))
    return ("{", *((key, _value(each)) for key, each in sorted(node.members.items())))
