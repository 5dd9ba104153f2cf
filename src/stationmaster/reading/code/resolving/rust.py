"""The crates of a commit, and Rust's paths, followed through their modules."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, beside
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of, parents

_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_AUTOMATIC = ("examples", "tests", "benches", "src/bin")
_TARGETS = ("bin", "example", "test", "bench")
_MODULES_MAX = 200_000
_BUILTIN = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_ROOTS = frozenset({"crate", "self", "super"})
_HOPS_MAX = 8
"""Reexports that are followed, at most."""


class CargoModule(NamedTuple):
    """A module: the root file of its crate, and its path from there."""

    root: str
    module: tuple[str, ...]


class Package(NamedTuple):
    """A package. `library` is the root of its library, '' for none; `dependencies` are the names of
    other crates in its code, with the folders of their packages, '' for those from elsewhere."""

    folder: str
    name: str
    library: str
    roots: tuple[str, ...]
    dependencies: Mapping[str, tuple[str, str]]
    """The name and folder of a package."""


class Crates:
    """The crates of a commit: `files` are the files of modules, `places` the modules of files."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._paths = frozenset(index.paths.get("Rust", ()))
        self.packages = {package.folder: package for package in self._packages()}
        self.files: dict[CargoModule, str] = {}
        self.places: dict[str, CargoModule] = {}
        for folder in sorted(self.packages):
            for root in self.packages[folder].roots:
                self._walk(root)
        for path in sorted(self._paths - self.places.keys()):
            self._guess(path)

    def package_of(self, root: str) -> Package | None:
        """The package that a crate belongs to."""
        packages = (self.packages.get(parent) for parent in parents(folder_of(root)))
        return next((package for package in packages if package is not None), None)

    def included(self, path: str, name: str) -> str | None:
        """The file that a declaration or a macro of a file names."""
        if name.startswith("./"):
            target = beside(path, name)
            return target if target in self._paths else None
        base = posixpath.join(self._base(path), *name.split("::"))
        for candidate in (f"{base}.rs", f"{base}/mod.rs"):
            target = posixpath.normpath(candidate)
            if target in self._paths:
                return target
        return None

    def _base(self, path: str) -> str:
        """The folder of a file's submodules."""
        folder, _, name = path.rpartition("/")
        place = self.places.get(path)
        is_root = place is not None and not place.module
        return folder if is_root or name == "mod.rs" else path.removesuffix(".rs")

    def _packages(self) -> Iterator[Package]:
        rust = self._index.manifests("rust")
        shared = {
            manifest.folder: _shared(manifest) for manifest in rust if "workspace" in manifest.data
        }
        for manifest in rust:
            name = mapping(manifest.data.get("package")).get("name")
            if isinstance(name, str):
                above = next((shared[f] for f in parents(manifest.folder) if f in shared), {})
                library = self._library(manifest)
                yield Package(
                    manifest.folder,
                    name,
                    library,
                    tuple(dict.fromkeys(filter(None, [library, *self._roots(manifest)]))),
                    dict(_dependencies(manifest, above)),
                )

    def _library(self, manifest: Manifest) -> str:
        location = mapping(manifest.data.get("lib")).get("path")
        path = _inside(manifest.folder, location if isinstance(location, str) else "src/lib.rs")
        return path if path in self._paths else ""

    def _roots(self, manifest: Manifest) -> Iterator[str]:
        named = ["src/main.rs", "build.rs"]
        for table in _TARGETS:
            targets = manifest.data.get(table)
            for target in targets if isinstance(targets, list) else ():
                location = mapping(target).get("path")
                named += [location] if isinstance(location, str) else []
        for target in named:
            path = _inside(manifest.folder, target)
            if path in self._paths:
                yield path
        for folder in _AUTOMATIC:
            start = f"{_inside(manifest.folder, folder)}/"
            for path in sorted(self._paths):
                if path.startswith(start):
                    rest = path[len(start) :]
                    if "/" not in rest or (rest.count("/") == 1 and rest.endswith("/main.rs")):
                        yield path

    def _walk(self, root: str) -> None:
        """Follow the declarations of modules from the root of a crate."""
        waiting = [(CargoModule(root, ()), root)]
        while waiting and len(self.files) < _MODULES_MAX:
            place, path = waiting.pop()
            if place in self.files or len(place.module) > 40:
                continue
            self._note(place, path)
            for import_ in self._index.facts(path).imports:
                if import_.kind in ("include", "test") and import_.bound:
                    file = self.included(path, import_.name)
                    inside = () if import_.name.startswith("./") else import_.name.split("::")[:-1]
                    if file is not None:
                        module = (*place.module, *inside, import_.bound[0])
                        waiting.append((CargoModule(root, module), file))

    def _note(self, place: CargoModule, path: str) -> None:
        self.files[place] = path
        self.places.setdefault(path, place)
        for symbol in self._index.facts(path).symbols:
            if symbol.kind == "module":
                inside = (*place.module, *symbol.qualified.split("."))
                self.files.setdefault(CargoModule(place.root, inside), path)

    def _guess(self, path: str) -> None:
        """The module of a file that a macro declares, by its folder; elsewhere a file is a crate of
        its own, as those are that tests compile."""
        package = self.package_of(path)
        if package is None:
            return
        start = _inside(package.folder, "src") + "/"
        root = package.library or next(iter(package.roots), "")
        if root and path.startswith(start):
            steps = path[len(start) :].removesuffix(".rs").removesuffix("/mod").split("/")
            self._note(CargoModule(root, tuple(steps)), path)
        else:
            self._note(CargoModule(path, ()), path)


