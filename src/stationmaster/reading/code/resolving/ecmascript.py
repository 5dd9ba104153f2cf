"""Imports of JavaScript and TypeScript: packages of the commit that others import by name, and the
folders of modules in configurations, `paths` and `baseUrl`. Source: TypeScript's reference of
tsconfig.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname, normpath
from typing import Any, NamedTuple

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.queries import Tree

_RULES = languages().javascript
_BUILT = re.compile(r"^(?:dist|lib|build|out|output|esm|cjs|es)/(?:(?:esm|cjs|es|types|src)/)?")
"""The folder that a build writes to, at the begin of an entry of a manifest."""
_ENDING = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
_TARGETS_MAX = 50

FileOf = Callable[[str], str | None]
_NAMES = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json")
_STEPS_MAX = 12
"""Configurations that are followed by `extends` and `references`."""

_RUNTIMES = ("node:", "bun:", "deno:", "cloudflare:", "virtual:")
_REGISTRIES = ("npm:", "jsr:")
_RULES = languages().javascript


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
            return Resolved(outside=name)
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
