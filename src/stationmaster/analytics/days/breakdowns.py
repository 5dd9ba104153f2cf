"""A day's slices under the values that may be shown: of agents, repositories and teams, and of what
is broken down by model, tool, skill, command, hook, server, language, extension or autonomy.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from stationmaster.aggregate.slices import UNKNOWN, Slices
from stationmaster.analytics.crowds import REST, Crowd
from stationmaster.report_names import Dimension

NOBODY = ""
"""Of a part that is not shown at all. No list has it."""
PARTS: tuple[Dimension, ...] = ("team", "agent", "repository")
"""The parts of an organization, in the order in which they are decided."""


class Breakdown(NamedTuple):
    """How a table of figures is broken down: its columns, each decided after those before it.

    Columns that make one name together stand together. Figures of rows that differ in `kind` are
    never added up. A row without a text in the first of its columns is in no list.
    """

    columns: tuple[tuple[str, ...], ...]
    kind: str | None = None


BREAKDOWNS: Mapping[str, Breakdown] = {
    "tokens": Breakdown((("model",),)),
    "tools": Breakdown((("tool",), ("mcp_server",))),
    "names": Breakdown((("name", "matcher", "command"),), "kind"),
    "file_changes": Breakdown((("extension",), ("language",))),
    "levels": Breakdown((("autonomy",),)),
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
    """All slices of a day with the breakdown of one of their tables as it is shown: see `shown`."""
    rows = shown(day, day.whole(table), BREAKDOWNS[table], within, minimum)
    return day.with_table(table, rows)


def shown(
    day: Slices, rows: pa.Table, breakdown: Breakdown, within: Dimension | None, minimum: int
) -> pa.Table:
    """All rows of a table of figures with the values of its breakdown as they are shown: in sums of
    the whole organization, or `within` each value of a part.

    `rows` name their slice in the column `slice`. `day` is what `by_parts` gives: its parts are
    named as they are shown already, its users are the true ones.
    """
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
    decided: dict[tuple[str, ...], Sequence[tuple[str, ...] | None]] = {}
    # First what is decided whatever is asked, then what is asked.
    scopes = (None, *PARTS)
    for scope in scopes[: scopes.index(within) + 1]:
        values = parts[scope] if scope else [None] * len(users)
        places: list[Hashable] = [
            (kind, values[number]) for kind, number in zip(kinds, numbers, strict=True)
        ]
        for names in breakdown.columns:
            rest = (REST, *("" for _ in names[1:]))
            decided[names] = crowd.split(labels[names], rest, within=places)
    for names, labels_of_row in decided.items():
        for place, name in enumerate(names):
            texts = [None if label is None else label[place] for label in labels_of_row]
            column = rows.schema.get_field_index(name)
            rows = rows.set_column(column, name, pa.array(texts, pa.string()))
    return rows


def _labels(rows: pa.Table, names: tuple[str, ...]) -> list[tuple[str, ...] | None]:
    """What each row is listed as; None where it is in no list."""
    columns = [rows[name].to_pylist() for name in names]
    return [
        (label[0].lower() if names == ("mcp_server",) else label[0], *label[1:])
        if label[0]
        else None
        for label in zip(*columns, strict=True)
    ]
