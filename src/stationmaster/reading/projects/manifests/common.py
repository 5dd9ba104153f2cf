"""What the readers of manifests share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from stationmaster.reading.projects.model import Dependency, DependencyScope, Place
from stationmaster.reading.projects.paths import parents
from stationmaster.repos.contents import Contents
from stationmaster.repos.files import Files

DEPENDENCIES_MAX = 2_000
"""Of one manifest; further ones are left out."""
TEXT_MAX = 300
_DEVELOPMENT = re.compile(
    r"(?i)(?:^|[^a-z])(?:dev|develop|development|tests?|testing|lint|docs?|ci|types?|typing"
    r"|typecheck|build|style|format|benchmarks?)(?:[^a-z]|$)"
)


class Reading:
    """The files of a commit, for readers of manifests that look into further files."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.contents: Contents = files.contents

    def nearest(self, folder: str, name: str) -> str | None:
        """The file of this name in a folder or the nearest one above it."""
        for parent in parents(folder):
            path = within(parent, name)
            if path in self.files:
                return path
        return None


class Lines:
    """Where things stand in a text. Asked in the order of the text it is quick."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts: list[int] | None = None

    def seek(self, pattern: str) -> None:
        """Go to the first match of a pattern of lines; to the beginning without one."""
        match = re.search(pattern, self._text, re.MULTILINE)
        self._at = match.start() if match else 0

    def of(self, needle: str) -> int | None:
        """The line of a text from here on."""
        at = self._text.find(needle, self._at)
        if at < 0:
            return None
        self._at = at
        return self.at(at + needle.startswith("\n"))

    def at(self, offset: int) -> int:
        """The line of an offset in the text, from 1."""
        if self._starts is None:
            self._starts = [match.end() for match in re.finditer("\n", self._text)]
        return bisect_right(self._starts, offset) + 1


def within(folder: str, name: str) -> str:
    """The path of a name in a folder; `.` is the root."""
    return name if folder == "." else f"{folder}/{name}"


def limited(found: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """The first DEPENDENCIES_MAX of some dependencies."""
    return tuple(each for each, _ in zip(found, range(DEPENDENCIES_MAX), strict=False))


def of_table(
    path: str, lines: Lines, table: object, scope: DependencyScope, key: str = '"{}"'
) -> Iterable[Dependency]:
    """Dependencies of a mapping from names to constraints, or to tables with `version`. `key` is
    how a name stands in the file."""
    for name, asked in list(mapping(table).items())[:DEPENDENCIES_MAX]:
        version = asked if isinstance(asked, str) else text(mapping(asked).get("version"))
        optional = mapping(asked).get("optional") is True
        line = lines.of(key.format(name))
        yield Dependency(name, version, "optional" if optional else scope, Place(path, line))


def scope_of(name: str) -> DependencyScope:
    """What a group, an extra or a file of requirements is for, by its name."""
    return "development" if _DEVELOPMENT.search(name) else "optional"


def mapping(value: object) -> Mapping[str, Any]:
    """The value itself where it is a dict, else {}."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The first DEPENDENCIES_MAX items of a list, [] for anything else."""
    return value[:DEPENDENCIES_MAX] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """The texts in a list, [] for anything else."""
    return [each for each in sequence(value) if isinstance(each, str)]


def text(value: object) -> str | None:
    """A text on one line, not too long; None for what is none."""
    if not isinstance(value, str):
        return None
    printable = "".join(c if c.isprintable() else " " for c in value[: 4 * TEXT_MAX])
    told = " ".join(printable.split())
    return told[:TEXT_MAX] or None
