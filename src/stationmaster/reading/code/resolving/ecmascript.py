"""Imports of JavaScript and TypeScript, with the folders of modules in configurations: `paths` and
`baseUrl`. Source: TypeScript's reference of tsconfig.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath
from typing import Any, NamedTuple

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.code.resolving.packages import Packages, fitting, split
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.queries import Tree

_NAMES = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json")
_STEPS_MAX = 12
"""Configurations that are followed by `extends` and `references`."""

_RUNTIMES = ("node:", "bun:", "deno:", "cloudflare:", "virtual:")
_REGISTRIES = ("npm:", "jsr:")
_RULES = languages().javascript


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the file or the package that it names."""
    paths = frozenset(index.tree.all_paths)

    def file_of(stem: str) -> str | None:
        return next(
            (candidate for candidate in _candidates(normpath(stem)) if candidate in paths), None
        )

    packages = Packages(index.tree, file_of)
    aliases = Aliases(index.tree, packages)
    answers: dict[tuple[str, str], Resolved] = {}

    def resolve(path: str, import_: Import) -> Resolved:
        key = (folder_of(path), import_.name)
        if key not in answers:
            answers[key] = _resolve(*key)
        return answers[key]

    def _resolve(folder: str, name: str) -> Resolved:
        name = name.partition("?")[0] if not name.startswith("#") else name
        if name.startswith(("./", "../")) or name in (".", ".."):
            return _to(packages.written(normpath(f"{folder}/{name}")))
        for stem in aliases.of(folder, name):
            target = file_of(stem)
            if target:
                return _to(target)
        if name.startswith("#"):
            return _to(packages.inside(folder, name))
        if name.startswith(_RUNTIMES):
            return Resolved(outside=name, is_builtin=True)
        for begin, places in _RULES.aliases.items():
            if name.startswith(begin):
                rest = name.removeprefix(begin)
                home = packages.home(folder)
                stems = (file_of(f"{home}/{place}{rest}") for place in places)
                return _to(next(filter(None, stems), None))
        for registry in _REGISTRIES:
            name = name.removeprefix(registry)
        package, rest = split(name)
        if packages.knows(package):
            return _to(packages.named(package, rest))
        if package in languages().libraries["JavaScript"]:
            return Resolved(outside=package, is_builtin=True)
        return Resolved(outside=package) if package else Resolved()

    return resolve


def _to(target: str | None) -> Resolved:
    return Resolved((target,)) if target else Resolved()


def _candidates(stem: str) -> Iterator[str]:
    """The files that a path with or without an extension may be, the likeliest first."""
    if stem.startswith(".."):
        return
    yield stem
    dot = stem.rfind(".", stem.rfind("/") + 1)
    for ending in _RULES.written_as.get(stem[dot:], ()) if dot > 0 else ():
        yield stem[:dot] + ending
    for ending in _RULES.endings:
        yield stem + ending
    start = "" if stem == "." else f"{stem}/"
    for ending in _RULES.endings:
        yield f"{start}index{ending}"


class _Config(NamedTuple):
    """A configuration; `paths` are patterns and their stems, from the root of the repository."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None


class Aliases:
    """The aliases of modules in TypeScript's configurations, read once for each folder."""

    def __init__(self, tree: Tree, packages: Packages) -> None:
        self._tree = tree
        self._packages = packages
        self._folders: dict[str, tuple[_Config, ...]] = {}

    def of(self, folder: str, name: str) -> Iterator[str]:
        """The stems of a name for the files of a folder, the likeliest first."""
        for parent in parents(folder):
            if parent not in self._folders:
                self._folders[parent] = tuple(self._read(parent))
            for config in self._folders[parent]:
                for pattern, stems in config.paths:
                    matched = fitting(pattern, name)
                    if matched is not None:
                        yield from (stem.replace("*", matched) for stem in stems)
                if config.base is not None and not name.startswith((".", "/", "#")):
                    yield f"{config.base}/{name}"

    def _read(self, folder: str) -> Iterator[_Config]:
        """The configurations in a folder and those that they refer to."""
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
        """A configuration, with missing values from those that it extends."""
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
    """The patterns with their stems, the longest and so most exact first."""
    for key in sorted(table, key=lambda key: (-len(str(key)), str(key))):
        stems = table[key]
        if isinstance(stems, list):
            texts = [stem for stem in stems if isinstance(stem, str)]
            yield str(key), tuple(normpath(f"{base}/{text}") for text in texts)
