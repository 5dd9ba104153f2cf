"""What the wiki does not have: files that were not understood, imports that are not resolved, what
was left out and why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.agents import languages
from stationmaster.reading.code.classes import Why
from stationmaster.reading.code.model import Status
from stationmaster.reading.code.naming import FileClass
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.dependencies import called_otherwise
from stationmaster.wiki.text.inline import Place


class Unknown(NamedTuple):
    """An import that is not resolved: in how many files, and the place of the first."""

    name: str
    files: int
    place: Place


_BESIDE = frozenset({"binary", "docs", "fixture", "test"})
"""Classes of files that are no part of the product's code."""


class NotRead(NamedTuple):
    """Source files, with those of pages and styles, with an ending that no reader takes."""

    ending: str
    files: int


@query
def misunderstood(facts: Facts) -> tuple[tuple[str, Status], ...]:
    """Code files that were not read, or not wholly, by what is wrong and then by path."""
    rows = [(path, head.status) for path, head in facts.heads.items()
             if head.status != "ok" and facts.records[path].is_ours]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row[1] == "errors", row[1], row[0])))


@query
def unknown_imports(facts: Facts) -> tuple[Unknown, ...]:
    """Those of most files first."""
    files: Counter[str] = Counter()
    first: dict[str, Place] = {}
    crates = {it.name for some in called_otherwise(facts).values() for it in some}
    for path, imports in sorted(all_links(facts).unresolved.items()):
        left = [it for it in imports if it.name.partition("::")[0] not in crates]
        for imported in left:
            first.setdefault(imported.name, Place(path, imported.line))
        files.update({imported.name for imported in left})
    unknown = [Unknown(name, count, first[name]) for name, count in files.items()]
    return tuple(sorted(unknown, key=lambda item: (-item.files, item.name)))


@query
def left_out(facts: Facts) -> tuple[tuple[str, FileClass, Why], ...]:
    """The files that are not read as source, each with its class and the reason; those of the
    product first."""
    rows = [(path, it.file_class, it.why) for path, it in facts.records.items() if it.why]
    return tuple(sorted(rows, key=lambda row: (row[1] in _BESIDE, row[0])))


@query
def not_read(facts: Facts) -> tuple[NotRead, ...]:
    """The most first."""
    counts: Counter[str] = Counter()
    for path, record in facts.records.items():
        name = path.rpartition("/")[2]
        is_written = record.file_class == "asset" and languages.of_path(name)[1] is not None
        if (record.is_ours or is_written) and not record.language:
            counts[name[name.rfind(".") :].lower() if "." in name else "none"] += 1
    rows = [NotRead(ending, count) for ending, count in counts.items()]
    return tuple(sorted(rows, key=lambda row: (-row.files, row.ending)))


@query
def links_and_submodules(facts: Facts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_class: dict[str, list[str]] = defaultdict(list)
    for path, record in facts.records.items():
        by_class[record.file_class].append(path)
    return tuple(by_class["symlink"]), tuple(by_class["submodule"])


@query
def dropped(facts: Facts) -> Mapping[str, int]:
    """The files that are too many to be listed, by class."""
    return facts.dropped
