"""CI systems: names, files, words in them, and which are closed: `ci.toml`, `ci_words.toml`."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from stationmaster.catalogue.table import Row, lazy_table


class System(Row, frozen=True):
    """A CI system, or what one calls.

    `files`: patterns of whole paths, any of which a file of it has. `signs`: patterns that the text
    of a file with a free name must all have. `closed`: since when nothing runs its files, in words;
    empty while it runs. `owners`: of first-party parts, in lower case. `distinct`: patterns of
    names that no other file has, in any folder; those that begin with a dot need none.

    `jobs`: where a file lists its jobs, as keys with dots between them and `*` for every member.
    `is_called`: other CI calls it, so that nothing starts it by itself. `root_first`: a file at the
    root is the only one.
    """

    title: str
    files: tuple[str, ...]
    signs: tuple[str, ...] = ()
    closed: str = ""
    owners: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    is_called: bool = False
    root_first: bool = False


systems = lazy_table("ci", dict[str, System])
"""All of them by name, in the order in which they are asked whose a file is."""
_words = lazy_table("ci_words", dict[str, dict[str, tuple[str, ...]]])


def words(name: str) -> dict[str, tuple[str, ...]]:
    """Keys and names in the files of a system that is read in full: `ci_words.toml`."""
    return _words()[name]


_ENDING = re.compile(r"\\\.(?:([a-z0-9?]+)|\(\?:([a-z0-9?|]+)\))\)*")
"""The last of most patterns of files: `\\.ya?ml`, `\\.(?:sh|ps1)`."""
_YAML = ("yml", "yaml")


@cache
def _patterns() -> tuple[tuple[str, str, str | None], ...]:
    """A system by its name, a pattern of its files, and that of their ending where it has one."""
    rows = []
    for name, system in systems().items():
        for file in system.files:
            match = _ENDING.fullmatch(file, file.rfind("\\.")) if "\\." in file else None
            rows.append((name, file, None if match is None else match[1] or match[2]))
    return tuple(rows)


@lru_cache(1_000)
def _of_ending(ending: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """The systems whose files may have an ending, by which most are distinguished at little cost,
    and one pattern with a group for each."""
    endings = _YAML if ending in _YAML else (ending,)
    lasts = {last for _, _, last in _patterns()}
    fitting = {t for t in lasts if t is None or any(re.fullmatch(t, end) for end in endings)}
    rows = [(name, file) for name, file, last in _patterns() if last in fitting]
    return tuple(name for name, _ in rows), _joined(tuple(file for _, file in rows))


@cache
def _joined(files: tuple[str, ...]) -> re.Pattern[str]:
    """A group for each pattern, which holds the path of a file of it: asked once for all."""
    return re.compile("".join(rf"(?:(?=({file})\Z))?" for file in files))


@lru_cache(50_000)
def of_path(path: str) -> tuple[str, ...]:
    """The systems that a file of this path may be one of, in their order."""
    names, pattern = _of_ending(path[path.rfind("/") + 1 :].lower().rpartition(".")[2])
    match = pattern.match(path)
    if match is None or match.lastindex is None:
        return ()
    groups = zip(names, match.groups(), strict=True)
    return tuple(dict.fromkeys(name for name, file in groups if file is not None))


def is_file(name: str, path: str) -> bool:
    """May a file of this path be one of this system, as far as names show?"""
    return name in of_path(path)


def closed(name: str) -> str:
    """Since when a system is closed, in words; empty while it runs."""
    system = systems().get(name)
    return "" if system is None else system.closed
