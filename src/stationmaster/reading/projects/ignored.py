"""Which paths the .gitignore files of a commit leave out, as git's manual has it.

Compared by our own globs: pathspec's expressions take a time exponential in the stars of a pattern,
and patterns come from repositories of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.projects.globs import compiled
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.queries import Tree

FILES_MAX = 200
PATTERNS_MAX = 5_000


class _Rule(NamedTuple):
    test: re.Pattern[str]
    ignores: bool


class Ignored:
    """What the .gitignore files of a commit ignore. `paths` are these files."""

    def __init__(self, tree: Tree) -> None:
        self.paths = tree.glob("**/.gitignore")
        left = PATTERNS_MAX
        self._rules: list[tuple[str, Sequence[_Rule]]] = []
        for path in self.paths[:FILES_MAX]:
            rules = list(_rules(tree.text(path)))[:left]
            left -= len(rules)
            self._rules.append((folder_of(path), rules))

    def has_any(self, paths: Sequence[str]) -> bool:
        """True if any of some paths, or a folder around it, is ignored. A path counts from the root
        and from the folder of each .gitignore: is `node_modules` ignored anywhere?"""
        return any(
            _ignores(rules, candidate)
            for folder, rules in self._rules
            for path in paths
            for candidate in dict.fromkeys((path, path.removeprefix(f"{folder}/")))
        )


def _rules(text: str) -> Iterator[_Rule]:
    for line in text.split("\n"):
        pattern = line.rstrip()
        if not pattern or pattern.startswith("#"):
            continue
        plain = pattern.removeprefix("!").removeprefix("\\")
        plain = plain.rstrip("/").removesuffix("/**").removesuffix("/*")
        if "/" not in plain.rstrip("/"):
            plain = f"**/{plain}"
        yield _Rule(compiled(plain.removeprefix("/")), not pattern.startswith("!"))


def _ignores(rules: Sequence[_Rule], path: str) -> bool:
    """The last rule that a path or folder matches decides; what is in an ignored folder is lost."""
    steps = path.split("/")
    for count in range(1, len(steps) + 1):
        part = "/".join(steps[:count])
        if next((rule.ignores for rule in reversed(rules) if rule.test.fullmatch(part)), False):
            return True
    return False