def _inside(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _shared(manifest: Manifest) -> Mapping[str, tuple[str, str]]:
    """The dependencies that members inherit from a workspace: packages and folders by name."""
    table = mapping(mapping(manifest.data.get("workspace")).get("dependencies"))
    return {key: _dependency(manifest.folder, key, value) for key, value in table.items()}


def _dependency(folder: str, key: str, value: Any) -> tuple[str, str]:
    table = mapping(value)
    package, path = table.get("package", key), table.get("path")
    return str(package), _inside(folder, path) if isinstance(path, str) else ""


def _dependencies(
    manifest: Manifest, shared: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, tuple[str, str]]]:
    targets = mapping(manifest.data.get("target")).values()
    for place in [manifest.data, *map(mapping, targets)]:
        for table in _TABLES:
            for key, value in mapping(place.get(table)).items():
                is_shared = mapping(value).get("workspace") is True
                inherited = shared.get(key) if is_shared else None
                yield key.replace("-", "_"), inherited or _dependency(manifest.folder, key, value)


def resolver(index: Index) -> Resolver:
    """A function from a file and an import to the files that declare its modules and items; a
    reexported one counts where it is declared."""
    crates = Crates(index)
    paths = _Paths(index, crates)

    def resolve(path: str, import_: Import) -> Resolved:
        if import_.kind in ("include", "test"):
            included = crates.included(path, import_.name)
            return Resolved((included,) if included else ())
        place = crates.places.get(path)
        if place is None:
            return Resolved()
        steps = tuple(import_.name.split("::"))
        outside = paths.outside(place, steps[0])
        if outside is not None:
            return outside
        targets: dict[str, None] = {}
        for name in import_.names or ("",):
            whole = (*steps, name) if name and name != "*" else steps
            target = paths.follow(place, whole)
            if target is not None:
                targets[target] = None
        if not targets:
            return paths.renamed(place, steps) or Resolved(
                is_settled=not import_.bound and paths.is_made_here(place, steps[0])
            )
        return Resolved(tuple(targets))

    return resolve


