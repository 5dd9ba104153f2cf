"""The packages of others that manifests ask for, who uses them, and which packages of the
repository build on which.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from stationmaster.catalogue import lists
from stationmaster.catalogue.ecosystems import Ecosystem, ecosystem_row
from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.pipelines import commands
from stationmaster.reading.projects.census import is_source
from stationmaster.reading.projects.model import Dependency, Manifest
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.references import References
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.links import all_links, outside_names, users_of_outside
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

Scope = Literal["runtime", "optional", "development"]
PLACES_MAX = 20
_RULE = re.compile(r"[\w.*^~<>=!|, +()\[\]-]{1,60}")
"""Versions as ecosystems write them; addresses and paths are none."""
_SCOPES: tuple[Scope, ...] = ("runtime", "optional", "development")
_HELPS_TESTS = re.compile(r"(?:^|[-_/])(?:tests?|testing|testlib|bench|benches|fuzz)(?=$|[-_])")
_BESIDE = re.compile(r"(?:docs?|examples?|samples?|scripts?|tools?|ci)[/_-]")
_GEMSPEC = re.compile(r"(?m)^gemspec\b")
_LETTERS_MIN = 6
"""Of the name of an artifact that is clear without its group."""
_ONLY_FOR_WORK = frozenset({"lint", "test", "scan"})
_TESTING = re.compile("|".join(map(fnmatch.translate, frameworks().testing)))


def is_for_tests(name: str) -> bool:
    """Is a package there for tests, by its name in any ecosystem?"""
    return _TESTING.match(name.lower()) is not None


class Package(msgspec.Struct, frozen=True):
    """What manifests ask for by one name. `versions` are their rules, `places` their lines; `scope`
    is the widest that one of them asks for it in, `extras` what it is part of there."""

    ecosystem: Ecosystem
    name: str
    versions: tuple[str, ...]
    scope: Scope
    places: tuple[Place, ...]
    extras: tuple[str, ...] = ()


@query
def packages(facts: Facts) -> tuple[Package, ...]:
    """By ecosystem and name, without those that the repository has itself."""
    own = {
        (manifest.ecosystem, manifest.name.lower())
        for manifest in facts.tree.project.manifests
        if manifest.name
    }
    asked: dict[tuple[Ecosystem, str], list[Dependency]] = defaultdict(list)
    for ecosystem, dependency in _direct_dependencies(facts):
        if (ecosystem, dependency.name.lower()) not in own:
            asked[ecosystem, dependency.name].append(dependency)
    return tuple(_package(facts, *key, asked[key]) for key in sorted(asked))


@query
def of_scope(facts: Facts, scope: str) -> tuple[Package, ...]:
    """Packages that are asked for within a scope, the most used first."""
    chosen = [package for package in packages(facts) if package.scope == scope]
    return tuple(
        sorted(
            chosen,
            key=lambda package: (-len(users(facts, package.ecosystem, package.name)), package.name),
        )
    )


@query
def locks(facts: Facts) -> Mapping[Ecosystem, tuple[str, ...]]:
    """The lock files by ecosystem, of the one with the most packages first."""
    counts = Counter(package.ecosystem for package in packages(facts))
    lock_files = {}
    for kind in sorted(counts, key=lambda kind: (-counts[kind], kind)):
        paths = facts.tree.glob(*(f"**/{name}" for name in ecosystem_row(kind).locks))
        lock_files[kind] = tuple(sorted(paths, key=lambda path: (path.count("/"), path)))
    return {kind: paths for kind, paths in lock_files.items() if paths}


@query
def users(facts: Facts, ecosystem: str, name: str) -> tuple[str, ...]:
    """The keys of modules whose files import a package, those with the most files first."""
    names = _modules(facts).get((ecosystem, name), ())
    files = {path for imported in names for path, _ in users_of_outside(facts, imported)}
    if ecosystem == "ruby":
        files |= {*_by_constant(facts).get(name, ())}
    if ecosystem == "rust" and not files:
        files |= {path for it in called_otherwise(facts).get(name, ()) for path in it.paths}
    counts = Counter(key for path in files if (key := module_of(facts, path)))
    return tuple(sorted(counts, key=lambda key: (-counts[key], key)))


class Crate(msgspec.Struct, frozen=True):
    """What code imports as `name`, in `paths`."""

    name: str
    paths: tuple[str, ...]


@query
def called_otherwise(facts: Facts) -> Mapping[str, tuple[Crate, ...]]:
    """Imports of Rust that are not resolved, by the one package that nothing else imports, and
    whose name they end: `uutils_term_grid` is imported as `term_grid`."""
    missing: dict[str, set[str]] = defaultdict(set)
    for path, imports in all_links(facts).unresolved.items():
        for it in imports if path.endswith(".rs") else ():
            missing[it.name.partition("::")[0]].add(path)
    unused = [
        package.name
        for package in packages(facts)
        if package.ecosystem == "rust" and not users_of_outside(facts, package.name)
    ]
    crates: dict[str, tuple[Crate, ...]] = {}
    for name, paths in sorted(missing.items()):
        fitting = [it for it in unused if f"_{it}".replace("-", "_").endswith(f"_{name}")]
        if len(fitting) == 1 and len(name) >= _LETTERS_MIN:
            crate = Crate(name, tuple(sorted(paths)))
            crates[fitting[0]] = (*crates.get(fitting[0], ()), crate)
    return crates


@query
def tested_with(facts: Facts, ecosystem: str, name: str) -> bool:
    """Do tests import a package?"""
    names = _modules(facts).get((ecosystem, name), (name,))
    files = {path for imported in names for path, _ in users_of_outside(facts, imported)}
    return any(facts.records[path].file_class == "test" for path in files)


@query
def _by_constant(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """The files that name a constant of a gem, which Bundler loads: of several gems whose letters
    a constant begins with the longest."""
    modules = ecosystem_row("ruby").imported_as
    gems = {
        _letters(modules.get(package.name, package.name)): package.name
        for package in packages(facts)
        if package.ecosystem == "ruby"
    }
    users: dict[str, set[str]] = defaultdict(set)
    for path, links in all_links(facts).resolved.items() if gems else ():
        for imported, end in zip(facts.code[path].imports, links, strict=False):
            steps = imported.name.strip(":").split("::")
            if imported.kind == "reference" and path.endswith(".rb") and not end.targets:
                heads = ("".join(steps[:count]).lower() for count in range(len(steps), 0, -1))
                gem = next((gems[head] for head in heads if head in gems), None)
                if gem is not None:
                    users[gem].add(path)
    return {gem: tuple(sorted(paths)) for gem, paths in users.items()}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


@query
def copied(facts: Facts) -> tuple[tuple[str, int], ...]:
    """The folders that have code of others, with their counts of files, and single files that name
    their origin."""
    products = facts.tree.project.products
    counts: Counter[str] = Counter()
    for path, record in facts.records.items():
        if record.file_class == "vendored" and record.why == "folder":
            above = [it for it in parents(folder_of(path)) if not products.has_folder(it)]
            if above or path in products.copied:
                counts[above[-1] if above else path] += 1
    return tuple(sorted(counts.items()))


@query
def updater(facts: Facts) -> tuple[str, Place] | None:
    """Who proposes newer versions, and where it is set up."""
    for name in ("Dependabot", "Renovate"):
        for path in facts.tree.glob(*lists.files(name.lower())):
            return name, Place(path)
    return None


@query
def inside(facts: Facts) -> tuple[Mapping[str, str], tuple[tuple[str, str], ...]]:
    """Names of the repository's packages by folder, and which folder depends on which; those that
    it needs only for development do not count. What a folder above asks for is also a dependency of
    those whose files import it."""
    manifests = _manifests(facts)
    named = {manifest.folder: manifest.name for manifest in reversed(manifests) if manifest.name}
    often = {name for name, count in Counter(named.values()).items() if count > 1}
    names = {folder: folder if name in often else name for folder, name in named.items()}
    references = References(manifests)
    declared = {
        (start, end)
        for start, ends in references.direct.items()
        for end in ends
        if start in names
        and end in names
        and references.scopes.get((start, end), "runtime") != "development"
    }
    above = {
        (start, end)
        for start, end in _importing(facts, names)
        if any((folder, end) in declared for folder in parents(start))
    }
    pairs = sorted(declared | above)
    shown = {folder for pair in pairs for folder in pair}
    return {folder: names[folder] for folder in sorted(shown)}, tuple(pairs)


def _importing(facts: Facts, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Folders of packages of which a file imports another one's, and that one's folder."""
    for path, links in all_links(facts).out.items():
        own = _package_of(path, names) if facts.records[path].file_class == "source" else ""
        for end in {_package_of(link.end, names) for link in links} if own else ():
            if end and end != own:
                yield own, end


