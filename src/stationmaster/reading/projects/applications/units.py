"""Which manifests declare something that is built or deployed by itself.

Source: docs/reference/applications.md, step 4.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.projects.manifests.common import inside, mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.references import References
from stationmaster.reading.projects.test_files import outside_packages

_LIKE = expressions("units")

_FOLDERS = layout().folders
_CROSS_PLATFORM = re.compile(r"flutter|react-native|expo|cordova|@capacitor/.{1,100}")
_TEST_SCOPES = re.compile(r".{1,200}\.Tests?\.\w{1,60}")
_RUNNERS = re.compile(
    r"(?i)xunit(?:\.v3.*)?|nunit(?:3testadapter)?|mstest(?:\.test.*)?|tunit|benchmarkdotnet"
    r"|microsoft\.net\.test\.sdk|microsoft\.testing\.platform.*"
)
"""Packages of .NET that a project has only where it runs tests or measures code."""
_SITE = re.compile(r"(?i)(?:.{0,60}[-_])?(?:docs?|documentation|website|web-?site|site|www)")


def only_tests(folder: str, name: str | None) -> bool:
    """Does a project exist only for tests of something else, by its folder and its name?"""
    steps = outside_packages(folder).split("/")
    last = "" if folder == "." else steps[-1]
    if any(step in _FOLDERS.tests for step in steps):
        return True
    plain = (name or "").rpartition(":")[2].rpartition("/")[2]
    forms = (_LIKE["test_name"], _TEST_SCOPES)
    return any(form.fullmatch(word) for form in forms for word in {last, plain} if word)


def of_tests(manifests: Sequence[Manifest]) -> frozenset[str]:
    """The folders of projects of MSBuild, which knows no scopes, that exist only for tests: by name
    or packages, or as they build on such a project and nothing else builds on them. None where a
    repository has no other projects."""
    projects = [manifest for manifest in manifests if manifest.ecosystem == "dotnet"]
    uses = References(projects).direct
    users: dict[str, set[str]] = defaultdict(set)
    for folder, used in uses.items():
        for other in used:
            users[other].add(folder)
    tests = {it.folder for it in projects if _runs_tests(it) or only_tests(it.folder, it.name)}
    while more := {
        folder
        for folder, used in uses.items()
        if folder not in tests and not tests.isdisjoint(used) and users[folder] <= tests
    }:
        tests |= more
    product = {manifest.folder for manifest in projects if manifest.folder not in tests}
    return frozenset(tests) if product else frozenset()


def _runs_tests(manifest: Manifest) -> bool:
    names = (dependency.name for dependency in manifest.dependencies)
    return _is_true(manifest, "IsTestProject") or any(map(_RUNNERS.fullmatch, names))


def is_helper(manifest: Manifest) -> bool:
    """Is it shared configuration, or a part of the build? In other languages a package that is
    called `config` is code of the product."""
    if manifest.ecosystem not in ("gradle", "maven", "npm"):
        return (manifest.name or "").endswith("xtask")
    name = (manifest.name or "").rpartition(":")[2]
    folder = manifest.folder.rpartition("/")[2]
    return any(_LIKE["helper_name"].fullmatch(word) for word in (name, folder) if word)


def is_site(manifest: Manifest) -> bool:
    """Is it a site of documents about the product?"""
    last = manifest.folder.rpartition("/")[2]
    return _SITE.fullmatch(last) is not None and any(
        dependency.name in frameworks().sites for dependency in manifest.dependencies
    )


def is_tooling(folder: str) -> bool:
    """Is it in a folder of tools, documents or benchmarks?"""
    steps = outside_packages(folder).split("/")
    return folder != "." and any(step in _FOLDERS.tools or step.startswith(".") for step in steps)


def is_benchmark(folder: str) -> bool:
    """Is it in a folder of benchmarks?"""
    return not _FOLDERS.benchmarks.isdisjoint(folder.split("/"))


def has_runners(manifest: Manifest) -> bool:
    """Is it a package whose folders `android`, `ios` and so on only start it on a platform?"""
    return manifest.ecosystem in ("dart", "npm") and any(
        _CROSS_PLATFORM.fullmatch(dependency.name) for dependency in manifest.dependencies
    )


def is_runner(inside: str) -> bool:
    """Is a folder, seen from such a package, what starts it on a platform?"""
    return inside.partition("/")[0] in _FOLDERS.platforms


def is_unit(manifest: Manifest) -> bool:
    """Does a manifest declare an application or a library?"""
    data = manifest.data
    match manifest.path.rpartition("/")[2], manifest.ecosystem:
        case ("Chart.yaml", _) | (_, "terraform" | "other"):
            return False
        case "setup.cfg", _:
            return bool(manifest.name)
        case "pyproject.toml", _:
            poetry = mapping(inside(data, "tool", "poetry"))
            if "build-system" in data:
                return True
            return poetry.get("package-mode") is not False and bool(manifest.name or poetry)
        case _, "npm":
            members = ("name", "dependencies", "devDependencies", "scripts", "bin", "exports")
            return any(data.get(member) for member in members)
        case _, "maven":
            keys = ("maven.deploy.skip", "maven.install.skip")
            is_skipped = all(inside(data, "properties", key) == "true" for key in keys)
            return data.get("packaging") in frameworks().packagings and not is_skipped
        case _, "gradle":
            return not {"java-platform", "version-catalog"} & set(data.get("plugins", ()))
        case _, "cpp":
            return "project" in data
        case _, "elixir":
            return "apps_path" not in data
        case _, "rust":
            helpers = mapping(inside(data, "package", "metadata"))
            return manifest.name is not None and "cargo-fuzz" not in helpers
        case _, "dotnet":
            is_host = _is_true(manifest, "IsAspireHost") or "AppHost" in str(data.get("sdk"))
            return not (_runs_tests(manifest) or is_host) and manifest.fault is None
        case _, "go" | "dart" | "haskell":
            return manifest.name is not None and manifest.fault is None
    return manifest.fault is None


def _is_true(manifest: Manifest, name: str) -> bool:
    """Is a property of a project of MSBuild set?"""
    return str(inside(manifest.data, "properties", name)).lower() == "true"


def is_virtual(manifest: Manifest) -> bool:
    """Does it declare something that cannot be installed, such as the root of a workspace?"""
    if manifest.ecosystem == "python":
        return "build-system" not in manifest.data
    return manifest.ecosystem == "npm" and manifest.is_private


def is_packable(manifest: Manifest) -> bool:
    """Is a project of MSBuild that is not a program published?"""
    return manifest.ecosystem != "dotnet" or not manifest.is_private


def is_executable(manifest: Manifest) -> bool:
    """Is a project of MSBuild built into a program?"""
    properties = mapping(manifest.data.get("properties"))
    sdk = str(manifest.data.get("sdk"))
    return (
        properties.get("OutputType", "").lower() in ("exe", "winexe", "appcontainerexe")
        or any(kind in sdk for kind in (".Web", ".Worker", ".BlazorWebAssembly"))
        or _is_true(manifest, "UseMaui")
        or "AzureFunctionsVersion" in properties
    )
