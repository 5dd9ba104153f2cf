"""Includes of C and C++."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, beside, shared

_CONVENTIONAL = frozenset({"include", "inc"})


def resolver(index: Index) -> Resolver:
    """A function from an include to the only file that it names: next to the file, below an include
    folder, else the only one of the commit whose path ends with it."""
    paths = [*index.paths.get("C", ()), *index.paths.get("C++", ())]
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        by_name[path.rpartition("/")[2]].append(path)
    present = frozenset(paths)
    top = {path.partition("/")[0] for path in present}
    imports = (import_ for path in paths for import_ in index.facts(path).imports)
    angled = {import_.name[1:-1] for import_ in imports if import_.name.startswith("<")}
    """What one file includes as a header of others is that in all files."""

    def resolve(path: str, import_: Import) -> Resolved:
        name = import_.name.strip("<>")
        is_angled = import_.name.startswith("<")
        near = beside(path, name)
        if not is_angled and near in present:
            return Resolved((near,))
        ending = posixpath.normpath(name).removeprefix("../").removeprefix("../")
        matches = [
            candidate
            for candidate in by_name.get(ending.rpartition("/")[2], ())
            if candidate == ending or candidate.endswith(f"/{ending}")
        ]
        included = [
            candidate
            for candidate in matches
            if candidate[: -len(ending)].rstrip("/").rpartition("/")[2] in _CONVENTIONAL
        ]
        if target := _nearest(path, included):
            return Resolved((target,))
        is_whole = "/" in name  # `<time.h>` is the system's where a folder has a file of this name.
        if matches and (not is_angled or is_whole) and (target := _nearest(path, matches)):
            return Resolved((target,))
        package = name.partition("/")[0]
        is_own = package in top or not is_whole
        if (matches and is_whole) or (is_own and name not in angled):
            return Resolved()
        return Resolved(outside=package.partition(".")[0])

    return resolve


def _nearest(path: str, candidates: list[str]) -> str | None:
    """The candidate that shares more folders with a file than any other; None where two do."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    folders = path.split("/")[:-1]
    ranked = sorted(
        (shared(folders, candidate.split("/")[:-1]), candidate) for candidate in candidates
    )
    return ranked[-1][1] if ranked[-1][0] > ranked[-2][0] else None
