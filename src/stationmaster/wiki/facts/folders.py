"""The folders of the commit, with what is in them and below."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import msgspec

from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import modules


class Folder(msgspec.Struct, frozen=True, array_like=True):
    """`file_class` is what most of its files are, `lines` those of its code, `module` the key of
    the one that begins here."""

    path: str
    files: int
    lines: int
    file_class: str
    module: str

    @property
    def is_ours(self) -> bool:
        return self.file_class not in ("vendored", "generated", "fixture", "binary")


@query
def folder(facts: Facts, path: str) -> Folder:
    return _folders(facts).get(path) or Folder(path, 0, 0, "unknown", "")


@query
def folders_in(facts: Facts, path: str) -> tuple[Folder, ...]:
    """Those directly in one, by path."""
    return tuple(_folders(facts)[each] for each in _children(facts).get(path, ()))


@query
def _children(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(_folders(facts)):
        if path != ".":
            found[folder_of(path)].append(path)
    return {path: tuple(inside) for path, inside in found.items()}


@query
def _folders(facts: Facts) -> Mapping[str, Folder]:
    files: dict[str, Counter[str]] = defaultdict(Counter)
    lines: Counter[str] = Counter()
    for path, record in facts.records.items():
        count = facts.heads[path].lines if path in facts.code else 0
        for each in parents(folder_of(path)):
            files[each][record.file_class] += 1
            lines[each] += count
    begin = {each.path: each.key for each in modules(facts)}
    return {
        path: Folder(
            path, counts.total(), lines[path],
            min(counts, key=lambda kind: (-counts[kind], kind)), begin.get(path, ""),
        )
        for path, counts in files.items()
    }  # fmt: skip
