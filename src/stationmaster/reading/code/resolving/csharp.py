"""C#: how a `using` is resolved.

A `using` names a namespace, which many files share; it leads to those that declare a type which the
file names, or an extension method that it calls. A project sees the projects that it refers to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of, parents

_OWN = ("System", "Microsoft")
"""The prefixes of the platform's own namespaces."""


def resolver(index: Index) -> Resolver:
    """A function from a file and a `using` to the files whose types or extensions it names."""
    return _Resolver(index)


class _Resolver:
    def __init__(self, index: Index) -> None:
        self._facts = index.facts
        self._projects = _Projects(index)
        self._types: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._extensions: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._global: dict[str, dict[str, None]] = defaultdict(dict)
        for manifest in index.manifests("dotnet"):
            self._global[manifest.folder] |= dict.fromkeys(manifest.data.get("usings", ()))
        for path in index.paths.get("C#", ()):
            self._add(path, index.facts(path))
        self._roots = {name.partition(".")[0] for name in self._types if name}
        self._required = {name.lower() for name in index.dependencies("dotnet")}

    def _add(self, path: str, facts: FileFacts) -> None:
        for symbol in facts.symbols:
            if not symbol.container:
                declaring = self._types[facts.package][symbol.name]
                # `IHandler` and `IHandler<T>` in one file are one place.
                declaring += () if path in declaring[-1:] else (path,)
            elif "(this " in symbol.signature:
                self._extensions[facts.package][symbol.name].append(path)
        for import_ in facts.imports:
            if import_.kind == "reexport" and import_.names:
                self._global[self._projects.of(path)][import_.name] = None

    def __call__(self, path: str, import_: Import) -> Resolved:
        if import_.kind == "reference":
            paths = self._reference(path, import_.name)
            return Resolved(paths, is_settled=not paths)
        if import_.names:
            if import_.name in self._types:
                paths = self._used(path, import_.name)
                return Resolved(paths, is_settled=not paths)
        else:
            space, _, name = import_.name.rpartition(".")
            if space in self._types:
                paths = self._visible(path, self._types[space].get(name, ()))
                return Resolved(paths)
        words = import_.name.split(".")
        root = words[0]
        is_required = any(".".join(words[:count]).lower() in self._required for count in (1, 2, 3))
        if root in self._roots and root not in _OWN and not is_required:
            return Resolved()
        outside = root if root == "System" else ".".join(words[:2])
        return Resolved(outside=outside)

    def _reference(self, path: str, name: str) -> tuple[str, ...]:
        """A type of the file's own namespaces, or of those that its project always uses."""
        space = self._facts(path).package
        while True:
            if paths := self._named(path, space, name):
                return paths
            if not space:
                break
            space = space.rpartition(".")[0]
        for global_space in self._global.get(self._projects.of(path), ()):
            if paths := self._named(path, global_space, name):
                return paths
        return ()

    def _named(self, path: str, space: str, name: str) -> tuple[str, ...]:
        types = self._types.get(space)
        if not types:
            return ()
        return self._visible(path, types.get(name) or types.get(f"{name}Attribute") or ())

    def _used(self, path: str, space: str) -> tuple[str, ...]:
        facts = self._facts(path)
        paths: dict[str, None] = {}
        for import_ in facts.imports:
            if import_.kind == "reference":
                paths.update(dict.fromkeys(self._named(path, space, import_.name)))
        methods = self._extensions.get(space)
        if not paths and methods:
            for name in {call.name for call in facts.calls if call.of}:
                paths.update(dict.fromkeys(self._visible(path, methods.get(name, ()))))
        return tuple(sorted(paths))

    def _visible(self, path: str, candidates: Iterable[str]) -> tuple[str, ...]:
        """All parts of a type in the file's project; else those in one that it refers to, or in no
        project's folder, whose files projects name one by one. () where several declare it."""
        by_project: dict[str, list[str]] = defaultdict(list)
        for candidate in candidates:
            by_project[self._projects.of(candidate)].append(candidate)
        own = self._projects.of(path)
        if own in by_project:
            return tuple(candidate for candidate in by_project[own] if candidate != path)
        seen = self._projects.references_of(own)
        reached = [name for name in sorted(by_project) if seen is None or not name or name in seen]
        return tuple(by_project[reached[0]]) if len(reached) == 1 else ()


class _Projects:
    """Folders with a project file, and which of them refer to which."""

    def __init__(self, index: Index) -> None:
        self._references: dict[str, list[str]] = defaultdict(list)
        for manifest in index.manifests("dotnet"):
            self._references[manifest.folder] += manifest.data.get("references", ())
        self._of: dict[str, str] = {}
        self._seen: dict[str, frozenset[str] | None] = {}

    def of(self, path: str) -> str:
        """The folder of the project that a file is part of, '' for none."""
        folder = folder_of(path)
        if folder not in self._of:
            projects = (parent for parent in parents(folder) if parent in self._references)
            self._of[folder] = next(projects, "")
        return self._of[folder]

    def references_of(self, folder: str) -> frozenset[str] | None:
        """The projects that one refers to, directly or not; None where that is not certain."""
        if folder not in self._seen:
            self._seen[folder] = self._walk(folder)
        return self._seen[folder]

    def _walk(self, folder: str) -> frozenset[str] | None:
        if folder not in self._references:
            return None
        seen: dict[str, None] = {}
        waiting = [folder]
        while waiting:
            for referred in self._references.get(waiting.pop(), ()):
                if "$(" in referred:
                    return None
                project = folder_of(referred)
                if project not in seen:
                    seen[project] = None
                    waiting.append(project)
        return frozenset(seen)
