"""Which manifests declare something that is built or deployed by itself.

Source: docs/reference/applications.md, step 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from stationmaster.reading.projects.applications import frameworks
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.test_files import TEST_FOLDERS, outside_packages

_TOOL_FOLDERS = frozenset(
    {
        "scripts",
        "script",
        "tools",
        "tool",
        "tooling",
        "hack",
        "ci",
        "docs",
        "doc",
        "documentation",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "perf",
        "e2e",
        "fuzz",
        "xtask",
        "buildSrc",
        "dockerfiles",
        "build-logic",
        "build-tools",
        "buildtools",
        "build-support",
        "build_tools",
        "requirements",
        "eng",
    }
)
_TEST_NAME = re.compile(
    r"(?i)(?:.{0,200}[-_.])?(?:tests?|e2e|it|its|test-?utils?|test-?helpers?|testkit|spec"
    r"|specs|benchmarks?|bench|jmh|smoketests?|integration-?tests?|acceptance-?tests?|test-?suite"
    r"|test-?support|test-?fixtures?|testfixtures)"
    r"|(?:.{1,200}[-_.])?(?:tests?[-_.]?app(?:lication)?s?|testing[-_.]?(?:support|utils?|helpers?))"
    r"|tests?[-_.].{1,200}|.{1,200}(?:UnitTests?|IntegrationTests?|Tests|Benchmarks?)"
)
_BENCHMARKS = frozenset({"bench", "benches", "benchmark", "benchmarks", "perf"})
_RUNNERS = frozenset({"android", "ios", "linux", "macos", "windows", "web", "tvos"})
_CROSS_PLATFORM = re.compile(r"flutter|react-native|expo|cordova|@capacitor/.{1,100}")
_TEST_SCOPES = re.compile(r".{1,200}\.Tests?\.\w{1,60}")
_SITE = re.compile(r"(?i)(?:.{0,60}[-_])?(?:docs?|documentation|website|web-?site|site|www)")
_HELPER_NAME = re.compile(
    r"(?i)(?:@[\w.-]{1,100}/)?(?:(?:.{1,200}-)?(?:eslint|prettier|ts|typescript|stylelint|jest|"
    r"tailwind|babel|vitest|biome|tsup|vite|oxlint|renovate|commitlint)-?(?:config|preset)s?"
    r"(?:-.{1,100})?|.{1,200}-config|eslint-plugin-(?:local|internal|custom).{0,50}|tsconfigs?"
    r"|configs?|xtask|.{1,200}[-_]xtask|bom|.{1,200}-bom|.{1,200}-parent|build-?logic|buildSrc"
    r"|.{1,200}-?conventions?)"
)
_JAR = frozenset(
    {
        "jar",
        "war",
        "ear",
        "maven-plugin",
        "hpi",
        "bundle",
        "aar",
        "apk",
        "rar",
        "eclipse-plugin",
        "maven-archetype",
        "quarkus",
        "ejb",
        "takari-jar",
    }
)


def is_test(folder: str, name: str | None) -> bool:
    """Is what a folder holds there to test something else, by its names?"""
    steps = outside_packages(folder).split("/")
    last = "" if folder == "." else steps[-1]
    if any(step in TEST_FOLDERS for step in steps):
        return True
    plain = (name or "").rpartition(":")[2].rpartition("/")[2]
    return any(
        _TEST_NAME.fullmatch(each) or _TEST_SCOPES.fullmatch(each) for each in {last, plain} if each
    )


def is_helper(manifest: Manifest) -> bool:
    """Is it shared configuration, or a part of the build?"""
    name = (manifest.name or "").rpartition(":")[2]
    folder = manifest.folder.rpartition("/")[2]
    return any(_HELPER_NAME.fullmatch(each) for each in (name, folder) if each)


def is_site(manifest: Manifest) -> bool:
    """Is it what pages about the product are made with?"""
    last = manifest.folder.rpartition("/")[2]
    return _SITE.fullmatch(last) is not None and any(
        dependency.name in frameworks.SITES for dependency in manifest.dependencies
    )


def is_tooling(folder: str) -> bool:
    """Does it lie where tools, documents and benchmarks are kept?"""
    steps = outside_packages(folder).split("/")
    return folder != "." and any(step in _TOOL_FOLDERS or step.startswith(".") for step in steps)


def is_benchmark(folder: str) -> bool:
    """Does it lie where benchmarks are kept?"""
    return not _BENCHMARKS.isdisjoint(folder.split("/"))


def has_runners(manifest: Manifest) -> bool:
    """Is it a package whose folders `android`, `ios` and so on only start it on a platform?"""
    return manifest.ecosystem in ("dart", "npm") and any(
        _CROSS_PLATFORM.fullmatch(dependency.name) for dependency in manifest.dependencies
    )


def is_runner(inside: str) -> bool:
    """Is a folder, seen from such a package, what starts it on a platform?"""
    return inside.partition("/")[0] in _RUNNERS


def is_unit(manifest: Manifest) -> bool:
    """Does a manifest, by what it says, declare an application or a library?"""
    rule = _RULES.get(manifest.path.rpartition("/")[2]) or _BY_ECOSYSTEM.get(manifest.ecosystem)
    return rule is not None and rule(manifest)


def _npm(manifest: Manifest) -> bool:
    said = ("name", "dependencies", "devDependencies", "scripts", "bin", "exports")
    return any(manifest.data.get(each) for each in said)


def _pyproject(manifest: Manifest) -> bool:
    poetry = mapping(mapping(manifest.data.get("tool")).get("poetry"))
    if poetry.get("package-mode") is False and "build-system" not in manifest.data:
        return False
    return bool(manifest.name or "build-system" in manifest.data or poetry)


def _setup_cfg(manifest: Manifest) -> bool:
    return bool(manifest.name)


def _maven(manifest: Manifest) -> bool:
    properties = mapping(manifest.data.get("properties"))
    skipped = properties.get("maven.deploy.skip") == properties.get("maven.install.skip") == "true"
    return manifest.data.get("packaging") in _JAR and not skipped


def _gradle(manifest: Manifest) -> bool:
    return not {"java-platform", "version-catalog"} & set(manifest.data.get("plugins", ()))


def _dotnet(manifest: Manifest) -> bool:
    properties = mapping(manifest.data.get("properties"))
    test = properties.get("IsTestProject", "").lower() == "true"
    host = properties.get("IsAspireHost", "").lower() == "true" or "AppHost" in str(
        manifest.data.get("sdk")
    )
    tested = any(
        dependency.name.lower() == "microsoft.net.test.sdk" for dependency in manifest.dependencies
    )
    return not (test or host or tested) and manifest.fault is None


def is_virtual(manifest: Manifest) -> bool:
    """Does it declare what nobody can install, such as the root of a workspace?"""
    if manifest.ecosystem == "python":
        return "build-system" not in manifest.data
    return manifest.ecosystem == "npm" and manifest.is_private


def is_packable(manifest: Manifest) -> bool:
    """Of a project of MSBuild that is no program: is it published?"""
    return manifest.ecosystem != "dotnet" or not manifest.is_private


def is_executable(manifest: Manifest) -> bool:
    """Of a project of MSBuild: does it come to a program?"""
    properties = mapping(manifest.data.get("properties"))
    sdk = str(manifest.data.get("sdk"))
    return (
        properties.get("OutputType", "").lower() in ("exe", "winexe", "appcontainerexe")
        or ".Web" in sdk
        or ".Worker" in sdk
        or ".BlazorWebAssembly" in sdk
        or properties.get("UseMaui", "").lower() == "true"
        or "AzureFunctionsVersion" in properties
    )


def _cpp(manifest: Manifest) -> bool:
    return "project" in manifest.data


def _named(manifest: Manifest) -> bool:
    return manifest.name is not None and manifest.fault is None


def _always(manifest: Manifest) -> bool:
    return manifest.fault is None


def _never(_: Manifest) -> bool:
    return False


def _cargo(manifest: Manifest) -> bool:
    if manifest.name is None:
        return False
    helpers = "cargo-fuzz" in mapping(mapping(manifest.data.get("package")).get("metadata"))
    return not helpers


def _umbrella(manifest: Manifest) -> bool:
    return "apps_path" not in manifest.data


_Rule = Callable[[Manifest], bool]
_RULES: dict[str, _Rule] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "Chart.yaml": _never,
}
_BY_ECOSYSTEM: dict[str, _Rule] = {
    "npm": _npm,
    "deno": _always,
    "python": _always,
    "go": _named,
    "rust": _cargo,
    "maven": _maven,
    "gradle": _gradle,
    "dotnet": _dotnet,
    "ruby": _always,
    "php": _always,
    "swift": _always,
    "cpp": _cpp,
    "elixir": _umbrella,
    "scala": _always,
    "dart": _named,
    "haskell": _named,
}
