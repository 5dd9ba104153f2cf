"""What `.gitattributes` say of files: generated, others' code, documentation, no text.

Source: gitattributes(5), and the `linguist-*` attributes that hosts read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.projects import globs
from stationmaster.repos.files import Files

NAME = ".gitattributes"
_FILES_MAX = 100
_LINES_MAX = 500
_READ = ("linguist-generated", "linguist-vendored", "linguist-documentation", "binary")


class Rule(NamedTuple):
    """The paths that lines of one file set an attribute for, or unset it for."""

    pattern: re.Pattern[str]
    is_set: bool


class Attributes:
    """Of a commit's files. A deeper file wins over one above it, a later line over an earlier."""

    def __init__(self, files: Files) -> None:
        paths = [path for path in files.paths() if path == NAME or path.endswith("/" + NAME)]
        paths.sort(key=lambda path: (path.count("/"), path))
        self._rules: dict[str, list[Rule]] = {name: [] for name in _READ}
        for path in paths[:_FILES_MAX]:
            self._add(path.rpartition("/")[0], files.contents.text(path))
        for rules in self._rules.values():
            rules.reverse()

    def of(self, path: str) -> Mapping[str, bool]:
        """The attributes that a file is given, and whether as set or as unset."""
        told = {}
        for name, rules in self._rules.items():
            for pattern, is_set in rules:
                if pattern.fullmatch(path):
                    told[name] = is_set
                    break
        return told

    def _add(self, folder: str, text: str) -> None:
        lines: dict[str, list[tuple[bool, list[str]]]] = {name: [] for name in _READ}
        for line in text.split("\n")[:_LINES_MAX]:
            pattern, *words = line.split() or [""]
            if not words or pattern.startswith(("#", "!", '"')):
                continue
            for word in words:
                name, is_set = _said(word)
                if name in lines:
                    runs = lines[name]
                    if not runs or runs[-1][0] != is_set:
                        runs.append((is_set, []))
                    runs[-1][1].extend(_patterns(folder, pattern))
        for name, runs in lines.items():
            self._rules[name] += [Rule(globs.any_of(each), is_set) for is_set, each in runs]


def _said(word: str) -> tuple[str, bool]:
    name, _, value = word.partition("=")
    return name.lstrip("-!"), not name.startswith(("-", "!")) and value != "false"


def _patterns(folder: str, pattern: str) -> Sequence[str]:
    """A name alone means files anywhere below; a folder's name means what lies in it."""
    plain = pattern.lstrip("/") if "/" in pattern.rstrip("/") else f"**/{pattern}"
    whole = f"{folder}/{plain}" if folder else plain
    return (whole, f"{whole.rstrip('/')}/**")