def _package_of(path: str, names: Mapping[str, str]) -> str:
    """The folder of the package that a file is in, '' for none."""
    return next((folder for folder in parents(folder_of(path)) if folder in names), "")


@query
def _read_by_tests(facts: Facts) -> frozenset[str]:
    """Manifests among tests without any code in their folder or below: nothing installs their
    packages."""
    folders = {folder_of(path) for path in facts.code}
    with_code = {parent for folder in folders for parent in parents(folder)}
    return frozenset(
        manifest.path
        for manifest in facts.tree.project.manifests
        if is_test(manifest.path) and manifest.folder not in with_code
    )


def _manifests(facts: Facts) -> Sequence[Manifest]:
    read = _read_by_tests(facts)
    return [it for it in facts.tree.project.manifests if it.path not in read]


def _direct_dependencies(facts: Facts) -> Iterator[tuple[Ecosystem, Dependency]]:
    """What only helps tests is for development, and so is what a Gemfile asks for in addition to
    the description of a gem, because it is not installed with the gem."""
    manifests = _manifests(facts)
    scopes = References(manifests).scopes
    needed = {end for (_, end), scope in scopes.items() if scope == "runtime"}
    for manifest in manifests:
        is_apart = (_HELPS_TESTS.search(manifest.folder) and manifest.folder not in needed) or (
            manifest.path.endswith("Gemfile") and _GEMSPEC.search(facts.tree.text(manifest.path))
        )
        for dependency in manifest.dependencies:
            if dependency.scope == "runtime" and (is_apart or is_test(manifest.path)):
                yield manifest.ecosystem, replace(dependency, scope="development")
            elif dependency.scope != "indirect":
                yield manifest.ecosystem, dependency


