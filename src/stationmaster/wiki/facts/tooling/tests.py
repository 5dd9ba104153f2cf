"""The tests of the product: where they are, what they reach, and what runs them.

A test reaches what it imports, what is next to it where its language has it so, and the folder that
its own is named after. That is a statement about files, never about what is covered.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.catalogue.families import by_member
from stationmaster.catalogue.repositories.test_runs import test_runs
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import TEST_FOLDERS, has_runner_name
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.text.inline import Place

FIXTURES_MAX = 30
_OF_GO = re.compile(r"(?:\w+=\S+\s+)*go\s+test\b[^;&|]*")
_OFF = re.compile(r"\s-D([\w.-]{1,80})=false\b")
_PROFILE = re.compile(r"\s(?:-P|--activate-profiles)")
_NEXT_TO_CODE = frozenset({"Go", "JavaScript", "TypeScript", "TSX", "Swift", "Rust"})
"""Languages whose tests are next to what they test, and then need not import it."""
_WIDE = frozenset({"C#", "PHP"})
"""Languages in which a package is the same for all parts of a repository."""
_APART = frozenset({"Python", "Go"})
"""Languages whose runners look for tests only in files of tests."""


class Area(msgspec.Struct, frozen=True):
    """Test files of one folder, `path`."""

    path: str
    languages: tuple[str, ...]
    files: int


class Reach(msgspec.Struct, frozen=True):
    """How many test files of an area reach a module."""

    area: str
    module: str
    files: int


class Fixture(msgspec.Struct, frozen=True):
    """`doc` is its comment."""

    name: str
    place: Place
    doc: str = ""


@query
def areas(facts: Facts) -> tuple[Area, ...]:
    """By path; what tests in source files is an area of its own path."""
    by_area: dict[str, list[str]] = defaultdict(list)
    for path in _test_files(facts):
        by_area[area_of(path)].append(path)
    rows = []
    for area, paths in sorted(by_area.items()):
        if not any(_has_tests(facts, it) for it in paths):
            continue
        languages = Counter(facts.records[path].language for path in paths)
        names = sorted(languages, key=lambda name: (-languages[name], name))
        rows.append(Area(area, tuple(names), len(paths)))
    return tuple(rows)


def _has_tests(facts: Facts, path: str) -> bool:
    """Does a file have what a runner of tests picks up, by its content or its name?"""
    is_one = any(test.kind != "fixture" for test in facts.code[path].tests)
    return is_one or has_runner_name(path, _family(facts.records[path].language))


@query
def inline(facts: Facts) -> int:
    """How many source files have tests themselves."""
    return sum(
        any(test.kind != "fixture" for test in code.tests)
        and facts.records[path].file_class == "source"
        and facts.records[path].language not in _APART
        for path, code in facts.code.items()
    )


@query
def reach(facts: Facts) -> tuple[Reach, ...]:
    """By area and module."""
    counts: Counter[tuple[str, str]] = Counter()
    for path, keys in _reached(facts).items():
        counts.update((area_of(path), key) for key in keys)
    return tuple(Reach(area, key, count) for (area, key), count in sorted(counts.items()))


@query
def of_module(facts: Facts, key: str) -> tuple[str, ...]:
    """The test files that reach a module, those that reach least besides first."""
    reaching = [(len(keys), path) for path, keys in _reached(facts).items() if key in keys]
    return tuple(path for _, path in sorted(reaching))


@query
def fixtures(facts: Facts) -> tuple[Fixture, ...]:
    """What tests declare for other tests to use, those nearest to the root first."""
    rows = [
        Fixture(test.name, Place(path, test.line), _doc(facts, path, test.name))
        for path in _test_files(facts)
        for test in facts.code[path].tests
        if test.kind == "fixture"
    ]
    return tuple(
        sorted(
            rows, key=lambda fixture: (fixture.place.path.count("/"), fixture.place, fixture.name)
        )
    )[:FIXTURES_MAX]


def _doc(facts: Facts, path: str, name: str) -> str:
    symbol = symbol_of(facts, path, name)
    return plain(symbol.doc) if symbol is not None else ""


@query
def fixture_folders(facts: Facts) -> tuple[tuple[str, int], ...]:
    """Folders of files that tests work on, with their counts of files; the largest first."""
    counts = Counter(
        _part_of(path, _FIXTURES, 1, most=3)
        for path, record in facts.records.items()
        if record.file_class == "fixture"
    )
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def area_of(path: str) -> str:
    """The folder of tests that a test file is in, or its own folder where it is among others. One
    level below a folder of tests is an area of its own."""
    return _part_of(path, TEST_FOLDERS, 2)


@query
def _reached(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    return {path: tuple(sorted(_of_file(facts, path))) for path in _test_files(facts)}


def _of_file(facts: Facts, path: str) -> set[str]:
    keys = {module_of(facts, link.end) for link in links_from(facts, path)}
    record = facts.records[path]
    if record.language in _NEXT_TO_CODE and facts.code[path].tests:
        keys.update(_modules_of_folders(facts).get(folder_of(path), ()))
    if record.language in ("Java", "Kotlin", "C#", "PHP") and facts.code[path].package:
        builds = _builds(facts, _build(facts, folder_of(path)))
        owners = _of_package(facts).get(facts.code[path].package, ())
        keys.update(
            module for module, build in owners if build in builds or record.language in _WIDE
        )
    if facts.code[path].tests:
        keys |= _named_alike(facts, folder_of(path), _family(record.language))
    return keys - {""}


def _family(language: str) -> str:
    return by_member().get(language, language)


@query
def _named_alike(facts: Facts, folder: str, family: str) -> Set[str]:
    """The modules of the one folder that is called below the sources as one is below the tests."""
    steps = folder.split("/")
    at = next((at for at, step in enumerate(steps) if step in TEST_FOLDERS), len(steps))
    own = [step for step in steps[at + 1 :] if step not in test_runs().kinds]
    alike = [
        modules
        for source, modules in (_folders(facts).get((family, own[-1]), ()) if own else ())
        if source[:at] == steps[:at] and source[at:][-len(own) :] == own
    ]
    return alike[0] if len(alike) == 1 else frozenset()


@query
def _folders(facts: Facts) -> Mapping[tuple[str, str], Sequence[tuple[list[str], Set[str]]]]:
    """Folders of sources as their steps, with their modules, by the family of their languages and
    their last step."""
    by_folder: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in _sources(facts):
        family = _family(facts.records[path].language)
        by_folder[family, folder_of(path)].add(module_of(facts, path))
    by_name: dict[tuple[str, str], list[tuple[list[str], Set[str]]]] = defaultdict(list)
    for (family, folder), modules in by_folder.items():
        steps = folder.split("/")
        by_name[family, steps[-1]].append((steps, modules))
    return by_name


@query
def _build(facts: Facts, folder: str) -> str:
    """The build file of the JVM's that is for a folder, '' for none."""
    return facts.tree.nearest(folder, "pom.xml", "build.gradle", "build.gradle.kts") or ""


