"""The languages that are read: `languages.dialects` in `catalogue/code/shared.toml`.

A language is a row there and a module here: `File` is what a file of it is, `READERS` report what
frameworks make of one. Grammars and modules are imported in the processes that parse alone.
"""

from __future__ import annotations

import re
from functools import cache

from stationmaster.catalogue import code
from stationmaster.catalogue.table import Row

_SHEBANG = re.compile(
    rb"#![ \t]*(?:\S{0,80}/)?(?:env[ \t]+(?:-\S+[ \t]+)?)?(?:\S{0,80}/)?([A-Za-z-]+)"
)


class Dialect(Row, frozen=True):
    """How a language is read. `endings` are those of its files, `programs` run its scripts;
    `grammar` is the function that gives its grammar, `reader` the module here that reads it;
    `queries` are the names of the files that its queries consist of: its own name where empty;
    `resolver` is the module that resolves its imports: called as the reader where empty."""

    endings: tuple[str, ...]
    grammar: str
    reader: str
    programs: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    resolver: str = ""


@cache
def dialects() -> dict[str, Dialect]:
    """All languages by name."""
    return code.table("shared.languages.dialects", dict[str, Dialect])


@cache
def _by_ending() -> dict[str, str]:
    return {ending: name for name, each in dialects().items() for ending in each.endings}


@cache
def _by_program() -> dict[str, str]:
    return {program: name for name, each in dialects().items() for program in each.programs}


def of_path(path: str) -> str:
    """The language of a file by its name, '' where none here reads it."""
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    return _by_ending().get(ending, "")


def of_shebang(data: bytes) -> str:
    """The language of a program by its first line, '' where none here reads it."""
    match = _SHEBANG.match(data)
    return _by_program().get(match[1].decode(), "") if match else ""
