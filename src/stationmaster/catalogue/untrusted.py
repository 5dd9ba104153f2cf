"""Texts of people without rights in runs of CI, and what runs them: `untrusted.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from stationmaster.catalogue.table import Row, lazy_table


class Runs(Row, frozen=True):
    """What runs files of the repository, or what it reads."""

    programs: frozenset[str]
    interpreters: frozenset[str]
    harmless: frozenset[str]
    actions: tuple[str, ...]
    downloads: frozenset[str]
    input: frozenset[str]
    own_input: frozenset[str]


class Releases(Row, frozen=True):
    """Actions of workflows that publish."""

    publish: frozenset[str]
    caches: frozenset[str]
    setups: frozenset[str]


class Secrets(Row, frozen=True):
    """What shows secrets or is passed them."""

    debug: tuple[str, ...]
    logins: frozenset[str]


class Untrusted(Row, frozen=True):
    """The whole table. `open_types` are by event; `sources` and `whole` have
    events; `outputs` and `macros` are patterns, by
    action and by system; `evaluated` are inputs by action."""

    groups: dict[str, tuple[str, ...]]
    open_types: dict[str, frozenset[str]]
    sources: dict[str, tuple[str, ...]]
    whole: dict[str, tuple[str, ...]]
    outputs: dict[str, str]
    evaluated: dict[str, frozenset[str]]
    macros: dict[str, str]
    runs: Runs
    releases: Releases
    secrets: Secrets

    def events(self, named: Iterable[str]) -> frozenset[str]:
        """The events of these names, those of a group for its name."""
        return frozenset(value for name in named for value in self.groups.get(name, (name,)))


untrusted = lazy_table("untrusted", Untrusted)
"""The table, decoded once."""


@cache
def sources() -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    """Patterns of values that people without rights choose, each with the events that have them."""
    table = untrusted()
    return tuple((re.compile(p), table.events(named)) for p, named in table.sources.items())


@cache
def whole() -> dict[str, frozenset[str]]:
    """What holds such values where all of it is written out, with the events that have them."""
    table = untrusted()
    every = frozenset(event for _, events in sources() for event in events)
    return {path: table.events(named) or every for path, named in table.whole.items()}
