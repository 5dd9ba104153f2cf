"""Python's imports."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of, parents

_STUB = ".pyi"


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the files of its modules in the commit."""
    paths = index.paths.get("Python", ())
    stems = _by_stem(paths)
    declared = _declared(index)
    roots = declared | _inferred(stems)
    places: dict[str, list[str]] = defaultdict(list)
    """The roots below which a module may be, by the first part of its name."""
    for stem in stems:
        for root in _around(stem, roots):
            top = stem.removeprefix(f"{root}/" if root else "").partition("/")[0]
            if root not in places[top]:
                places[top].append(root)

    @cache
    def nearest(folder: str, top: str) -> list[str]:
        return _nearest(places.get(top, ()), folder, declared)

    def resolve(path: str, import_: Import) -> Resolved:
        folder = _folder(path)
        if import_.level:
            for _ in range(import_.level - 1):
                folder = _folder(folder)
            return Resolved(_in(stems, _join(folder, import_.name), import_.names))
        top = import_.name.partition(".")[0]
        is_of_python = top in sys.stdlib_module_names
        roots = () if is_of_python else places.get(top, ())
        for root in nearest(folder, top) if roots else ():
            targets = _in(stems, _join(root, import_.name), import_.names)
            if targets:
                return Resolved(targets)
        if not is_of_python and _join(folder, "__init__") not in stems:
            targets = _in(stems, _join(folder, import_.name), import_.names)
            if targets:  # A module in the folder of a script.
                return Resolved(targets)
        if any(root in declared and _join(root, top) in stems for root in roots):
            return Resolved()
        return Resolved(outside=top)

    return resolve


def _by_stem(paths: Iterable[str]) -> Mapping[str, str]:
    """Modules by their paths without extensions, a package by its folder; code before stubs."""
    stems: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (path.endswith(_STUB), path)):
        stem = path.rpartition(".")[0]
        stems.setdefault(stem, path)
        if stem.endswith("/__init__"):
            stems.setdefault(stem.removesuffix("/__init__"), path)
    return stems


def _declared(index: Index) -> frozenset[str]:
    """The folders that modules are named from: the repository's, `src`, and those of manifests."""
    folders = {".", *(manifest.folder for manifest in index.manifests("python"))}
    bases = {"" if folder == "." else folder for folder in folders}
    return frozenset(bases | {_join(base, "src") for base in bases})


def _inferred(stems: Mapping[str, str]) -> frozenset[str]:
    """Folders that contain packages and are none themselves, such as that of a Django project."""
    packages = {_folder(stem) for stem in stems if stem.endswith("/__init__")}
    return frozenset(_folder(package) for package in packages) - packages


def _around(stem: str, roots: frozenset[str]) -> list[str]:
    folders = ["" if folder == "." else folder for folder in parents(_folder(stem) or ".")]
    return [folder for folder in folders if folder in roots]


def _nearest(roots: Iterable[str], folder: str, declared: frozenset[str]) -> list[str]:
    """Roots around a folder, the nearest first, then the only other declared one."""
    inside = (root for root in roots if not root or f"{folder}/".startswith(f"{root}/"))
    around = sorted(inside, key=len, reverse=True)
    others = [root for root in roots if root not in around and root in declared]
    return around + (others if len(others) == 1 else [])


def _in(stems: Mapping[str, str], module: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The files of submodules that are named, and of the module itself for the other names."""
    targets: dict[str, None] = {}
    for name in names or ("",):
        target = (stems.get(_join(module, name)) if name else None) or stems.get(module)
        if target is not None:
            targets[target] = None
    return tuple(targets)


def _join(folder: str, name: str) -> str:
    name = name.replace(".", "/")
    return f"{folder}/{name}" if folder and name else folder or name


def _folder(path: str) -> str:
    folder = folder_of(path)
    return "" if folder == "." else folder
