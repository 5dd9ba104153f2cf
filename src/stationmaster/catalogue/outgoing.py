"""Calls that reach another service by a package of others: `outgoing.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Leaving(Row, frozen=True):
    """Functions of `packages` in files with these endings; what they do is stated in words that
    follow a function's name. `is_implicit`: its types are known without an import that names them.
    """

    does: str
    endings: frozenset[str]
    packages: tuple[str, ...]
    names: frozenset[str]
    types: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()
    takers: frozenset[str] = frozenset()
    is_implicit: bool = False


class Outgoing(Row, frozen=True):
    """The whole table."""

    rows: tuple[Leaving, ...]


outgoing = lazy_table("outgoing", Outgoing)
"""The table, decoded once."""
