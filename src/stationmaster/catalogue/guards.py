"""What decides whether a request reaches its handler: `guards.toml`."""

from __future__ import annotations

from functools import cache

from stationmaster.catalogue.table import Row, compiled, once


class Guards(Row, frozen=True):
    """The whole table."""

    words: tuple[str, ...]
    others: tuple[str, ...]
    unread: frozenset[str]


guards = once("guards", Guards)
"""The table, decoded once."""


@cache
def is_guard(name: str) -> bool:
    """Is something called as what lets only some requests pass?"""
    table = guards()
    is_other = any(compiled(f"(?i){word}").search(name) for word in table.others)
    return not is_other and any(compiled(f"(?i){word}").search(name) for word in table.words)