class _Paths:
    def __init__(self, index: Index, crates: Crates) -> None:
        self._index = index
        self._crates = crates
        self._followed: dict[tuple[CargoModule, tuple[str, ...]], str | None] = {}
        self._declared: dict[str, frozenset[str]] = {}

    def outside(self, place: CargoModule, first: str) -> Resolved | None:
        """The crate of others that a path begins with."""
        if first in _ROOTS or self._is_child(place, first):
            return None
        package = self._crates.package_of(place.root)
        dependency = package.dependencies.get(first) if package else None
        if dependency is not None and self._library(dependency[1]) is None:
            return Resolved(outside=dependency[0])
        if dependency is None and first in _BUILTIN:
            return Resolved(outside=first)
        return None

    def renamed(self, place: CargoModule, steps: tuple[str, ...]) -> Resolved | None:
        """The crate of others that the root of this one names: `extern crate x`."""
        if len(steps) < 2 or steps[0] != "crate":
            return None
        for import_ in self._index.facts(place.root).imports:
            if not import_.names and steps[1] in import_.bound:
                return self.outside(CargoModule(place.root, ()), import_.name.partition("::")[0])
        return None

    def is_made_here(self, place: CargoModule, first: str) -> bool:
        """Is the first name of a full path neither a module nor a crate? Then a macro or a glob
        import binds the name, and the path imports nothing."""
        package = self._crates.package_of(place.root)
        names = {package.name.replace("-", "_"), *package.dependencies} if package else set()
        is_module = first in _ROOTS or self._is_child(place, first)
        return not is_module and first not in names

    def follow(self, place: CargoModule, steps: tuple[str, ...], hops: int = 0) -> str | None:
        """The file that declares what a path names, relative to a module."""
        key = (place, steps)
        if key not in self._followed:
            self._followed[key] = None
            start = self._start(place, steps)
            self._followed[key] = self._within(*start, hops) if start else None
        return self._followed[key]

    def _is_child(self, place: CargoModule, name: str) -> bool:
        return CargoModule(place.root, (*place.module, name)) in self._crates.files

    def _library(self, folder: str) -> str | None:
        package = self._crates.packages.get(folder) if folder else None
        return (package.library or None) if package else None

    def _start(
        self, place: CargoModule, steps: tuple[str, ...]
    ) -> tuple[CargoModule, tuple[str, ...]] | None:
        """The module that a path begins in, and the rest of the path."""
        first, rest = steps[0], steps[1:]
        if first == "crate":
            return CargoModule(place.root, ()), rest
        if first == "self":
            return place, rest
        if first == "super":
            module = place.module
            while steps and steps[0] == "super":
                if not module:
                    return None
                module, steps = module[:-1], steps[1:]
            return CargoModule(place.root, module), steps
        if self._is_child(place, first):
            return place, steps
        package = self._crates.package_of(place.root)
        if package is None:
            return None
        dependency = package.dependencies.get(first)
        root_module = CargoModule(place.root, ())
        if dependency is None and self._is_child(root_module, first):
            return root_module, steps  # As paths of the edition of 2015 begin.
        own = package.name.replace("-", "_") == first and package.library != place.root
        root = (
            package.library
            if dependency is None and own
            else self._library(dependency[1] if dependency else "")
        )
        return (CargoModule(root, ()), rest) if root else (place, steps)

    def _within(self, place: CargoModule, rest: tuple[str, ...], hops: int) -> str | None:
        while rest and self._is_child(place, rest[0]):
            place, rest = CargoModule(place.root, (*place.module, rest[0])), rest[1:]
        path = self._crates.files.get(place)
        if path is None or not rest or rest[0] in self._names(path):
            return path
        if hops < _HOPS_MAX:
            reexported = self._reexported(path, place, rest, hops + 1)
            if reexported is not None:
                return reexported
        is_unread = self._index.facts(path).status == "generated"  # It may hold anything.
        return path if is_unread or len(rest) == 1 or rest[0][:1].isupper() else None

    def _names(self, path: str) -> frozenset[str]:
        if path not in self._declared:
            self._declared[path] = frozenset(
                symbol.name for symbol in self._index.facts(path).symbols if symbol.kind != "method"
            )
        return self._declared[path]

    def _reexported(
        self, path: str, place: CargoModule, rest: tuple[str, ...], hops: int
    ) -> str | None:
        """The file behind a `use` of the module that brings the next name into it."""
        wide = []
        for import_ in self._index.facts(path).imports:
            steps = tuple(import_.name.split("::"))
            if import_.kind in ("include", "test") or steps[0] == rest[0]:
                continue
            if rest[0] in import_.bound:
                item = import_.names[import_.bound.index(rest[0])] if import_.names else ""
                whole = (*steps, item, *rest[1:]) if item else (*steps, *rest[1:])
                target = self.follow(place, whole, hops)
                return path if target is not None and self._is_foreign(place, target) else target
            if import_.kind == "reexport" and import_.names == ("*",) and steps[0] not in _BUILTIN:
                wide.append(steps)
        for steps in wide:
            target = self.follow(place, (*steps, *rest), hops)
            if target is not None and rest[0] in self._names(target):
                return path if self._is_foreign(place, target) else target
        return None

    def _is_foreign(self, place: CargoModule, path: str) -> bool:
        """Is a file one of another crate? What a crate reexports of others counts as its own."""
        other = self._crates.places.get(path)
        return other is not None and other.root != place.root
