"""Keys of files that programs of Rust read, from the structs of several files of a crate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.model import Facts

_DEPTH_MAX, _HOLDERS_MAX = 6, 8
_INSIDE = re.compile(r"(?:\w{1,40}<)*([\w:]{1,200})>*")
_MAPS = re.compile(r"^((?:\w{1,40}<){0,3})\w{0,40}Map<[\w: &]{1,60},\s*")
_LIFETIME = re.compile(r"<'\w{1,20}>|&(?:'\w{1,20}\s)?")
_LISTS = re.compile(r"\b(?:Vec|VecDeque|HashSet|BTreeSet)<")


class _Holder(NamedTuple):
    """A key of `struct` that holds another struct."""

    struct: str
    key: str


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
    files: dict[str, set[str]] = defaultdict(set)
    for path, setting in reads:
        files[setting.name.partition("::")[0]].add(path)
    holders: dict[str, list[_Holder]] = defaultdict(list)
    left = []
    for path, setting in reads:
        struct, _, key = setting.name.partition("::")
        type_ = _LIFETIME.sub("", setting.type)
        is_map = _MAPS.match(type_) is not None
        inner = _INSIDE.fullmatch(_MAPS.sub(r"\1", type_))
        held = inner[1].rpartition("::")[2] if inner else ""
        if held in files and held != struct:
            sign = ".*." if is_map else "[]." if _LISTS.search(type_) else "."
            holders[held].append(_Holder(struct, f"{key}{sign}"))
        else:
            left.append((path, setting))
    for path, setting in left:
        struct, _, key = setting.name.partition("::")
        if struct in holders and len(files[struct]) > 1:
            continue  # Which of several structs of a name is meant is not told.
        for name in _whole(holders, struct, key, 0):
            yield path, msgspec.structs.replace(setting, name=name)


def _whole(
    holders: Mapping[str, list[_Holder]], struct: str, key: str, depth: int
) -> Iterator[str]:
    if struct not in holders:
        yield key
    elif depth < _DEPTH_MAX:
        for holder in holders[struct][:_HOLDERS_MAX]:
            yield from _whole(holders, holder.struct, f"{holder.key}{key}", depth + 1)
