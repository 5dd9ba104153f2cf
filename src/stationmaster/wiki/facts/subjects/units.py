"""Units of the product's code by what they are called: types, files and folders of one name."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.catalogue import lists
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_benchmark
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.modules import FACES
from stationmaster.wiki.facts.code.names import types as types_of, users_of
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.symbols import is_sample, methods_of
from stationmaster.wiki.facts.code.vocabulary import kind_of, vocabulary
from stationmaster.wiki.facts.code.work import begins
from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects.central import ERROR, below
from stationmaster.wiki.facts.subjects.documented import begins as begins_document, sections
from stationmaster.wiki.facts.subjects.naming import Key, bare, is_general, own_key, words_in

METHODS_MIN, LINES_MIN = 3, 30
"""Of a type that explains enough by itself to lead a page."""
SIBLINGS_MAX = 24
"""Files and folders of one folder beyond which they are all of one kind, which is the subject."""
_MODELS = frozenset({"domain", "entities", "entity", "model", "models"})
"""Folders of types that hold what is stored."""
_SERVED = frozenset({"asgi.py", "wsgi.py"})
"""Files of the package of a whole program of Python, which is called like the program."""
LETTERS_MIN = 3
"""Of the name of a file or folder that may be understood."""
ALIKE_MIN = 3
"""Types that build on the same one, which then explains them all."""
ALIKE_SHARE = 0.5
"""Of their methods those that it asks for."""
FOLDER_MAX, SHARE_MAX = 10_000, 0.45
"""Lines of a folder, and of the product a part, that is one subject."""
_SIDE = lists.words("side-folder")
HELPING = frozenset({"helper", "mixin", "util", "utility"})
"""Words of types that only help with values of a kind."""
_COMPONENTS = (".vue", ".svelte", ".tsx", ".jsx")
"""Endings of files that show something, and are parts of pages."""


class Unit(msgspec.Struct, frozen=True):
    """Code of one name: `types` are called so, those first that others build on, then the largest;
    `paths` are files that are called so, or are in a folder that is; `name` is what most of these
    are called. `is_typed`: a type leads it; `is_folder`: nothing but a folder is called so."""

    key: Key
    name: str
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    paths: tuple[str, ...]
    lines: int
    score: float
    is_typed: bool
    is_folder: bool


@query
def units(facts: Facts) -> Mapping[str, Unit]:
    """Those with enough to explain, by the letters of their words. For questions."""
    types, functions = _symbols(facts)
    files = _files(facts)
    alike = _alike(facts)
    most = max(SHARE_MAX * sum(facts.heads[path].lines for path in _sources(facts)), FOLDER_MAX / 4)
    tables = stored_as(facts)
    products = {"".join(words_in(it)) for it in (facts.commit.name, *_programs(facts))}
    made = {}
    for name in {*types, *files}:
        called = [spot for spot in types.get(name, ()) if spot not in alike]
        own = _apart(facts, called)
        is_product = name in products and tables.isdisjoint(own)
        others = {it.path for it in called} - {it.path for it in own}
        held = {path: it for path, it in files.get(name, {}).items() if path not in others}
        if not is_product and (own or held):
            unit = _unit(facts, name, own, functions.get(name, []), held)
            if unit is not None and unit.lines <= most:
                made[name] = unit
    return made


def _unit(
    facts: Facts, own: str, types: list[Spot], functions: list[Spot], files: Mapping[str, str]
) -> Unit | None:
    """Of types and files of one name, the files with the names that they have it of."""
    lines = {spot: length(facts, spot) for spot in types}
    for spot in types:
        alike = (it for it in below(facts, spot) if it not in lines and it in _alike(facts))
        lines[spot] += sum(length(facts, it) for it in alike)
    types = sorted(
        types,
        key=lambda it: (
            "".join(words_in(bare(it.name))) != own,
            it not in stored_as(facts),
            -len(below(facts, it)),
            -lines[it],
            it.path,
            it.name,
        ),
    )
    leads = sum(lines.values()) >= LINES_MIN and any(
        len(methods_of(facts, it.path, it.name)) >= METHODS_MIN or below(facts, it) for it in types
    )
    files = _touching(facts, files, types)
    folders = {folder for path in files for folder in path.split("/")[:-1]}
    is_folder = bool(files) and folders.issuperset(files.values())
    if not (files or leads):
        return None
    sizes: Counter[str] = Counter({path: facts.heads[path].lines for path in files})
    for spot in types:
        sizes[spot.path] += lines[spot] - (length(facts, spot) if spot.path in files else 0)
    weighed = sum(count * importance(facts, path) for path, count in sizes.items()) / BUCKETS
    users = sum(users_of(facts, it.path).get(it.name, 0) for it in types)
    called = sorted(
        (bare(it.name) for it in types),
        key=lambda it: ("".join(own_key(facts, it)) != own, len(words_in(it))),
    ) or [Counter(files.values()).most_common(1)[0][0]]
    paths = sorted(files, key=lambda it: (-importance(facts, it), it))
    is_stored = not stored_as(facts).isdisjoint(types)
    name = called[0] if leads or is_stored or not files else next(iter(files.values()))
    return Unit(
        own_key(facts, called[0]),
        name,
        tuple(types),
        tuple(functions),
        tuple(paths),
        sum(sizes.values()),
        round(math.log1p(weighed) * (1 + math.log1p(users) / 4), 6),
        leads,
        is_folder and not types,
    )


def _apart(facts: Facts, types: Sequence[Spot]) -> list[Spot]:
    """Types without what is called as one of them, or several of it, in another folder, and builds
    on none of them: that is something else there."""
    if tables := stored_as(facts) & {*types}:
        return [it for it in types if not _is_elsewhere(facts, it, tables)]
    built = {it for spot in types for it in below(facts, spot)}
    ranked = sorted(types, key=lambda it: (it in built, -length(facts, it), it.path))
    folders: dict[Key, str] = {}
    for spot in ranked:
        folders.setdefault(words_in(bare(spot.name)), folder_of(spot.path))
    return [
        it for it in types if it in built or folder_of(it.path) == folders[words_in(bare(it.name))]
    ]


def _is_elsewhere(facts: Facts, spot: Spot, tables: Set[Spot]) -> bool:
    """Is a type in a namespace of its own called as one of what is stored, and neither built on it
    nor names it? What is stored is meant by its name all over the product otherwise."""
    space, _, name = spot.name.rpartition(".")
    alike = [it for it in tables if words_in(bare(it.name)) == words_in(name)]
    if spot in tables or not space or any(it.name.rpartition(".")[0] == space for it in alike):
        return False
    near = {link.end for link in all_links(facts).out.get(spot.path, ())}
    return bool(alike) and all(spot not in below(facts, it) and it.path not in near for it in alike)


def _touching(facts: Facts, files: Mapping[str, str], types: Sequence[Spot]) -> Mapping[str, str]:
    """Of files of one name those that use each other, or types of that name, and hold most lines:
    elsewhere the name may mean something else."""
    if not stored_as(facts).isdisjoint(types):
        return files
    left = [*files, *(it.path for it in types if it.path not in files)]
    links, groups = all_links(facts), list[set[str]]()
    while left:
        group, waiting = set[str](), left[:1]
        while waiting:
            path = waiting.pop()
            group.add(path)
            near = {link.end for link in links.out.get(path, ())}
            near |= {link.start for link in links.into.get(path, ())}
            folder = folder_of(path)
            found = {it for it in left if it in near or folder_of(it) == folder} - group
            waiting += sorted(found)
            group |= found
        groups.append(group)
        left = [it for it in left if it not in group]
    lines = [sum(facts.heads[path].lines for path in group) for group in groups]
    best = groups[max(range(len(groups)), key=lambda at: (lines[at], -at))] if groups else set()
    if types:  # What the largest type is called is what the name means.
        largest = max(types, key=lambda it: (length(facts, it), it.path))
        best = next(group for group in groups if largest.path in group)
    return {path: name for path, name in files.items() if path in best}


@query
def functions_of(facts: Facts) -> Mapping[str, int]:
    """Lines of the functions and methods of files that are no tests. For questions."""
    lines: Counter[str] = Counter()
    for spot, symbol in vocabulary(facts).symbols:
        if kind_of(symbol) in ("function", "method"):
            lines[spot.path] += symbol.end - symbol.line + 1
    return lines


def length(facts: Facts, spot: Spot) -> int:
    """Lines of the methods of a type."""
    own = methods_of(facts, spot.path, spot.name)
    return sum(it.end - it.line + 1 for _, it in own)


def _symbols(facts: Facts) -> tuple[Mapping[str, list[Spot]], Mapping[str, list[Spot]]]:
    """Public types and functions in namespaces at most, by the letters of their names."""
    types: dict[str, list[Spot]] = defaultdict(list)
    functions: dict[str, list[Spot]] = defaultdict(list)
    holding = {spot for spot, symbol in vocabulary(facts).symbols if symbol.kind != "module"}
    every = [
        (spot, kind_of(symbol) or "type")
        for spot, symbol in vocabulary(facts).symbols
        if (symbol.is_public or symbol.signature.startswith("pub("))  # All of a program of Rust.
        and Spot(spot.path, symbol.container) not in holding
        and not is_sample(spot)
        and not is_benchmark(spot.path)
        and not ERROR.search(symbol.name)
        and HELPING.isdisjoint(words_in(symbol.name))
    ]
    bases = _bases(facts, [spot for spot, kind in every if kind == "type"])
    for spot, kind in every:
        base, seen = spot, {spot}
        while base in bases and bases[base] not in seen:
            base = bases[base]
            seen.add(base)
        if kind != "method":
            key = "".join(own_key(facts, bare(base.name)))
            (types if kind == "type" else functions)[key].append(spot)
    return types, functions


def _bases(facts: Facts, types: Sequence[Spot]) -> Mapping[Spot, Spot]:
    """What types build on with whose name theirs ends, as `CachingResolver` on `Resolver`."""
    bases = {}
    for spot in types:
        key = own_key(facts, bare(spot.name))
        for it in types_of(facts).below(spot):
            if own_key(facts, bare(it[1]))[-len(key) :] == key and not is_general(key):
                bases[Spot(*it)] = spot
    return bases


def _sources(facts: Facts) -> Mapping[str, None]:
    return dict.fromkeys(
        spot.path
        for spot, _ in vocabulary(facts).symbols
        if _SIDE.isdisjoint(spot.path.split("/")[:-1])
        and not (is_benchmark(spot.path) or is_sample(Spot(spot.path, "")))
    )


def _files(facts: Facts) -> Mapping[str, Mapping[str, str]]:
    """Files by the letters of their own names and those of their folders, with these names; none
    of folders that are no one subject, unless a whole document is on it or it is stored."""
    named: dict[str, dict[str, str]] = defaultdict(dict)
    folders: dict[str, dict[str, str]] = defaultdict(dict)
    paths = _sources(facts)
    subjects = {name for name, some in sections(facts).items() if begins_document(facts, some[0])}
    subjects |= {"".join(own_key(facts, it.model or it.name)) for it in stored(facts)}
    members = _members(paths) | {
        it.path for it in _alike(facts) if 2 * length(facts, it) >= facts.heads[it.path].lines
    }
    for path in paths:
        *steps, file = path.split("/")
        own = file.partition(".")[0]
        for at, step in enumerate(steps):
            folders["/".join(steps[: at + 1])][path] = step
        if (
            own not in FACES
            and (path not in members or _file_key(facts, own) in subjects)
            and not path.endswith(_COMPONENTS)
            and (key := _file_key(facts, own))
        ):
            named[key][path] = own
    for folder, inside in folders.items():
        step = folder.rpartition("/")[2]
        lines = sum(facts.heads[path].lines for path in inside)
        is_of_program = any(f"{folder}/{name}" in facts.code for name in _SERVED)
        is_one = lines <= FOLDER_MAX and folder not in members and not is_of_program
        if is_one and (key := _file_key(facts, step)):
            named[key] |= inside
    return named


def _file_key(facts: Facts, name: str) -> str:
    """What a file or folder is named after, '' for what holds many things."""
    key = own_key(facts, name)
    is_product = "".join(key) == "".join(words_in(facts.commit.name))
    is_short = len("".join(key)) < LETTERS_MIN
    return "" if is_general(key) or is_product or is_short else "".join(key)


def _members(paths: Mapping[str, None]) -> Set[str]:
    """Files and folders that are of one kind with all beside them, as plugins."""
    beside: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        steps = path.split("/")
        for at in range(len(steps)):
            beside["/".join(steps[:at])].add("/".join(steps[: at + 1]))
    return {it for inside in beside.values() if len(inside) > SIBLINGS_MAX for it in inside}


@query
def _alike(facts: Facts) -> Set[Spot]:
    """Types that are explained with the one that they all build on: they have little but what
    it asks of them. For questions."""
    alike: set[Spot] = set()
    for spot, symbol in vocabulary(facts).symbols:
        types = below(facts, spot) if (kind_of(symbol) or "type") == "type" else ()
        if len(types) >= ALIKE_MIN:
            asked = {it.name for _, it in methods_of(facts, spot.path, spot.name)}
            for other in types:
                own = [it.name for _, it in methods_of(facts, other.path, other.name)]
                if sum(name in asked for name in own) >= ALIKE_SHARE * len(own):
                    alike.add(other)
    return alike - stored_as(facts)


@query
def stored_as(facts: Facts) -> Set[Spot]:
    """The types whose values are stored: models, and for tables that other files declare types of
    their names in folders of models. For questions."""
    tables = {"".join(words_in(it.name)) for it in stored(facts) if not it.model}
    named = {
        spot
        for spot, symbol in vocabulary(facts).symbols
        if kind_of(symbol) == "type"
        and "".join(words_in(bare(spot.name))) in tables
        and folder_of(spot.path).rpartition("/")[2] in _MODELS
    }
    return named | {Spot(it.model_path, it.model) for it in stored(facts)}


def _programs(facts: Facts) -> Iterator[str]:
    return (it.name for it in begins(facts) if it.kind == "main")
