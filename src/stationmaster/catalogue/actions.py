"""What well-known actions of GitHub's language do: `actions.toml`."""

from __future__ import annotations

from functools import cache

from stationmaster.catalogue.commands import CommandKind
from stationmaster.catalogue.table import Row, lazy_table


class Caches(Row, frozen=True):
    """Actions that keep something between runs, and the inputs by which others do."""

    always: frozenset[str]
    by_default: dict[str, str]
    switches: tuple[str, ...]
    stores: tuple[str, ...]


class Actions(Row, frozen=True):
    """The whole table; `uploads` and `scripts` are by action."""

    purposes: dict[CommandKind, tuple[str, ...]]
    caches: Caches
    uploads: dict[str, str]
    scripts: dict[str, str]


actions = lazy_table("actions", Actions)
"""The table, decoded once."""


@cache
def purposes() -> dict[str, CommandKind]:
    """What a workflow wants of an action, by action."""
    return {name: kind for kind, names in actions().purposes.items() for name in names}
