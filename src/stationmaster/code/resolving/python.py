"""Python's imports. Source: wiki reference, 6.1."""

from __future__ import annotations

import sys

from stationmaster.code.model import Import
from stationmaster.code.resolving.model import Index, Resolved, Resolver
from stationmaster.projects.paths import folder_of


def resolver(index: Index) -> Resolver:
    roots = {"", "src"} | {
        "" if each.folder == "." else each.folder
        for each in index.tree.project.manifests
        if each.ecosystem == "python"
    }
    roots |= {f"{root}/src" if root else "src" for root in list(roots)}
    modules: dict[str, str] = {}
    own: dict[str, str] = {}
    for path in index.paths.get("Python", ()):
        stem = path.rpartition(".")[0].removesuffix("/__init__")
        own.setdefault(stem, path)
        for root in sorted(roots, key=len, reverse=True):
            if not root or stem.startswith(f"{root}/"):
                modules.setdefault(
                    stem.removeprefix(f"{root}/" if root else "").replace("/", "."), path
                )

    def resolve(path: str, given: Import) -> Resolved:
        if given.level:
            folder = folder_of(path)
            for _ in range(given.level - 1):
                folder = folder_of(folder)
            base = "" if folder == "." else folder
            stem = "/".join(filter(None, [base, given.name.replace(".", "/")]))
            found = _in(own, stem, "/", given.names)
            return Resolved(found)
        found = _in(modules, given.name, ".", given.names)
        if found:
            return Resolved(found)
        top = given.name.partition(".")[0]
        return Resolved(outside=top, is_builtin=top in sys.stdlib_module_names)

    return resolve


def _in(known: dict[str, str], module: str, sign: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Submodules that are named, and the module itself for the other names."""
    found: dict[str, None] = {}
    for name in names or ("",):
        path = known.get(f"{module}{sign}{name}" if module else name) if name else None
        target = path or known.get(module)
        if target is not None:
            found[target] = None
    return tuple(found)
