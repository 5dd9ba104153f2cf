"""Rust's paths, followed through the modules of crates."""

from __future__ import annotations

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.cargo import CargoModule, Crates
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver

_BUILTIN = languages().libraries["Rust"]
_ROOTS = frozenset({"crate", "self", "super"})
_HOPS_MAX = 8
"""Reexports that are followed, at most."""


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
                is_builtin=not import_.bound and paths.is_made_here(place, steps[0])
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
            return Resolved(outside=first, is_builtin=True)
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
