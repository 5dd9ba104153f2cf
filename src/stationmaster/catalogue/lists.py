"""Names and patterns of the world by what they are for: `packages.toml`, `files.toml`,
`words.toml`, `phrases.toml` and `patterns.toml`.

A kind is read when the first of its names is asked. Asking for a purpose that no row has raises
KeyError.
"""

from __future__ import annotations

import re
from functools import cache

from stationmaster.catalogue.table import compiled, lazy_table, read

_Lists = dict[str, tuple[str, ...]]


def packages(*purposes: str) -> tuple[str, ...]:
    """Packages and modules of some purposes, as fnmatch patterns in lower case."""
    return tuple(name for purpose in purposes for name in _lists("packages")[purpose])


def files(*purposes: str) -> tuple[str, ...]:
    """Globs of the files of some purposes, in the order in which they are looked for."""
    return tuple(name for purpose in purposes for name in _lists("files")[purpose])


@cache
def words(purpose: str) -> frozenset[str]:
    """Words of a purpose, such as the programs that manage packages."""
    return frozenset(_lists("words")[purpose])


@cache
def phrases(*purposes: str) -> tuple[str, ...]:
    """Commands of some purposes: a program and the words behind it."""
    return tuple(name for purpose in purposes for name in _lists("phrases")[purpose])


@cache
def pattern(purpose: str) -> re.Pattern[str]:
    """What texts of a purpose look like, compiled when it is first asked."""
    return compiled(_patterns()[purpose])


@cache
def _lists(kind: str) -> _Lists:
    return read(kind, _Lists)


_patterns = lazy_table("patterns", dict[str, str])
