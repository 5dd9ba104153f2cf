"""CI systems: names, files, words in them, and which are closed: `ci.toml`, `ci_words.toml`."""

from __future__ import annotations

import re
from functools import cache, lru_cache

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
def words(name: str) -> dict[str, tuple[str, ...]]:
    """Keys and names in the files of a system that is read in full: `ci_words.toml`."""
    return read("ci_words", dict[str, dict[str, tuple[str, ...]]])[name]


_ENDING = re.compile(r"\\\.(?:([a-z0-9?]+)|\(\?:([a-z0-9?|]+)\))\)*")
"""The last of most patterns of files: `\\.ya?ml`, `\\.(?:sh|ps1)`."""

_YAML = ("yml", "yaml")


def _ends_so(file: str, endings: tuple[str, ...]) -> bool:
    """May a file of this pattern have one of these endings? Most are told apart by it."""
    match = _ENDING.fullmatch(file, file.rfind("\\.")) if "\\." in file else None
    return match is None or any(re.fullmatch(match[1] or match[2], ending) for ending in endings)


@lru_cache(1_000)
def _of_ending(ending: str) -> tuple[tuple[str, str], ...]:
    """The patterns of files that may end so, behind the names of their systems."""
    endings = _YAML if ending in _YAML else (ending,)
    rows = ((name, file) for name, system in systems().items() for file in system.files)
    return tuple((name, file) for name, file in rows if _ends_so(file, endings))


@cache
def _joined(patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """One group for each pattern, which holds the path of a file of it: asked once for all."""
    return re.compile("".join(rf"(?:(?=({file})\Z))?" for _, file in patterns))


@lru_cache(50_000)
def of_path(path: str) -> tuple[str, ...]:
    """The systems that a file of this path may be one of, in their order."""
    patterns = _of_ending(path[path.rfind("/") + 1 :].lower().rpartition(".")[2])
    match = _joined(patterns).match(path)
    groups = () if match is None else match.groups()
    names = (name for (name, _), file in zip(patterns, groups, strict=False) if file is not None)
    return tuple(dict.fromkeys(names))


def is_file(name: str, path: str) -> bool:
    """May a file of this path be one of this system, as far as names tell?"""
    return name in of_path(path)


def closed(name: str) -> str:
    """Since when a system is closed, in words; empty while it runs."""
    system = systems().get(name)
    return "" if system is None else system.closed