def _package(facts: Facts, ecosystem: Ecosystem, name: str, asked: Sequence[Dependency]) -> Package:
    scopes = {dependency.scope for dependency in asked}
    versions = {rule for dependency in asked if (rule := _rule(dependency))}
    places = sorted(
        {Place(dependency.place.path, dependency.place.line) for dependency in asked},
        key=lambda place: (place.path.count("/"), place.path, place.line or 0),
    )
    scope = next(widest for widest in _SCOPES if widest in scopes)
    if (ecosystem == "go" and _only_tests_use(facts, name)) or (
        scope == "runtime" and ecosystem == "python" and _only_work_needs(facts, name, asked)
    ):
        scope = "development"
    elif scope == "development" and ecosystem == "python" and _package_uses(facts, name):
        scope = "optional"
    extras = sorted({it.extra for it in asked if it.extra and it.scope == scope})
    return Package(
        ecosystem, name, tuple(sorted(versions)), scope, tuple(places[:PLACES_MAX]), tuple(extras)
    )


def _package_uses(facts: Facts, name: str) -> bool:
    """Does code of a package import it, which has to do without it where it is not installed?"""
    return any(
        facts.records[path].file_class == "source"
        and f"{path.rpartition('/')[0]}/__init__.py" in facts.records
        and not (_HELPS_TESTS.search(path) or _BESIDE.match(path))
        for imported in _imported(facts, "python", name)
        for path, _ in users_of_outside(facts, imported)
    )


