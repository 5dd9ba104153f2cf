"""The parts that the code falls into. Source: wiki reference, section 11."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec

from stationmaster.projects.paths import folder_of
from stationmaster.wiki.facts.model import Facts, query


class Module(msgspec.Struct, frozen=True):
    """`key` is that of its page (`modules/auth`), `path` its folder or file; `files` are its source
    files, sorted. Every source file belongs to exactly one module."""

    key: str
    name: str
    path: str
    files: tuple[str, ...]


@query
def modules(facts: Facts) -> tuple[Module, ...]:
    """By path."""
    folders: dict[str, list[str]] = defaultdict(list)
    for path in facts.code:
        if facts.records[path].file_class == "source":
            folders[folder_of(path)].append(path)
    return tuple(
        Module(f"modules/{folder.replace('/', '-').strip('.').lower() or 'root'}", folder, folder,
               tuple(files))
        for folder, files in sorted(folders.items())
    )  # fmt: skip


@query
def module(facts: Facts, key: str) -> Module:
    return _by_key(facts)[key]


@query
def module_of(facts: Facts, path: str) -> str:
    """The key of the module that a source file belongs to, '' for none."""
    return _owners(facts).get(path, "")


@query
def _by_key(facts: Facts) -> Mapping[str, Module]:
    return {each.key: each for each in modules(facts)}


@query
def _owners(facts: Facts) -> Mapping[str, str]:
    return {path: each.key for each in modules(facts) for path in each.files}
