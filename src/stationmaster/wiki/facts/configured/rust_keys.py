"""Keys of files that programs of Rust read, from the structs of several files of a crate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.reading.code.model import INNER, Setting
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.model import Facts

_DEPTH_MAX, _HOLDERS_MAX = 6, 8
_INSIDE = re.compile(r"(?:\w{1,40}<)*([\w:]{1,200})>*")
_MAPS = re.compile(r"^((?:\w{1,40}<){0,3})\w{0,40}Map<[\w: &]{1,60},\s*")
_LIFETIME = re.compile(r"<'\w{1,20}>|&(?:'\w{1,20}\s)?")
_LISTS = re.compile(r"\b(?:Vec|VecDeque|HashSet|BTreeSet)<")


_Struct = tuple[str, str]
"""A file, and the name of a struct in it."""


def joined(facts: Facts, found: Iterable[Read]) -> Iterator[Read]:
    """The keys of crates that read files of settings, those of a struct below the keys that hold
    it. Found are keys of each file, behind the names of their structs: `Config::port`."""
    by_crate: dict[str, list[Read]] = defaultdict(list)
    crates = _crates(facts)
    for path, setting in found:
        crate = next((each for each in parents(folder_of(path)) if each in crates), None)
        if crate is not None and crates[crate]:
            by_crate[crate].append((path, setting))
    for reads in by_crate.values():
        yield from _of_crate(reads)


def _crates(facts: Facts) -> Mapping[str, bool]:
    """By folder, whether a crate reads files of settings."""
    return {
        manifest.folder: any(it.name in frameworks().rust_settings for it in manifest.dependencies)
        for manifest in facts.tree.project.manifests
        if manifest.ecosystem == "rust"
    }


def _of_crate(reads: list[Read]) -> Iterator[Read]:
    """Which of several structs of a name is meant is not known, unless a module is named."""
    files: dict[str, set[str]] = defaultdict(set)
    for path, setting in reads:
        files[_parts(setting)[0]].add(path)
    holders: dict[_Struct, list[tuple[_Struct, str]]] = defaultdict(list)
    left = []
    for path, setting in reads:
        struct, key = _parts(setting)
        type_ = _LIFETIME.sub("", setting.type)
        inner = _INSIDE.fullmatch(_MAPS.sub(r"\1", type_))
        module, _, held = (inner[1] if inner else "").rpartition("::")
        beside = f"/{module.rpartition('::')[2]}.rs", f"/{module.rpartition('::')[2]}/mod.rs"
        places = {it for it in files.get(held, ()) if len(files[held]) == 1 or it.endswith(beside)}
        sign = ".*." if _MAPS.match(type_) else "[]." if _LISTS.search(type_) else "."
        if len(places) == 1 and (*places, held) != (path, struct):
            holders[*places, held].append(((path, struct), f"{key}{sign}"))
        elif held not in files or held == struct:
            left.append((path, setting))
    unheld = {(path, _parts(it)[0]) for path, it in reads if it.name.startswith(INNER)}
    for path, setting in left:
        struct, key = _parts(setting)
        for holder, name in _whole(holders, (path, struct), key, 0):
            if holder not in unheld:
                yield path, msgspec.structs.replace(setting, name=name)


def _parts(setting: Setting) -> tuple[str, str]:
    """The struct and the key; '' for what a builder has."""
    struct, _, key = setting.name.removeprefix(INNER).rpartition("::")
    return struct, key


def _whole(
    holders: Mapping[_Struct, Sequence[tuple[_Struct, str]]],
    struct: _Struct,
    key: str,
    depth: int,
) -> Iterator[tuple[_Struct, str]]:
    """The name of a key, with the outermost struct of those that hold it."""
    if struct not in holders:
        yield struct, key
    elif depth < _DEPTH_MAX:
        for holder, above in holders[struct][:_HOLDERS_MAX]:
            yield from _whole(holders, holder, f"{above}{key}", depth + 1)
