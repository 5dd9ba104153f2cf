"""The modules that the code is divided into, derived from its folders."""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from stationmaster.catalogue import lists
from stationmaster.reading.projects.paths import folder_of, is_below, parents
from stationmaster.wiki.facts.code.links import all_links, only_registers
from stationmaster.wiki.facts.code.ranks import by_importance, importance
from stationmaster.wiki.facts.model import Facts, query

MODULES_MAX = 120
FILES_MAX, LINES_MAX = 40, 15_000
"""Of a folder that is one module whatever is in it."""
LINES_MIN, PACKAGE_LINES_MIN = 200, 40
"""A folder with less is part of the one above; a package of Go is named and imported as a whole,
and need not be as large."""
CENTRAL_LINES, CENTRAL_USERS, CENTRAL_BUCKET = 150, 3, 9
CENTRAL_OF, CENTRAL_MAX = 6, 8
"""Where a unit's source begins with more files than `OF`, those of so many lines, users and
of so much importance are modules of their own, at most `MAX`."""
GROUPS_MAX = 12
ROOT_NAME = "root"
"""The name of what is outside a unit's source, such as its build scripts."""
_GROUP_FILES = 5
_BY_PACKAGE = frozenset({"Go", "Java", "Kotlin", "C#", "Swift"})
"""Languages in which a file is not a unit: imports name its package."""
_MIGRATIONS = re.compile(r"/(?:migrations?|alembic/versions)(?=/|$)")
FACES = frozenset({"__init__", "index", "mod", "lib", "main", "package-info"})
"""Files that speak for their whole folder."""
_STRAY = 0.05
"""The largest share of a unit's lines that may be outside the folder of its source."""
_BYTES_A_LINE = 35
_LAYOUT = re.compile(r"^(?:src/)?(?:main/)?(?:java|kotlin|scala|src)/")
_PREFIX = re.compile(r"^[A-Z]?[a-z0-9]{2,}(?=[A-Z_.-])|^[a-z0-9]{2,}(?=[_-])")
_NO_IDEAS = lists.words("no-idea")
_SHORT = 3
_UNSAFE = re.compile(r"[^a-z0-9._]+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_SLUG_MAX = 80


class Module(msgspec.Struct, frozen=True):
    """A module with the `key` of its page (`modules/auth`); `path` is its folder or file, `files`
    its source files, sorted. `unit` is the folder of the package, crate or project that it is built
    with. Every source file belongs to exactly one module."""

    key: str
    name: str
    path: str
    files: tuple[str, ...]
    unit: str = "."


class ModuleName(msgspec.Struct, frozen=True, array_like=True):
    key: str
    name: str
    path: str
    unit: str


@query
def modules(facts: Facts) -> tuple[Module, ...]:
    """The modules by path. They change with every new file: pages use `module_names`."""
    lines = _lines(facts)
    coded = {path: count for path, count in lines.items() if not _is_data(facts, path)}
    units = _units(facts, coded)
    scale = 1
    while len(parts := _split(facts, lines, _Sizes(coded), units, scale)) > MODULES_MAX:
        scale *= 2
    names = _names(facts.commit.name, parts, units)
    keys = _keys([(part.path, name) for part, name in zip(parts, names, strict=True)])
    made = [
        Module(key, name, part.path, tuple(sorted(part.files)), part.unit)
        for part, name, key in zip(parts, names, keys, strict=True)
    ]
    return tuple(sorted(made, key=lambda module: (module.path, module.key)))


@query
def module_names(facts: Facts) -> tuple[ModuleName, ...]:
    """The names of the modules, by path."""
    return tuple(ModuleName(it.key, it.name, it.path, it.unit) for it in modules(facts))


@query
def module(facts: Facts, key: str) -> Module:
    return _by_key(facts)[key]


@query
def module_name(facts: Facts, key: str) -> str:
    return _by_key(facts)[key].name


@query
def module_of(facts: Facts, path: str) -> str:
    """The key of the module that a source file belongs to, '' for none."""
    return _owners(facts).get(path, "")


@query
def _by_key(facts: Facts) -> Mapping[str, Module]:
    return {module.key: module for module in modules(facts)}


@query
def _owners(facts: Facts) -> Mapping[str, str]:
    return {path: module.key for module in modules(facts) for path in module.files}


class _Part(NamedTuple):
    path: str
    unit: str
    files: list[str]


class _Unit(NamedTuple):
    """A folder that is built by itself; `root` is where its source begins."""

    folder: str
    root: str


def _lines(facts: Facts) -> Mapping[str, int]:
    """The lines of every source file; of files without a grammar an estimate from their size."""
    return {
        path: facts.heads[path].lines if path in facts.heads else record.size // _BYTES_A_LINE
        for path, record in facts.records.items()
        if record.file_class == "source"
    }


# Units


def _units(facts: Facts, lines: Mapping[str, int]) -> Mapping[str, _Unit]:
    """Units by their folders, only those that have source of their own."""
    project = facts.tree.project
    folders = {".", *(app.path for app in project.apps)}
    folders |= {manifest.folder for manifest in project.manifests if manifest.name}
    folders |= {folder for workspace in project.workspaces for folder in workspace.members}
    members: dict[str, list[str]] = defaultdict(list)
    for path in lines:
        members[next(parent for parent in parents(folder_of(path)) if parent in folders)].append(
            path
        )
    return {folder: _Unit(folder, _root(folder, members[folder], lines)) for folder in members}


def _root(unit: str, files: Sequence[str], lines: Mapping[str, int]) -> str:
    """The deepest folder that has nearly all of a unit's source."""
    below: Counter[str] = Counter()
    for path in files:
        for folder in parents(folder_of(path)):
            below[folder] += lines[path] + 1
    root, total = unit, below[unit]
    for folder in sorted(below, key=lambda it: (_depth(it), it)):
        if folder != root == folder_of(folder) and below[folder] >= (1 - _STRAY) * total:
            root = folder
    return root


def _unit_of(folder: str, units: Mapping[str, _Unit]) -> _Unit:
    unit = next((units[parent] for parent in parents(folder) if parent in units), None)
    return unit or _Unit(".", ".")


def _depth(folder: str) -> int:
    return 0 if folder == "." else folder.count("/") + 1


# Splitting and merging


def _split(
    facts: Facts, lines: Mapping[str, int], sizes: _Sizes, units: Mapping[str, _Unit], scale: int
) -> list[_Part]:
    """Folders small enough to be one module, those too small put into the one above. With a larger
    `scale` there are fewer."""
    pools = _pools(lines, sizes, units, scale)
    waiting = [(-_depth(folder), folder) for folder in pools]
    heapq.heapify(waiting)
    kept: list[_Part] = []
    tops = {"."}  # The rest of a folder with modules below it joins none above it.
    while waiting:
        _, folder = heapq.heappop(waiting)
        files = pools.pop(folder)
        unit = _unit_of(folder, units)
        stays = folder in tops or (
            scale == 1 and (folder in unit or any(map(partial(_speaks, facts), files)))
        )
        is_package = all(facts.records[path].language == "Go" for path in files)
        least = (PACKAGE_LINES_MIN if is_package else LINES_MIN) * scale
        if not stays and sum(map(lines.__getitem__, files)) < least:
            above = folder_of(folder)
            if above not in pools:
                pools[above] = []
                heapq.heappush(waiting, (-_depth(above), above))
            pools[above] += files
        else:
            tops.add(folder.partition("/")[0])
            kept += _apart(facts, folder, unit, sorted(files), lines, scale)
    return kept


def _pools(
    lines: Mapping[str, int], sizes: _Sizes, units: Mapping[str, _Unit], scale: int
) -> dict[str, list[str]]:
    """The files of folders that are no larger than one module, and the files between such
    folders."""
    open_ = {parent for unit in units.values() for parent in (*parents(unit.root), unit.folder)}
    pools: dict[str, list[str]] = defaultdict(list)
    homes: dict[str, str] = {}
    for path in lines:
        folder = folder_of(path)
        if folder not in homes:
            above = _above_migrations(folder)
            whole = (it for it in reversed(parents(above))
                     if it not in open_ and not sizes.divides(it, scale))  # fmt: skip
            homes[folder] = next(whole, above)
        pools[homes[folder]].append(path)
    return dict(pools)


class _Sizes:
    """How much source is in folders and below; migrations and data, which pile up, do not count."""

    def __init__(self, lines: Mapping[str, int]) -> None:
        self._files: Counter[str] = Counter()
        self._lines: Counter[str] = Counter()
        for path, count in lines.items():
            folder = folder_of(path)
            if _above_migrations(folder) == folder:
                for parent in parents(folder):
                    self._files[parent] += 1
                    self._lines[parent] += count
        self._inside: dict[str, list[int]] = defaultdict(list)
        for folder, count in self._lines.items():
            self._inside[folder_of(folder)].append(count)

    def divides(self, folder: str, scale: int) -> bool:
        """Is a folder too large for one module, and not mostly crumbs?"""
        if self._files[folder] <= FILES_MAX * scale and self._lines[folder] <= LINES_MAX * scale:
            return False
        inside = self._inside[folder]
        large = sum(count for count in inside if count >= LINES_MIN * scale)
        return 2 * large >= sum(inside)


def _is_data(facts: Facts, path: str) -> bool:
    """Does a file that was read neither declare nor call anything, as one of translations?"""
    file = facts.code.get(path)
    return file is not None and not (file.symbols or file.imports or file.calls or file.settings)


def _above_migrations(folder: str) -> str:
    match = _MIGRATIONS.search(folder)
    return folder[: match.start()] if match else folder


def _speaks(facts: Facts, path: str) -> bool:
    """Is a file an entry point, or one that only imports packages so that they register themselves?
    Modules above use nothing of it."""
    file = facts.code.get(path)
    return file is not None and (bool(file.entries) or only_registers(file))


def _apart(
    facts: Facts, folder: str, unit: _Unit, files: list[str], lines: Mapping[str, int], scale: int
) -> Iterator[_Part]:
    """The files of a folder; in a large one, groups and central files are modules of their own."""
    left = set(files)
    if len(files) > FILES_MAX * scale:
        for prefix, group in _groups(folder, files, _words(facts)):
            if len(group) < len(left):
                left.difference_update(group)
                yield _Part(f"{folder}/{prefix}*", unit.folder, group)
    if scale == 1 and folder == unit.root and len(left) > CENTRAL_OF:
        for path in _central(facts, folder, sorted(left), lines):
            left.discard(path)
            yield _Part(path, unit.folder, [path])
    yield _Part(folder, unit.folder, sorted(left))


def _groups(
    folder: str, files: Sequence[str], words: frozenset[str]
) -> list[tuple[str, list[str]]]:
    """Files of one folder whose names begin with the same word of the project, the largest group
    first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in files:
        match = _PREFIX.match(path.rpartition("/")[2])
        if match and folder_of(path) == folder:
            groups[match[0]].append(path)
    large = [
        (prefix, group)
        for prefix, group in groups.items()
        if len(group) >= _GROUP_FILES and not prefix.isdigit() and _plain(prefix) in words
    ]
    return sorted(large, key=lambda item: (-len(item[1]), item[0]))[:GROUPS_MAX]


@query
def _words(facts: Facts) -> frozenset[str]:
    """The project's own words: full names of source folders and of files. A prefix that many names
    share is a subject where a folder or a file has it as its full name."""
    names: set[str] = set()
    for path, record in facts.records.items():
        if record.file_class == "source":
            *folders, name = path.split("/")
            names.update(map(_plain, folders))
            names.add(_plain(name.partition(".")[0]))
    return frozenset(names - _NO_IDEAS)


def _plain(name: str) -> str:
    """A name as one word in the singular."""
    word = name.lower()
    return word.removesuffix("s") if len(word) > _SHORT else word


def _central(
    facts: Facts, folder: str, files: Sequence[str], lines: Mapping[str, int]
) -> list[str]:
    return by_importance(facts, [
        path for path in files
        if folder_of(path) == folder and lines[path] >= CENTRAL_LINES
        and path.rpartition("/")[2].partition(".")[0] not in FACES
        and facts.records[path].language not in _BY_PACKAGE
        and importance(facts, path) >= CENTRAL_BUCKET
        and len(all_links(facts).into.get(path, ())) >= CENTRAL_USERS
    ])[:CENTRAL_MAX]  # fmt: skip


# Names and keys


def _names(repository: str, parts: Sequence[_Part], units: Mapping[str, _Unit]) -> list[str]:
    """Paths relative to the source of a unit, with the unit's name where there are several; full
    paths where those are not unique."""
    last = Counter(folder.rpartition("/")[2] for folder in units)
    names = []
    for part in parts:
        unit = _unit_of(part.unit, units)
        own = unit.folder.rpartition("/")[2]
        prefix = "" if unit.folder == "." else own if last[own] == 1 else unit.folder
        inside = _inside(part, unit)
        if not inside and not prefix:
            inside = repository if unit.root == "." else unit.root.rpartition("/")[2]
        names.append("/".join(filter(None, [prefix, inside])))
    often = Counter(name.casefold() for name in names)
    return [
        name if often[name.casefold()] == 1 else ROOT_NAME if part.path == "." else part.path
        for part, name in zip(parts, names, strict=True)
    ]


def _inside(part: _Part, unit: _Unit) -> str:
    """A module as seen from its unit's source, '' for the source itself."""
    if part.path == unit.root:
        return ""
    if part.path == unit.folder:
        return ROOT_NAME
    path = part.path.removesuffix("*")
    if part.files == [part.path]:
        path = path.rpartition(".")[0] or path
    for base in (unit.root, unit.folder):
        if base != "." and is_below(path, base):
            return _LAYOUT.sub("", path.removeprefix(base + "/"))
    return _LAYOUT.sub("", path)


def _keys(named: Iterable[tuple[str, str]]) -> list[str]:
    """Keys of pages from paths and names; equal ones get the hash of their paths."""
    slugs = [(path, slug(name)) for path, name in named]
    often = Counter(word for _, word in slugs)
    return [
        f"modules/{word if often[word] == 1 else f'{word}-{_digest(path)}'}" for path, word in slugs
    ]


def slug(name: str) -> str:
    """A name as the last word of a page's key."""
    plain = _UNSAFE.sub("-", name.lower()).strip("-._")
    cut = plain if len(plain) <= _SLUG_MAX else f"{plain[:_SLUG_MAX]}-{_digest(name)}"
    return f"{cut}-code" if not cut or _DEVICE.fullmatch(cut) else cut


def _digest(words: str) -> str:
    return hashlib.blake2b(words.encode(errors="surrogatepass"), digest_size=3).hexdigest()
