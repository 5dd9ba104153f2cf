"""Swift's imports: a module is a target of a package, or a folder of its name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, named
from stationmaster.reading.projects.paths import folder_of

_TARGET = re.compile(
    r"\.(?:executableTarget|target|testTarget|plugin|macro|systemLibrary)\s*\(\s*"
    r"name:\s*\"([^\"\n]{1,200})\"((?:(?!\.(?:executableTarget|target|testTarget|macro)\s*\()"
    r"[\s\S]){0,3000})"
)
_PATH = re.compile(r"\bpath:\s*\"([^\"\n]{1,300})\"")
_HOMES = ("Sources", "Tests", "Plugins", "Source", "src", "Macros")
_WIDE_MAX = 60
"""Files that one import is resolved to, at most."""


def resolver(index: Index) -> Resolver:
    """A function from an import to the files of the module that declare names of the file, or to
    all where none of them does; a name without an import is resolved in the same module."""
    modules = _modules(index)
    owner = {path: module for module, paths in modules.items() for path in paths}
    declared: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, module in sorted(owner.items()):
        for symbol in index.facts(path).symbols:
            if not symbol.container:
                declared[module, symbol.name].append(path)

    def resolve(path: str, import_: Import) -> Resolved:
        if import_.kind == "reference":
            paths = declared.get((owner.get(path, ""), import_.name), ())
            return Resolved(tuple(paths[:1]) if len(paths) == 1 else (), is_settled=not paths)
        if import_.name not in modules:
            return Resolved(outside=import_.name)
        names = named(index.facts(path)) if import_.names == ("*",) else import_.names
        targets = {path for name in names for path in declared.get((import_.name, name), ())}
        return Resolved(tuple(sorted(targets or modules[import_.name])[:_WIDE_MAX]))

    return resolve


def _modules(index: Index) -> dict[str, tuple[str, ...]]:
    """The files of each module of the commit's packages."""
    paths = index.paths.get("Swift", ())
    modules: dict[str, tuple[str, ...]] = {}
    for manifest in index.manifests("swift"):
        for name, folders in _targets(manifest.folder, index.tree.text(manifest.path)):
            inside = (
                tuple(path for path in paths if path.startswith(f"{folder}/")) for folder in folders
            )
            if files := next(filter(None, inside), ()):
                modules.setdefault(name.replace("-", "_"), files)
    return modules


def _targets(folder: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Targets and their possible folders."""
    base = "" if folder == "." else f"{folder}/"
    for target in _TARGET.finditer(text):
        match = _PATH.search(target[2])
        if match is not None:
            path = match[1].removeprefix("./").rstrip("/")
            yield target[1], [f"{base}{path}" if path not in ("", ".") else folder_of(f"{base}x")]
        else:
            yield target[1], [f"{base}{home}/{target[1]}" for home in _HOMES]
