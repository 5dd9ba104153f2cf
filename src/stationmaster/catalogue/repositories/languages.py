"""What is known of languages: `languages.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class JavaScript(Row, frozen=True):
    """How the file of a module is found, in the order in which it is tried."""

    endings: tuple[str, ...]
    conditions: tuple[str, ...]
    mains: tuple[str, ...]
    written_as: dict[str, tuple[str, ...]]
    aliases: dict[str, tuple[str, ...]]


class Languages(Row, frozen=True):
    """The whole table, which describes each part of it; parts are by language."""

    markup: frozenset[str]
    builders: dict[str, frozenset[str]]
    domains: dict[str, frozenset[str]]
    javascript: JavaScript


languages = lazy_table("repositories/languages", Languages)
