"""Families of languages: `families.toml`.

A family is called by its best known language, in GitHub's spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from stationmaster.catalogue.table import Row, lazy_table


class PinLine(Row, frozen=True):
    """A file by its name, as fnmatch, and the pattern that it holds where it states a version."""

    file: str
    pattern: str


class Pin(Row, frozen=True):
    """Where a version is stated: `files` by being there, `keys` of files, `lines` of files, and a
    pattern in the code of Gradle builds."""

    files: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    lines: tuple[PinLine, ...] = ()
    gradle: str = ""


class Pins(Row, frozen=True):
    """Where the version of a toolchain is fixed, and where only a least one is declared. `words`:
    what the files of version managers call it. `is_optional`: such toolchains are mostly not
    pinned by files."""

    exact: Pin = Pin()
    least: Pin = Pin()
    words: str = ""
    is_optional: bool = False


class Isolation(Row, frozen=True):
    """What tests contain that run in parallel or have data of their own, and how that is called."""

    pattern: str
    name: str


class Output(Row, frozen=True):
    """Examples of what builds make: any of each group has to be ignored, in any folder; and the
    `languages` other than the family's own that make it."""

    any_of: tuple[tuple[str, ...], ...]
    languages: tuple[str, ...] = ()


class Family(Row, frozen=True):
    """A row. `members`: languages that its tools serve as well. `like`: the family whose tests look
    the same. `runners`: programs that run tests of this family alone; `runner_files` and
    `runner_keys`: configurations that run them without a command. `test`: what a file with a test
    contains, and an empty or generated one does not.
    """

    members: tuple[str, ...] = ()
    like: str = ""
    runners: tuple[str, ...] = ()
    runner_files: tuple[str, ...] = ()
    runner_keys: tuple[str, ...] = ()
    test: str = ""
    isolation: Isolation | None = None
    output: Output | None = None
    pins: Pins | None = None


families = lazy_table("families", dict[str, Family])
"""All families of which more is known than their name."""


@cache
def by_member() -> Mapping[str, str]:
    """The family of each language that is not called as its family is."""
    return {member: name for name, row in families().items() for member in row.members}


@cache
def of_runner(program: str) -> frozenset[str]:
    """The families whose tests a program runs; none where it runs those of any."""
    named = {name for name, row in families().items() if program in row.runners}
    return frozenset(named | {name for name, row in families().items() if row.like in named})


@cache
def of_output(language: str) -> tuple[str, Output] | None:
    """The family whose builds make the same as those of a language, and what they make."""
    rows = ((name, row.output) for name, row in families().items() if row.output)
    return next((row for row in rows if language == row[0] or language in row[1].languages), None)