def _only_tests_use(facts: Facts, name: str) -> bool:
    """Do only tests import it? A go.mod does not mark what is for tests."""
    users = users_of_outside(facts, name)
    return bool(users) and all(facts.records[path].file_class == "test" for path, _ in users)


def _rule(dependency: Dependency) -> str:
    """Its version, and the environment that this is for; '' for neither."""
    version = dependency.version or ""
    rule = version if _RULE.fullmatch(version) else ""
    return f"{rule or 'any'} if {dependency.marker}" if dependency.marker else rule


def _only_work_needs(facts: Facts, name: str, asked: Sequence[Dependency]) -> bool:
    """Does no code of the product import a package of Python that checks or tests, or that only
    requirements ask for although a manifest has dependencies of its own?"""
    names = _imported(facts, "python", name)
    paths = {path for it in names for path, _ in users_of_outside(facts, it)}
    if any(facts.records[path].file_class == "source" and is_source(path) for path in paths):
        return False
    kinds = {command.kind for command in commands.of_script(name)}
    if is_for_tests(name) or not kinds.isdisjoint(_ONLY_FOR_WORK):
        return True
    own = {
        manifest.folder
        for manifest in _manifests(facts)
        if manifest.name and any(it.scope == "runtime" for it in manifest.dependencies)
    }
    asking = {dependency.place.path for dependency in asked}
    return all(path.endswith(".txt") and folder_of(path) in own for path in asking)


@query
def _modules(facts: Facts) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """What code imports to use a package. A name that may be of several packages is left out."""
    packages_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for package in packages(facts):
        for name in _imported(facts, package.ecosystem, package.name):
            packages_of[package.ecosystem, name].add(package.name)
    for imported, package in _of_jvm(facts):
        packages_of[package.ecosystem, imported] = {package.name}
    names_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (ecosystem, imported), names in sorted(packages_of.items()):
        if len(names) == 1:
            names_of[ecosystem, min(names)].append(imported)
    return {key: tuple(names) for key, names in names_of.items()}


def _of_jvm(facts: Facts) -> Iterator[tuple[str, Package]]:
    """Imported packages with the one artifact whose group and name they begin with, whose whole
    name is a step of theirs, or that alone is of the group that they begin with."""
    artifacts = []
    for package in packages(facts):
        if package.ecosystem in ("maven", "gradle") and ":" in package.name:
            group, _, name = package.name.lower().partition(":")
            artifacts.append((package, f"{group}.", _letters(name), {*re.split(r"[-_.]", name)}))
    groups = [group for _, group, _, _ in artifacts]
    alone = {it for it in groups if sum(group.startswith(it) for group in groups) == 1}
    for imported in outside_names(facts) if artifacts else ():
        lower = imported.lower()
        near = [
            package
            for package, group, letters, words in artifacts
            if lower.startswith(group)
            and lower[len(group) :].partition(".")[0] in {letters, *words}
        ]
        fitting = near or [
            package
            for package, _, letters, _ in artifacts
            if len(letters) >= _LETTERS_MIN and letters in lower.split(".")
        ]
        fitting = fitting or [
            package
            for package, group, _, _ in artifacts
            if group in alone and lower.startswith(group)
        ]
        if len(fitting) == 1:
            yield imported, fitting[0]


def _imported(facts: Facts, kind: Ecosystem, name: str) -> tuple[str, ...]:
    match kind:
        case "python":
            module = ecosystem_row("python").imported_as.get(name.lower())
            plain = re.sub(r"[-.]+", "_", name).lower()
            named = (it for it in outside_names(facts) if it.lower() == plain)
            return (module,) if module else tuple(named)
        case "maven" | "gradle":
            words = name.partition(":")[0].split(".")
            long = words[0] in ("com", "org", "io", "net", "dev", "de", "jakarta", "javax")
            return (".".join(words[: 3 if long else 2]),) if ":" in name else ()
        case "dotnet":
            return (".".join(name.split(".")[:2]),)
    return (name,)
