"""From rows of reports to the figures of charts, cards and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

Rows = Iterable[Mapping[str, Any]]


def number(value: Any) -> float | None:
    """A figure of a report: dollars are decimal numbers as text."""
    return float(value) if isinstance(value, str) else value


def course(rows: Rows, days: Sequence[date], field: str) -> list[float | None]:
    """A figure day by day; None for a day without a row."""
    values = {row["date"]: number(row[field]) for row in rows}
    return [values.get(f"{day}") for day in days]


def by_group(
    rows: Rows, days: Sequence[date], field: str, stored: Collection[str]
) -> dict[str, list[float | None]]:
    """A figure of each group day by day: 0 on a `stored` day on which the group did nothing, None
    on any other, and on all days of a group of which nothing is known, such as its price."""
    values: dict[str, dict[str, float | None]] = {}
    for row in rows:
        values.setdefault(row["group_key"], {})[row["date"]] = number(row[field])
    nothing = {f"{day}": 0.0 if f"{day}" in stored else None for day in days}
    return {
        group: [
            mine.get(day, none) if any(value is not None for value in mine.values()) else None
            for day, none in nothing.items()
        ]
        for group, mine in values.items()
    }


def total(rows: Rows, fields: Sequence[str]) -> dict[str, list[float | None]]:
    """The sums of figures by group; None where no row has a figure."""
    sums: dict[str, list[Decimal | None]] = {}
    for row in rows:
        mine = sums.setdefault(row["group_key"], [None] * len(fields))
        for place, field in enumerate(fields):
            if row[field] is not None:
                mine[place] = (mine[place] or Decimal(0)) + Decimal(str(row[field]))
    return {
        group: [None if value is None else float(value) for value in mine]
        for group, mine in sums.items()
    }


def ranked(rows: Rows, fields: Sequence[str]) -> list[tuple[str, list[float | None]]]:
    """The same in order: the largest first figure first, then by group."""
    return sorted(total(rows, fields).items(), key=lambda group: (-(group[1][0] or 0), group[0]))


def listed(rows: Rows, member: str, name: str, field: str) -> dict[str, float]:
    """The sums of a figure by the field `name`, of the entries that each row lists under `member`;
    the largest first."""
    sums: dict[str, float] = {}
    for row in rows:
        for entry in row[member]:
            sums[entry[name]] = sums.get(entry[name], 0) + entry[field]
    return dict(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))


def share(part: float | None, whole: float | None) -> float | None:
    """None where there is nothing to divide by."""
    return part / whole if part is not None and whole else None


def fitted(values: list[float | None], count: int) -> list[float | None]:
    """The values next to as many days of another period."""
    return [*values, *([None] * count)][:count]
