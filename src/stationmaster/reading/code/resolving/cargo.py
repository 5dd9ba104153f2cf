"""The crates of a commit and their modules."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stationmaster.reading.code.resolving.model import Index, beside
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of, parents

_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_AUTOMATIC = ("examples", "tests", "benches", "src/bin")
_TARGETS = ("bin", "example", "test", "bench")
_MODULES_MAX = 200_000


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
