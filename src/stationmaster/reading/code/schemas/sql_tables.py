"""Tables while statements of SQL change them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.stored import Column


class Constraint(NamedTuple):
    """A constraint; `kind` is `foreign` or `unique`."""

    kind: str
    columns: tuple[str, ...]
    target: str = ""
    target_columns: tuple[str, ...] = ()


@dataclass
class OpenTable:
    """A table while files change it. Columns by their names in lower case."""

    name: str
    path: str
    line: int
    end: int
    columns: dict[str, Column] = field(default_factory=dict)
    constraints: dict[str, Constraint] = field(default_factory=dict)


def mark(table: OpenTable, column: str, **changes: bool | str) -> None:
    """Change properties of a column: `is_key`, `is_unique` or `references`."""
    before = table.columns.get(column.lower())
    if before is not None:
        table.columns[column.lower()] = msgspec.structs.replace(before, **changes)
