"""Ecosystems of packages: their lock files, inexact versions, updaters and modules, from
`ecosystems.toml`.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from stationmaster.catalogue.table import Row, lazy_table

Ecosystem = Literal[
    "npm",
    "deno",
    "python",
    "go",
    "rust",
    "maven",
    "gradle",
    "dotnet",
    "ruby",
    "php",
    "swift",
    "cpp",
    "elixir",
    "scala",
    "dart",
    "haskell",
    "terraform",
    "other",
]


class EcosystemRow(Row, frozen=True):
    """A row, as the head of the table describes it. `locks`: the program that writes each lock
    file, the likeliest first."""

    locks: dict[str, str] = msgspec.field(default_factory=dict)
    pinned_by: tuple[str, ...] = ()
    dynamic: str = ""
    updaters: frozenset[str] = frozenset()
    imported_as: dict[str, str] = msgspec.field(default_factory=dict)


ecosystems = lazy_table("ecosystems", dict[str, EcosystemRow])
_NOTHING_KNOWN = EcosystemRow()


def ecosystem_row(name: str) -> EcosystemRow:
    """The row of an ecosystem by the name that readers of manifests give it; an empty one for an
    ecosystem without a row."""
    return ecosystems().get(name, _NOTHING_KNOWN)


@cache
def lock_names() -> frozenset[str]:
    """Names of the lock files of all ecosystems, in lower case."""
    return frozenset(name.lower() for row in ecosystems().values() for name in row.locks)