@query
def _builds(facts: Facts, path: str) -> frozenset[str]:
    """A build file, and those of Maven whose code is there for its tests."""
    by_name = {it.name: it for it in facts.tree.project.manifests if it.ecosystem == "maven"}
    by_path = {it.path: it for it in by_name.values()}
    waiting, builds = [path], {path}
    while waiting:
        manifest = by_path.get(waiting.pop())
        for asked in manifest.dependencies if manifest is not None else ():
            other = by_name.get(asked.name)
            if other is not None and other.path not in builds:
                builds.add(other.path)
                waiting.append(other.path)
    return frozenset(builds)


@query
def _modules_of_folders(facts: Facts) -> Mapping[str, Set[str]]:
    by_folder: dict[str, set[str]] = defaultdict(set)
    for path in _sources(facts):
        by_folder[folder_of(path)].add(module_of(facts, path))
    return by_folder


@query
def _of_package(facts: Facts) -> Mapping[str, Set[tuple[str, str]]]:
    """The modules that have files of a package, with the build files of these."""
    by_package: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for path in _sources(facts):
        if package := facts.code[path].package:
            of_file = module_of(facts, path), _build(facts, folder_of(path))
            by_package[package].add(of_file)
    return by_package


def _sources(facts: Facts) -> Iterator[str]:
    return (path for path in facts.code if facts.records[path].file_class == "source")


def _test_files(facts: Facts) -> Sequence[str]:
    return [path for path in facts.code if facts.records[path].file_class == "test"]


def skips_all(facts: Facts, command: str) -> bool:
    """Does a command have Maven run tests, of which it runs none as poms and properties are? A
    profile may change these."""
    folders, changed = _of_maven(facts), set(_OFF.findall(command))
    poms = [
        it
        for it in facts.tree.project.manifests
        if it.ecosystem == "maven" and it.folder in folders
    ]
    is_maven = re.match(r"(?:\./)?mvnw?\s", command) is not None
    return (
        is_maven
        and not _PROFILE.search(command)
        and len(poms) > 0
        and all(not changed.issuperset(it.data.get("skips", ())) for it in poms)
    )


def runs_none(facts: Facts, command: str) -> bool:
    """Does a command have Go alone run tests, of which no file of Go has any?"""
    return _OF_GO.fullmatch(command) is not None and _is_untested(facts)


@query
def _is_untested(facts: Facts) -> bool:
    own = {it.file_class for it in facts.records.values() if it.language == "Go"}
    return "source" in own and "test" not in own


@query
def _of_maven(facts: Facts) -> tuple[str, ...]:
    """Folders of poms that have tests."""
    having = (folder_of(path) for path in _test_files(facts) if facts.code[path].tests)
    poms = {facts.tree.nearest(folder, "pom.xml") for folder in set(having)}
    return tuple(sorted(folder_of(path) for path in poms if path))


def _part_of(path: str, names: Set[str], below: int, most: int = 2) -> str:
    """The folder of one of these names, with `below` - 1 levels below it; else the first ones."""
    steps = path.split("/")[:-1]
    for number, step in enumerate(steps):
        if step in names:
            return "/".join(steps[: number + below])
    return "/".join(steps[:most]) or "."


_FIXTURES = frozenset(
    {"fixtures", "testdata", "__fixtures__", "__snapshots__", "__mocks__", "cassettes", "snapshots"}
)
