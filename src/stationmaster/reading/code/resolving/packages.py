"""Packages of the commit that others import by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from posixpath import normpath
from typing import Any

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.projects.paths import parents
from stationmaster.reading.projects.queries import Tree

_RULES = languages().javascript
_BUILT = re.compile(r"^(?:dist|lib|build|out|output|esm|cjs|es)/(?:(?:esm|cjs|es|types|src)/)?")
"""The folder that a build writes to, at the begin of an entry of a manifest."""
_ENDING = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
_TARGETS_MAX = 50

FileOf = Callable[[str], str | None]


class Packages:
    """The packages of a commit; `file_of` returns the file of a path with or without an
    extension."""

    def __init__(self, tree: Tree, file_of: FileOf) -> None:
        self._file_of = file_of
        self._manifests: dict[str, Mapping[str, Any]] = {}
        """By folder."""
        self._folders: dict[str, str] = {}
        """By name."""
        for manifest in tree.project.manifests:
            if manifest.ecosystem in ("npm", "deno"):
                self._manifests.setdefault(manifest.folder, manifest.data)
                if manifest.name:
                    self._folders.setdefault(manifest.name, manifest.folder)

    def knows(self, name: str) -> bool:
        """True for the name of a package of this commit."""
        return name in self._folders

    def folder(self, name: str) -> str | None:
        """The folder of a package of this commit, None for any other name."""
        return self._folders.get(name)

    def home(self, folder: str) -> str:
        """The nearest folder above that has a manifest."""
        return next((parent for parent in parents(folder) if parent in self._manifests), ".")

    def named(self, name: str, rest: str) -> str | None:
        """The file of `name/rest`."""
        folder = self._folders[name]
        data = self._manifests[folder]
        for target in self._exported(data, rest):
            path = self.written(normpath(f"{folder}/{target}"))
            if path:
                return path
        if rest:
            return self._file_of(f"{folder}/{rest}") or self._file_of(f"{folder}/src/{rest}")
        return self._file_of(f"{folder}/src/index") or self._file_of(f"{folder}/index")

    def inside(self, folder: str, name: str) -> str | None:
        """The file of a name that begins with `#` in the package around a folder."""
        home = self.home(folder)
        table = self._manifests.get(home, {}).get("imports")
        if not isinstance(table, Mapping):
            return None
        paths = (self.written(normpath(f"{home}/{target}")) for target in _matching(table, name))
        return next(filter(None, paths), None)

    def _exported(self, data: Mapping[str, Any], rest: str) -> Iterator[str]:
        table = data.get("exports")
        if isinstance(table, Mapping) and any(str(key).startswith(".") for key in table):
            yield from _matching(table, f"./{rest}" if rest else ".")
        elif table is not None and not rest:
            yield from _targets(table)
        if not rest:
            yield from (text for key in _RULES.mains if isinstance(text := data.get(key), str))

    def written(self, path: str) -> str | None:
        """The file of a path, or the source from which the build of its package makes it."""
        exact = self._file_of(path)
        home = self.home(path)
        target = path.removeprefix(f"{home}/")
        if exact or not _BUILT.match(target):
            return exact
        stem = _ENDING.sub("", _BUILT.sub("", target))
        return self._file_of(f"{home}/src/{stem}") or self._file_of(f"{home}/{stem}")


def split(name: str) -> tuple[str, str]:
    """A package's name, and the rest of what is imported."""
    parts = name.split("/", 2 if name.startswith("@") else 1)
    count = 2 if name.startswith("@") else 1
    return "/".join(parts[:count]), "/".join(parts[count:])


def _matching(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """The targets of a key, or of the longest pattern that fits."""
    if name in table:
        yield from _targets(table[name])
        return
    patterns = [str(key) for key in table if "*" in str(key)]
    for key in sorted(patterns, key=len, reverse=True):
        matched = fitting(key, name)
        if matched is not None:
            yield from (target.replace("*", matched) for target in _targets(table[key]))
            return


def fitting(pattern: str, name: str) -> str | None:
    """The text that the star of a pattern matches, '' where it has none and is the name."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    fits = name.startswith(before) and name.endswith(after) and len(name) >= len(before + after)
    return name[len(before) : len(name) - len(after)] if fits else None


def _targets(value: Any) -> Iterator[str]:
    """The texts in nested conditions, the preferred first."""
    waiting, count = [value], 0
    while waiting and count < _TARGETS_MAX:
        target = waiting.pop()
        count += 1
        if isinstance(target, str):
            yield target
        elif isinstance(target, list):
            waiting += reversed(target)
        elif isinstance(target, Mapping):
            keys = [key for key in _RULES.conditions if key in target]
            others = [key for key in target if key not in _RULES.conditions]
            waiting += [target[key] for key in reversed(keys + others)]
