"""CI systems: their names, their files, and which of them are closed: `ci.toml`."""

from __future__ import annotations

import re
from functools import cache

from stationmaster.catalogue.table import Row, read


class System(Row, frozen=True):
    """A CI system, or what one calls.

    `files`: patterns of whole paths, any of which a file of it has. `signs`: patterns that the text
    of a file with a free name must all have. `closed`: since when nothing runs its files, in words;
    empty while it runs. `owners`: of first-party parts, in lower case.

    `jobs`: where a file lists its jobs, as keys with dots between them and `*` for every member.
    `is_called`: other CI calls it, so that nothing starts it by itself. `root_first`: a file at the
    root is the only one.
    """

    title: str
    files: tuple[str, ...]
    signs: tuple[str, ...] = ()
    closed: str = ""
    owners: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    is_called: bool = False
    root_first: bool = False


@cache
def systems() -> dict[str, System]:
    """All of them by name, in the order in which they are asked whose a file is."""
    return read("ci", dict[str, System])


@cache
def _patterns(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in systems()[name].files))


@cache
def _any_pattern() -> re.Pattern[str]:
    """What the path of a file of any system matches, in one question."""
    return re.compile("|".join(f"(?:{_patterns(name).pattern})" for name in systems()))


def of_path(path: str) -> list[str]:
    """The systems that a file of this path may be one of, in their order."""
    if not _any_pattern().fullmatch(path):
        return []
    return [name for name in systems() if is_file(name, path)]


def is_file(name: str, path: str) -> bool:
    """May a file of this path be one of this system, as far as names tell?"""
    return _patterns(name).fullmatch(path) is not None


def closed(name: str) -> str:
    """Since when a system is closed, in words; empty while it runs."""
    system = systems().get(name)
    return "" if system is None else system.closed
