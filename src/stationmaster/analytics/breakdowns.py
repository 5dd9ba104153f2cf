"""A day's slices under the values that may be shown: of agents, repositories and teams, and of what
is broken down by model, tool, skill, command, hook, server, language, extension or autonomy.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from stationmaster.aggregate.slices import UNKNOWN, Slices
from stationmaster.analytics.crowds import REST, Crowd
from stationmaster.rollups.rows import Dimension

NOBODY = ""
"""Of a part that is not shown at all. No list has it."""
PARTS: tuple[Dimension, ...] = ("team", "agent", "repository")
"""The parts of an organization, in the order in which they are decided."""


class _Table(NamedTuple):
    """How a table of slices is broken down: its columns, each decided after those before it.

    Columns that make one name together stand together. Figures of rows that differ in `kind` are
    never added up.
    """

    columns: tuple[tuple[str, ...], ...]
    kind: str | None = None


BREAKDOWNS: Mapping[str, _Table] = {
    "tokens": _Table((("model",),)),
    "tools": _Table((("tool",), ("mcp_server",))),
    "names": _Table((("name", "matcher", "command"),), "kind"),
    "file_changes": _Table((("extension",), ("language",))),
    "levels": _Table((("autonomy",),)),
}
"""By table."""


def by_parts(day: Slices, minimum: int) -> Slices:
    """All slices of a day, their parts named as they are shown.

    A day of fewer than `minimum` people has no part to be shown.
    """
    crowd = Crowd(day.column("user_id"), minimum)
    is_large = crowd.is_large
    for part in PARTS:
        names = crowd.split(day.column(part), REST, never=(UNKNOWN,))
        day = day.with_column(part, names if is_large else [NOBODY] * len(names))
    return day


def broken_down(day: Slices, table: str, within: Dimension | None, minimum: int) -> Slices:
    """All slices of a day with the breakdowns of a table as they are shown: of the whole, or
    `within` each value of a part. Its parts are named as they are shown already, its users are not.
    """
    rows, breakdown = day.whole(table), BREAKDOWNS[table]
    numbers = rows["slice"].to_pylist()
    kinds = rows[breakdown.kind].to_pylist() if breakdown.kind else [None] * len(numbers)
    parts = {part: day.column(part) for part in PARTS}
    users = day.column("user_id")
    told_apart = [
        (kind, *(parts[part][number] for part in PARTS))
        for kind, number in zip(kinds, numbers, strict=True)
    ]
    crowd = Crowd([users[number] for number in numbers], minimum, told_apart)
    labels = {names: _labels(rows, names) for names in breakdown.columns}
    shown: dict[tuple[str, ...], Sequence[Any]] = {}
    for scope in _scopes(within):
        values = parts[scope] if scope else [None] * len(users)
        places: list[Hashable] = [
            (kind, values[number]) for kind, number in zip(kinds, numbers, strict=True)
        ]
        for names in breakdown.columns:
            shown[names] = crowd.split(labels[names], _rest(names), within=places)
    for names, found in shown.items():
        for place, name in enumerate(names):
            values = [None if label is None else label[place] for label in found]
            day = day.with_column(name, values, table)
    return day


def _scopes(within: Dimension | None) -> Sequence[Dimension | None]:
    """What is decided first, whatever is asked, and what is asked."""
    order = (None, *PARTS)
    return order[: order.index(within) + 1]


def _labels(rows: Any, names: tuple[str, ...]) -> list[tuple[str, ...] | None]:
    """What each row is listed as; None where it is in no list."""
    columns = [rows[name].to_pylist() for name in names]
    return [
        (label[0].lower() if names == ("mcp_server",) else label[0], *label[1:])
        if label[0]
        else None
        for label in zip(*columns, strict=True)
    ]


def _rest(names: tuple[str, ...]) -> tuple[str, ...]:
    return (REST, *("" for _ in names[1:]))
