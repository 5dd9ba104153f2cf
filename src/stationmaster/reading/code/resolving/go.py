"""Go's imports: module path and folder make a package."""

from __future__ import annotations

from collections import defaultdict

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of, parents


def resolver(index: Index) -> Resolver:
    """A function from an import to all files of a package but its tests."""
    modules = {it.name: it.folder for it in index.manifests("go") if it.name}
    required = index.dependencies("go")
    packages: dict[str, list[str]] = defaultdict(list)
    for path in sorted(index.paths.get("Go", ())):
        if not path.endswith("_test.go"):
            packages[folder_of(path)].append(path)
    by_name: dict[str, Resolved] = {}

    def resolve(_path: str, import_: Import) -> Resolved:
        if import_.name not in by_name:
            by_name[import_.name] = _lookup(import_.name)
        return by_name[import_.name]

    def _lookup(name: str) -> Resolved:
        for module in parents(name):
            if module in modules:
                rest = name[len(module) + 1 :]
                folder = "/".join(filter(None, [modules[module].removeprefix("."), rest])) or "."
                return Resolved(tuple(packages.get(folder, ())))
        if "." not in name.partition("/")[0]:
            return Resolved(outside=name)
        owner = next((parent for parent in parents(name) if parent in required), None)
        return Resolved(outside=owner or "/".join(name.split("/")[:3]))

    return resolve
