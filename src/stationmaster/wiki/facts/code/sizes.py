"""How large files, folders and modules are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.model import Facts, query

MAIN_MAX, MAIN_SHARE = 2, 0.15
"""Languages that something is mostly written in, and the part of its lines that each has."""


class Size(msgspec.Struct, frozen=True, array_like=True):
    """`read` of the files were read, and have `lines`; `languages` by their lines, the most
    first, and `main` those of them that have a good part of the lines."""

    files: int
    read: int
    lines: int
    languages: tuple[str, ...]
    main: tuple[str, ...]


@query
def size_of(facts: Facts, path: str) -> Size:
    return _size(facts, (path,))


@query
def size_of_module(facts: Facts, key: str) -> Size:
    return _size(facts, module(facts, key).files)


@query
def size_of_source(facts: Facts) -> Size:
    """Of the product's own source, without tests."""
    return _size(facts, [
        path for path, record in facts.records.items() if record.file_class == "source"
    ])  # fmt: skip


def _size(facts: Facts, paths: Iterable[str]) -> Size:
    lines: Counter[str] = Counter()
    files = read = 0
    for path in paths:
        files += 1
        if path in facts.heads:
            read += 1
            lines[facts.records[path].language] += facts.heads[path].lines
    order = sorted(lines.items(), key=lambda item: (-item[1], item[0]))
    languages = tuple(language for language, _ in order)
    main = tuple(it for it in languages[:MAIN_MAX] if lines[it] >= MAIN_SHARE * lines.total())
    return Size(files, read, lines.total(), languages, main)
