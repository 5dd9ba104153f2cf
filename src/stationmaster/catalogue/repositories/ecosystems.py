"""Lock files, updaters and modules of packages: `ecosystems.toml`."""

from __future__ import annotations

from typing import Literal

from stationmaster.catalogue.table import Row, once

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


class Ecosystems(Row, frozen=True):
    """The whole table. `locks_of_node` gives managers of packages by their lock files."""

    locks: dict[str, tuple[str, ...]]
    locks_of_node: dict[str, str]
    updaters: dict[str, tuple[str, ...]]
    imported_as: dict[str, str]


ecosystems = once("repositories/ecosystems", Ecosystems)


def locks(ecosystem: str) -> tuple[str, ...]:
    """Names of the lock files of an ecosystem, () for none."""
    table = ecosystems()
    return tuple(table.locks_of_node) if ecosystem == "npm" else table.locks.get(ecosystem, ())
