"""Tools whose versions a repository requires: `versions.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Key(Row, frozen=True):
    """A rule at one of some chains of keys of a manifest."""

    files: tuple[str, ...]
    tool: str
    keys: tuple[tuple[str, ...], ...]
    line: str
    rule: str = ".+"


class Text(Row, frozen=True):
    """A rule that a pattern finds in a file, only at the root where that is set."""

    files: tuple[str, ...]
    tool: str
    pattern: str
    at_root: bool = False


class Store(Row, frozen=True):
    """How lines of some files name what they connect to."""

    files: tuple[str, ...]
    pattern: str


class Versions(Row, frozen=True):
    """The whole table: what people call a tool, by where its version is asked for."""

    keys: tuple[Key, ...]
    texts: tuple[Text, ...]
    setups: dict[str, dict[str, str]]
    files: dict[str, str]
    names: dict[str, str]
    wrappers: dict[str, str]
    programs: dict[str, str]
    bases: dict[str, str]
    images: dict[str, str]
    stores: tuple[Store, ...]
    store_names: dict[str, str]


versions = lazy_table("repositories/versions", Versions)
