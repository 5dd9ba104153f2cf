"""C#: what a `using` leads to.

A `using` names a namespace, which many files share; it leads to those that declare a type which the
file names, or an extension method that it calls. A project sees the projects that it refers to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.queries import Tree

_OWN = ("System", "Microsoft")
"""What the platform's own namespaces begin with."""


def resolver(index: Index) -> Resolver:
    """A function from a file and a `using` to the files whose types or extensions it names."""
    return _Resolver(index)


class _Resolver:
    def __init__(self, index: Index) -> None:
        self._facts = index.facts
        self._projects = _Projects(index.tree)
        self._types: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._extensions: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._global: dict[str, dict[str, None]] = defaultdict(dict)
        for path in index.paths.get("C#", ()):
            self._add(path, index.facts(path))
        self._roots = {name.partition(".")[0] for name in self._types if name}

    def _add(self, path: str, facts: FileFacts) -> None:
        for symbol in facts.symbols:
            if not symbol.container:
                self._types[facts.package][symbol.name].append(path)
            elif "(this " in symbol.signature:
                self._extensions[facts.package][symbol.name].append(path)
        for import_ in facts.imports:
            if import_.kind == "reexport" and import_.names:
                self._global[self._projects.of(path)][import_.name] = None

    def __call__(self, path: str, given: Import) -> Resolved:
        if given.kind == "reference":
            found = self._reference(path, given.name)
            return Resolved(found, is_builtin=not found)
        if given.names:
            if given.name in self._types:
                found = self._used(path, given.name)
                return Resolved(found, is_builtin=not found)
        else:
            space, _, name = given.name.rpartition(".")
            if space in self._types:
                found = self._visible(path, self._types[space].get(name, ()))
                return Resolved(found)
        root = given.name.partition(".")[0]
        if root in self._roots and root not in _OWN:
            return Resolved()
        words = given.name.split(".")
        outside = root if root == "System" else ".".join(words[:2])
        return Resolved(outside=outside, is_builtin=root == "System")

    def _reference(self, path: str, name: str) -> tuple[str, ...]:
        """A type of the file's own namespaces, or of those that its project always uses."""
        space = self._facts(path).package
        while True:
            if found := self._named(path, space, name):
                return found
            if not space:
                break
            space = space.rpartition(".")[0]
        for each in self._global.get(self._projects.of(path), ()):
            if found := self._named(path, each, name):
                return found
        return ()

    def _named(self, path: str, space: str, name: str) -> tuple[str, ...]:
        types = self._types.get(space)
        if not types:
            return ()
        return self._visible(path, types.get(name) or types.get(f"{name}Attribute") or ())

    def _used(self, path: str, space: str) -> tuple[str, ...]:
        facts = self._facts(path)
        found: dict[str, None] = {}
        for each in facts.imports:
            if each.kind == "reference":
                found.update(dict.fromkeys(self._named(path, space, each.name)))
        methods = self._extensions.get(space)
        if not found and methods:
            for name in {call.name for call in facts.calls if call.of}:
                found.update(dict.fromkeys(self._visible(path, methods.get(name, ()))))
        return tuple(sorted(found))

    def _visible(self, path: str, candidates: Iterable[str]) -> tuple[str, ...]:
        """All parts of a type in the file's project; else those in one that it refers to, or in no
        project's folder, whose files projects name one by one. () where several declare it."""
        by_project: dict[str, list[str]] = defaultdict(list)
        for each in candidates:
            by_project[self._projects.of(each)].append(each)
        own = self._projects.of(path)
        if own in by_project:
            return tuple(each for each in by_project[own] if each != path)
        seen = self._projects.seen_by(own)
        reached = [name for name in sorted(by_project) if seen is None or not name or name in seen]
        return tuple(by_project[reached[0]]) if len(reached) == 1 else ()


class _Projects:
    """Folders with a project file, and which of them refer to which."""

    def __init__(self, tree: Tree) -> None:
        self._references: dict[str, list[str]] = defaultdict(list)
        for manifest in tree.project.manifests:
            if manifest.ecosystem == "dotnet":
                self._references[manifest.folder] += manifest.data.get("references", ())
        self._of: dict[str, str] = {}
        self._seen: dict[str, frozenset[str] | None] = {}

    def of(self, path: str) -> str:
        """The folder of the project that a file is part of, '' for none."""
        folder = folder_of(path)
        if folder not in self._of:
            found = (parent for parent in parents(folder) if parent in self._references)
            self._of[folder] = next(found, "")
        return self._of[folder]

    def seen_by(self, folder: str) -> frozenset[str] | None:
        """The projects that one refers to, and they in turn; None where nobody can tell."""
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
                each = folder_of(referred)
                if each not in seen:
                    seen[each] = None
                    waiting.append(each)
        return frozenset(seen)
