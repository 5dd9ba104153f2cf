"""What the readers of manifests share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from stationmaster.reading.projects.model import (
    Dependency,
    DependencyScope,
    Ecosystem,
    Manifest,
    Place,
)
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.contents import Contents
from stationmaster.repos.files import Files

DEPENDENCIES_MAX = 2_000
"""Of one manifest; further ones are left out."""
TEXT_MAX = 300
_NAME = re.compile(r"[\w-]")
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
    """The lines of texts in a file. It is fast for texts in the order of the file."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts: list[int] | None = None

    def seek(self, pattern: str) -> None:
        """Go to the first match of a pattern of lines; to the beginning without one."""
        match = re.search(pattern, self._text, re.MULTILINE)
        self._at = match.start() if match else 0

    def of(self, needle: str) -> int | None:
        """The line of a text from here on, where it is no part of a longer name."""
        at = self._text.find(needle, self._at)
        while at >= 0 and self._is_part(at, needle):
            at = self._text.find(needle, at + 1)
        if at < 0:
            return None
        self._at = at
        return self.at(at + needle.startswith("\n"))

    def _is_part(self, at: int, needle: str) -> bool:
        end = at + len(needle)
        around = ((needle[:1], self._text[at - 1 : at]), (needle[-1:], self._text[end : end + 1]))
        return any(it.isalnum() and _NAME.match(beside) for it, beside in around)

    def at(self, offset: int) -> int:
        """The line of an offset in the text, from 1."""
        if self._starts is None:
            self._starts = [match.end() for match in re.finditer("\n", self._text)]
        return bisect_right(self._starts, offset) + 1


def within(folder: str, name: str) -> str:
    """The path of a name in a folder; `.` is the root."""
    return name if folder == "." else f"{folder}/{name}"


def manifest(
    path: str,
    ecosystem: Ecosystem,
    about: Mapping[str, object],
    dependencies: Iterable[Dependency] = (),
    data: Mapping[str, Any] | None = None,
    *,
    is_private: bool = False,
) -> Manifest:
    """The manifest at a path; `about` has its name, version and description, if any. The first
    DEPENDENCIES_MAX dependencies count."""
    return Manifest(
        path,
        folder_of(path),
        ecosystem,
        name=text(about.get("name")),
        version=text(about.get("version")),
        description=text(about.get("description")),
        is_private=is_private,
        dependencies=tuple(islice(dependencies, DEPENDENCIES_MAX)),
        data=data or {},
    )


def unread(path: str, ecosystem: Ecosystem, fault: str) -> Manifest:
    """The manifest of a file that has another form than it should."""
    return Manifest(path, folder_of(path), ecosystem, fault=text(fault))


def needs(
    path: str, source: str, pattern: re.Pattern[str], development: re.Pattern[str] | None = None
) -> Iterator[Dependency]:
    """The dependencies that a pattern finds in code by its groups `name`, `version`, `group` and
    `development`, all but the first optional; what `development` finds in one makes it one, too."""
    lines = Lines(source)
    for match in pattern.finditer(source):
        part = match.groupdict()
        name = f"{part['group']}:{part['name']}" if part.get("group") else part["name"]
        scope: DependencyScope = "runtime"
        if part.get("development") or (development and development.search(match[0])):
            scope = "development"
        place = Place(path, lines.at(match.start()))
        yield Dependency(name, text(part.get("version")), scope, place)


def of_table(
    path: str, lines: Lines, table: object, scope: DependencyScope, *keys: str
) -> Iterable[Dependency]:
    """Dependencies of a mapping from names to constraints, or to tables with `version`. `keys` are
    the forms of a name in the file; without any, it is in quotes."""
    for name, value in list(mapping(table).items())[:DEPENDENCIES_MAX]:
        version = value if isinstance(value, str) else text(mapping(value).get("version"))
        optional = mapping(value).get("optional") is True
        places = (lines.of(key.format(name)) for key in keys or ('"{}"',))
        line = next((place for place in places if place is not None), None)
        yield Dependency(name, version, "optional" if optional else scope, Place(path, line))


def scope_of(name: str) -> DependencyScope:
    """The scope of a group, an extra or a file of requirements, by its name."""
    return "development" if _DEVELOPMENT.search(name) else "optional"


def mapping(value: object) -> Mapping[str, Any]:
    """The value itself where it is a dict, else {}."""
    return value if isinstance(value, dict) else {}


def inside(data: object, *keys: str) -> Any:
    """The value below a chain of keys, None without one."""
    for key in keys:
        data = mapping(data).get(key)
    return data


def sequence(value: object) -> list[Any]:
    """The first DEPENDENCIES_MAX items of a list, [] for anything else."""
    return value[:DEPENDENCIES_MAX] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """The texts in a list, [] for anything else."""
    return [item for item in sequence(value) if isinstance(item, str)]


def text(value: object) -> str | None:
    """A text on one line, not too long; None for what is none."""
    if not isinstance(value, str):
        return None
    printable = "".join(c if c.isprintable() else " " for c in value[: 4 * TEXT_MAX])
    line = " ".join(printable.split())
    return line[:TEXT_MAX] or None
