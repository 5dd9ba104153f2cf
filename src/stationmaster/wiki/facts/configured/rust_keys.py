"""Keys of files that programs of Rust read, from the structs of several files of a crate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.reading.code.model import INNER, Setting
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import around
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts

_DEPTH_MAX, _KEYS_MAX = 6, 1_000
_INSIDE = re.compile(r"(?:\w{1,40}<)*([\w:]{1,200})>*")
_MAPS = re.compile(r"^((?:\w{1,40}<){0,3})\w{0,40}Map<[\w: &]{1,60},\s*")
_LIFETIME = re.compile(r"<'\w{1,20}>|&(?:'\w{1,20}\s)?")
_LISTS = re.compile(r"\b(?:Vec|VecDeque|HashSet|BTreeSet)<")


_GETS = re.compile(
    r"(self\.)?(?<=\.)(get\w*|extract_inner)(?:::<([\w:<>]{1,80})>)?\(\s*\"([\w.-]{1,80})\"\s*\)"
)
_NAMES = re.compile(r"[A-Z]\w+")
_OWN_DEFAULT = re.compile(r"(?:\w+\()?default\(\)\)?")
"""What leaves a value to its type."""

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
    above = _above(facts) if by_crate else {}
    for reads in by_crate.values():
        yield from _of_crate(reads, above)


def _above(facts: Facts) -> Mapping[str, str]:
    """The only key below which a struct is read, by its name: `config.get::<Page>("page")`, or a
    getter of the project's own in a function that returns it."""
    places: dict[str, set[str]] = defaultdict(set)
    functions = {it.name for code in facts.code.values() for it in code.symbols
                 if "Deserialize<" in it.signature}  # fmt: skip
    for path in sources(facts, ".rs"):
        lines = lines_of(facts, path) if ".get" in facts.tree.text(path) else ()
        for number, line in enumerate(lines, 1):
            if call := _GETS.search(line):
                is_own = call[1] == "self." and call[2] in functions
                symbol = symbol_of(facts, path, around(facts, path, number)) if is_own else None
                returned = symbol.signature.rpartition("->")[2] if symbol else ""
                for name in _NAMES.findall(call[3] or returned):
                    places[name].add(call[4])
    return {name: min(keys) for name, keys in places.items() if len(keys) == 1}


def _crates(facts: Facts) -> Mapping[str, bool]:
    """By folder, whether a crate reads files of settings."""
    return {
        manifest.folder: any(it.name in frameworks().rust_settings for it in manifest.dependencies)
        for manifest in facts.tree.project.manifests
        if manifest.ecosystem == "rust"
    }


def _of_crate(reads: Iterable[Read], above: Mapping[str, str]) -> Iterator[Read]:
    structs: dict[_Struct, list[Read]] = defaultdict(list)
    for path, setting in reads:
        struct, _, key = setting.name.removeprefix(INNER).rpartition("::")
        if struct:
            structs[path, struct].append((key, setting))
        else:
            yield path, setting  # What a builder has.
    files: dict[str, list[str]] = defaultdict(list)
    for path, struct in structs:
        files[struct].append(path)
    held = {
        place for of, rows in structs.items() for _, it in rows for place in _held(files, of, it)
    }
    for of, rows in structs.items():
        if of not in held and not rows[0][1].name.startswith(INNER):
            prefix = f"{above[of[1]]}." if of[1] in above else ""
            yield from islice(_below(structs, files, of, prefix, 0), _KEYS_MAX)


def _held(
    files: Mapping[str, Sequence[str]], holder: _Struct, setting: Setting
) -> Sequence[_Struct]:
    """The structs that a key of one may hold, by their names: that of its own file, or of a module
    that is named for it; several where that is not stated."""
    inner = _INSIDE.fullmatch(_MAPS.sub(r"\1", _LIFETIME.sub("", setting.type)))
    module, _, name = (inner[1] if inner else "").rpartition("::")
    module = module.rpartition("::")[2]
    places = files.get(name, ())
    own = [holder[0]] if not module and holder[0] in places else []
    own += [it for it in places if it.endswith((f"/{module}.rs", f"/{module}/mod.rs"))]
    return [(path, name) for path in own[:1] or places if (path, name) != holder]


def _below(
    structs: Mapping[_Struct, Sequence[Read]],
    files: Mapping[str, Sequence[str]],
    of: _Struct,
    prefix: str,
    depth: int,
) -> Iterator[Read]:
    """The keys of a struct and of those in it. What a default makes as a whole is one value."""
    for key, setting in structs[of]:
        held = _held(files, of, setting)
        type_ = _LIFETIME.sub("", setting.type)
        is_own = setting.default is None or _OWN_DEFAULT.fullmatch(setting.default) is not None
        sign = ".*." if _MAPS.match(type_) else "[]." if _LISTS.search(type_) else "."
        if len(held) == 1 and is_own and depth < _DEPTH_MAX:
            above = f"{prefix}{key}{sign}" if key else prefix
            yield from _below(structs, files, held[0], above, depth + 1)
        elif key and len(held) < 2:
            default = None if is_own else setting.default
            yield of[0], msgspec.structs.replace(setting, name=f"{prefix}{key}", default=default)
