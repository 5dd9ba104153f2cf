"""What requests pass through around their handlers: `middleware.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, once


class Synonyms(Row, frozen=True):
    """Names that all mean the same."""

    names: frozenset[str]
    beside: frozenset[str] = frozenset()
    """Packages in whose files the names mean something else."""


class Calls(Row, frozen=True):
    """What is called in files that import one of `packages`; of all files where there are none."""

    names: tuple[str, ...]
    packages: tuple[str, ...]


class Middleware(Row, frozen=True):
    """The whole table; `calls` are by the ending of a file."""

    calls: dict[str, Calls]
    types: Synonyms
    marks: Synonyms
    lists: Synonyms


middleware = once("middleware", Middleware)
"""The table, decoded once."""
