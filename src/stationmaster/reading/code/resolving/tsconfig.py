"""What configurations of TypeScript say of where modules lie: `paths` and `baseUrl`.

Source: TypeScript's reference of tsconfig.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath
from typing import Any, NamedTuple

from stationmaster.reading.code.resolving.packages import Packages, fitting, split
from stationmaster.reading.projects.paths import parents
from stationmaster.reading.projects.queries import Tree

_NAMES = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json")
_STEPS_MAX = 12
"""Of `extends` and `references`."""


class _Config(NamedTuple):
    """`paths` are patterns and the stems they stand for, from the root of the repository."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None


class Aliases:
    """The aliases of modules in TypeScript's configurations, read once for each folder."""

    def __init__(self, tree: Tree, packages: Packages) -> None:
        self._tree = tree
        self._packages = packages
        self._folders: dict[str, tuple[_Config, ...]] = {}

    def of(self, folder: str, name: str) -> Iterator[str]:
        """The stems that a name may mean for the files of a folder, the likeliest first."""
        for parent in parents(folder):
            if parent not in self._folders:
                self._folders[parent] = tuple(self._read(parent))
            for config in self._folders[parent]:
                for pattern, stems in config.paths:
                    taken = fitting(pattern, name)
                    if taken is not None:
                        yield from (stem.replace("*", taken) for stem in stems)
                if config.base is not None and not name.startswith((".", "/", "#")):
                    yield f"{config.base}/{name}"

    def _read(self, folder: str) -> Iterator[_Config]:
        """Of the configurations in a folder and those that they refer to."""
        start = "" if folder == "." else f"{folder}/"
        waiting = [path for name in _NAMES if self._has(path := start + name)]
        seen: dict[str, None] = {}
        while waiting and len(seen) < _STEPS_MAX:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen[path] = None
            yield self._config(path)
            references = self._json(path).get("references")
            for reference in references if isinstance(references, list) else ():
                if isinstance(reference, Mapping) and isinstance(reference.get("path"), str):
                    target = normpath(f"{dirname(path) or '.'}/{reference['path']}")
                    if target.endswith(".json") and dirname(target) == dirname(path):
                        waiting.append(target)

    def _config(self, path: str) -> _Config:
        """What a configuration says, or else what those say that it extends."""
        waiting = [path]
        seen: set[str] = set()
        paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
        base: str | None = None
        while waiting and len(seen) < _STEPS_MAX:
            config_path = waiting.pop(0)
            if config_path in seen or not self._has(config_path):
                continue
            seen.add(config_path)
            data = self._json(config_path)
            options = data.get("compilerOptions")
            options = options if isinstance(options, Mapping) else {}
            here = dirname(config_path) or "."
            own = options.get("baseUrl")
            near = normpath(f"{here}/{own}") if isinstance(own, str) else None
            base = base or near
            if not paths and isinstance(options.get("paths"), Mapping):
                paths = tuple(_patterns(options["paths"], base or here))
            extends = data.get("extends")
            for name in [extends] if isinstance(extends, str) else extends or ():
                if isinstance(name, str):
                    waiting += self._extended(here, name)
        return _Config(paths, base)

    def _extended(self, here: str, name: str) -> Iterator[str]:
        if not name.startswith("."):
            package, rest = split(name)
            folder = self._packages.folder(package)
            if folder is None:
                return
            here, name = folder, rest or "tsconfig.json"
        stem = normpath(f"{here}/{name}")
        yield stem if stem.endswith(".json") else f"{stem}.json"

    def _has(self, path: str) -> bool:
        return self._tree.files.behind(path) is not None

    def _json(self, path: str) -> Mapping[str, Any]:
        data = self._tree.json(path)
        return data if isinstance(data, Mapping) else {}


def _patterns(table: Mapping[str, Any], base: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The longest first, as the most exact."""
    for key in sorted(table, key=lambda key: (-len(str(key)), str(key))):
        stems = table[key]
        if isinstance(stems, list):
            texts = [stem for stem in stems if isinstance(stem, str)]
            yield str(key), tuple(normpath(f"{base}/{text}") for text in texts)
