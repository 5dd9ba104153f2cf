"""The packages of others that manifests ask for, who uses them, and which packages of the
repository build on which.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from stationmaster.reading.projects.model import Dependency, Ecosystem, Manifest
from stationmaster.reading.projects.references import References
from stationmaster.wiki.facts.code.links import users_of_outside
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

Scope = Literal["runtime", "optional", "development"]
PLACES_MAX = 20
_RULE = re.compile(r"[\w.*^~<>=!|, +()\[\]-]{1,60}")
"""Versions as ecosystems write them; addresses and paths are none."""
_SCOPES: tuple[Scope, ...] = ("runtime", "optional", "development")
_LOCKS: Mapping[str, tuple[str, ...]] = {
    "npm": ("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"),
    "deno": ("deno.lock",),
    "python": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml"),
    "go": ("go.sum",),
    "rust": ("Cargo.lock",),
    "ruby": ("Gemfile.lock",),
    "php": ("composer.lock",),
    "dotnet": ("packages.lock.json",),
    "gradle": ("gradle.lockfile",),
    "swift": ("Package.resolved",),
    "elixir": ("mix.lock",),
    "dart": ("pubspec.lock",),
}
_UPDATERS = {
    ".github/dependabot.yml": "Dependabot", ".github/dependabot.yaml": "Dependabot",
    "renovate.json": "Renovate", "renovate.json5": "Renovate", ".renovaterc": "Renovate",
    ".github/renovate.json": "Renovate", ".github/renovate.json5": "Renovate",
    ".renovaterc.json": "Renovate", ".gitlab/renovate.json": "Renovate",
}  # fmt: skip
_IMPORTED_AS = {
    "pyyaml": "yaml", "pillow": "PIL", "python-dateutil": "dateutil", "beautifulsoup4": "bs4",
    "djangorestframework": "rest_framework", "psycopg2-binary": "psycopg2", "pyjwt": "jwt",
    "scikit-learn": "sklearn", "opencv-python": "cv2", "python-dotenv": "dotenv",
    "attrs": "attr", "protobuf": "google", "pygithub": "github", "mysqlclient": "MySQLdb",
    "python-multipart": "multipart", "python-slugify": "slugify", "sentry-sdk": "sentry_sdk",
    "pycryptodome": "Crypto", "python-jose": "jose", "django-cors-headers": "corsheaders",
    "django-filter": "django_filters", "markdown": "markdown", "pymysql": "pymysql",
    "psycopg-binary": "psycopg", "graphene-django": "graphene_django", "setuptools": "setuptools",
}  # fmt: skip
"""Packages of Python whose modules are called otherwise."""


class Package(msgspec.Struct, frozen=True):
    """What manifests ask for by one name. `versions` are their rules, `places` where they stand;
    `scope` is the widest that one of them asks for it in."""

    ecosystem: Ecosystem
    name: str
    versions: tuple[str, ...]
    scope: Scope
    places: tuple[Place, ...]


class Asking(msgspec.Struct, frozen=True):
    """What the manifests of an ecosystem ask for, counted; `locks` are its lock files."""

    ecosystem: Ecosystem
    manifests: int
    runtime: int
    development: int
    locks: tuple[str, ...]


@query
def packages(facts: Facts) -> tuple[Package, ...]:
    """By ecosystem and name, without those that the repository has itself."""
    own = {
        (manifest.ecosystem, manifest.name.lower())
        for manifest in facts.tree.project.manifests
        if manifest.name
    }
    found: dict[tuple[Ecosystem, str], list[Dependency]] = defaultdict(list)
    for ecosystem, each in _asked(facts):
        if (ecosystem, each.name.lower()) not in own:
            found[ecosystem, each.name].append(each)
    return tuple(_package(facts, *key, found[key]) for key in sorted(found))


@query
def of_scope(facts: Facts, scope: str) -> tuple[Package, ...]:
    """Packages that are asked for within a scope, the most used first."""
    chosen = [package for package in packages(facts) if package.scope == scope]
    return tuple(
        sorted(chosen, key=lambda each: (-len(users(facts, each.ecosystem, each.name)), each.name))
    )


@query
def asking(facts: Facts) -> tuple[Asking, ...]:
    """By ecosystem, the one with the most packages first."""
    manifests = Counter(manifest.ecosystem for manifest in _manifests(facts))
    counts = Counter((package.ecosystem, package.scope) for package in packages(facts))
    told = [
        Asking(
            each, manifests[each], counts[each, "runtime"] + counts[each, "optional"],
            counts[each, "development"], _locks(facts, each),
        )
        for each in {ecosystem for ecosystem, _ in counts}
    ]  # fmt: skip
    return tuple(sorted(told, key=lambda each: (-each.runtime - each.development, each.ecosystem)))


@query
def users(facts: Facts, ecosystem: str, name: str) -> tuple[str, ...]:
    """The keys of modules whose files import a package, those with the most files first."""
    names = _modules(facts).get((ecosystem, name), ())
    files = {path for each in names for path, _ in users_of_outside(facts, each)}
    counts = Counter(key for path in files if (key := module_of(facts, path)))
    return tuple(sorted(counts, key=lambda key: (-counts[key], key)))


@query
def updater(facts: Facts) -> tuple[str, Place] | None:
    """Who proposes newer versions, and where it is set up."""
    return next(((name, Place(path)) for path, name in _UPDATERS.items()
                 if path in facts.records), None)  # fmt: skip


@query
def inside(facts: Facts) -> tuple[Mapping[str, str], tuple[tuple[str, str], ...]]:
    """Names of the repository's packages by folder, and which folder builds on which; those that
    it needs for development alone do not count."""
    manifests = _manifests(facts)
    said = {manifest.folder: manifest.name for manifest in reversed(manifests) if manifest.name}
    often = {name for name, count in Counter(said.values()).items() if count > 1}
    names = {folder: folder if name in often else name for folder, name in said.items()}
    references = References(manifests)
    pairs = sorted(
        (start, end)
        for start, ends in references.direct.items()
        for end in ends
        if start in names and end in names
        and references.scopes.get((start, end), "runtime") != "development"
    )  # fmt: skip
    shown = {folder for pair in pairs for folder in pair}
    return {folder: names[folder] for folder in sorted(shown)}, tuple(pairs)


def _manifests(facts: Facts) -> Sequence[Manifest]:
    return facts.tree.project.manifests


def _asked(facts: Facts) -> Iterator[tuple[Ecosystem, Dependency]]:
    for manifest in _manifests(facts):
        for dependency in manifest.dependencies:
            if dependency.scope != "indirect":
                yield manifest.ecosystem, dependency


def _package(facts: Facts, ecosystem: Ecosystem, name: str, asked: Sequence[Dependency]) -> Package:
    scopes = {each.scope for each in asked}
    versions = {each.version for each in asked if each.version and _RULE.fullmatch(each.version)}
    places = sorted({Place(each.place.path, each.place.line) for each in asked},
                    key=lambda each: (each.path.count("/"), each.path, each.line or 0))  # fmt: skip
    scope = next(each for each in _SCOPES if each in scopes)
    if ecosystem == "go" and _is_for_tests(facts, name):
        scope = "development"
    return Package(ecosystem, name, tuple(sorted(versions)), scope,
                   tuple(places[:PLACES_MAX]))  # fmt: skip


def _is_for_tests(facts: Facts, name: str) -> bool:
    """Do only tests import it? A go.mod does not tell what it asks for whom."""
    users = users_of_outside(facts, name)
    return bool(users) and all(facts.records[path].file_class == "test" for path, _ in users)


def _locks(facts: Facts, ecosystem: str) -> tuple[str, ...]:
    names = _LOCKS.get(ecosystem, ())
    found = facts.tree.glob(*(f"**/{name}" for name in names)) if names else ()
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


@query
def _modules(facts: Facts) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """What code imports to use a package. Where several packages may be meant, none is."""
    meant: dict[tuple[str, str], set[str]] = defaultdict(set)
    for package in packages(facts):
        for name in _imported(package.ecosystem, package.name):
            meant[package.ecosystem, name].add(package.name)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (ecosystem, imported), names in sorted(meant.items()):
        if len(names) == 1:
            found[ecosystem, min(names)].append(imported)
    return {key: tuple(names) for key, names in found.items()}


def _imported(ecosystem: Ecosystem, name: str) -> tuple[str, ...]:
    match ecosystem:
        case "python":
            plain = re.sub(r"[-.]+", "_", name)
            known = _IMPORTED_AS.get(name.lower())
            return (known,) if known else tuple(dict.fromkeys((plain, plain.lower())))
        case "rust":
            return (name.replace("-", "_"),)
        case "maven" | "gradle":
            words = name.partition(":")[0].split(".")
            long = words[0] in ("com", "org", "io", "net", "dev", "de", "jakarta", "javax")
            return (".".join(words[: 3 if long else 2]),) if ":" in name else ()
        case "dotnet":
            return (".".join(name.split(".")[:2]),)
    return (name,)
