"""What builds of Maven, Gradle and .NET are configured with, inheritance included.

Gradle builds are code: plugins are recognised by the ways in which they are applied, in a build's
own files, those above it, and the repository's convention plugins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.catalogue import lists, table
from stationmaster.readiness.evidence import configs
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects import imports, test_files
from stationmaster.reading.projects.manifests import gradle, maven as poms_of_maven
from stationmaster.reading.projects.model import App, Dependency, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.contents import Element

_PROJECTS = ("*.csproj", "*.fsproj", "*.vbproj")
_PROPS = ("Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props")


class Plugin(NamedTuple):
    """A plugin of Maven: where it is declared, and the element that configures it."""

    name: str
    path: str
    element: Element

    @property
    def place(self) -> Place:
        """The file that declares the plugin, with the element's line where it is known."""
        return Place(self.path, self.element.line or None)


class Setting(NamedTuple):
    """The text of a property, without white space around it, and the line that sets it."""

    value: str
    place: Place


def plugin(facts: Facts, app: App, *patterns: str) -> Place | None:
    """Where the build of an application applies a plugin or analyzer of such a name."""
    plugins = _plugins(facts, app)
    names = table.matching(plugins, patterns)
    return next((place for name, place in plugins.items() if name in names), None)


@once
def _plugins(facts: Facts, app: App) -> Mapping[str, Place]:
    plugins = {plugin.name: plugin.place for plugin in reversed(maven(facts, app))}
    for path in _gradle(facts, app):
        for applied_plugin in _applied(facts, path):
            plugins.setdefault(applied_plugin.name, applied_plugin.place)
    for name, place in _conventional(facts).items() if "gradle" in app.ecosystems else ():
        plugins.setdefault(name, place)
    return plugins | _analyzers(facts, app)


@once
def _conventional(facts: Facts) -> Mapping[str, Place]:
    """What the convention plugins apply: in a repository of many builds, most of all files."""
    plugins: dict[str, Place] = {}
    for path in _convention_plugins(facts):
        for applied_plugin in _applied(facts, path):
            plugins.setdefault(applied_plugin.name, applied_plugin.place)
    return plugins


@once
def _applied(facts: Facts, path: str) -> Sequence[Dependency]:
    return tuple(gradle.applied(path, facts.files))


def gradle_lines(facts: Facts, app: App, pattern: str | re.Pattern[str]) -> Iterator[Place]:
    """Where a pattern first is in each build file of an application, without comments."""
    paths = _gradle(facts, app)
    yield from filter(None, (_line(facts, path, pattern) for path in paths))
    if "gradle" in app.ecosystems:
        shared = _conventional_lines(facts, pattern)
        yield from (place for place in shared if place.path not in paths)


@once
def _conventional_lines(facts: Facts, pattern: str | re.Pattern[str]) -> Sequence[Place]:
    places = (_line(facts, path, pattern) for path in _convention_plugins(facts))
    return tuple(filter(None, places))


@once
def _line(facts: Facts, path: str, pattern: str | re.Pattern[str]) -> Place | None:
    return configs.first(path, _code(facts, path), pattern)


@once
def _code(facts: Facts, path: str) -> str:
    """The text of a build file without its comments, each line in its place."""
    return imports.code_of(path, facts.tree.text(path))


@once
def maven(facts: Facts, app: App) -> Sequence[Plugin]:
    """The plugins that a build runs, those of the pom itself first."""
    run, managed = [], []
    for path in poms(facts, app):
        for place in ("build/plugins", "profiles/profile/build/plugins"):
            run += _declared(facts, path, place)
        for place in ("build", "profiles/profile/build"):
            managed += _declared(facts, path, f"{place}/pluginManagement/plugins")
    active = lists.words("maven-plugin") | {plugin.name for plugin in run}
    return [*run, *(plugin for plugin in managed if plugin.name in active)]


def poms(facts: Facts, app: App) -> Sequence[str]:
    """An application's pom and its parents in the commit, the nearest first."""
    own = (manifest.path for manifest in app.manifests if manifest.ecosystem == "maven")
    chains = (poms_of_maven.with_parents(pom, facts.files) for pom in own)
    return tuple(dict.fromkeys(path for chain in chains for path, _ in chain))


@once
def _gradle(facts: Facts, app: App) -> Sequence[str]:
    """An application's build files and those above it."""
    if "gradle" not in app.ecosystems:
        return ()
    folders = [app.path, *(m.folder for m in app.manifests if m.ecosystem == "gradle")]
    above = dict.fromkeys(parent for folder in folders for parent in parents(folder))
    return tuple(path for folder in above for path in facts.tree.glob("*.gradle*", under=folder))


@once
def _convention_plugins(facts: Facts) -> Sequence[str]:
    is_one = lists.pattern("convention-plugin").fullmatch
    return tuple(path for path in facts.tree.all_paths if is_one(path))


@once
def settings(facts: Facts, app: App) -> Mapping[str, Setting]:
    """Properties of .NET projects, by name in lower case; the nearest file wins."""
    properties: dict[str, Setting] = {}
    for path in msbuild(facts, app):
        root = facts.tree.xml(path)
        for element in [] if root is None else root.all(".//PropertyGroup/*"):
            setting = Setting((element.text or "").strip(), Place(path, element.line))
            properties.setdefault(element.tag.lower(), setting)
    return properties


def msbuild(facts: Facts, app: App) -> Sequence[str]:
    """The project files of an application, then the shared ones above them."""
    if "dotnet" not in app.ecosystems:
        return ()
    own = [
        path
        for m in app.manifests
        if m.ecosystem == "dotnet" and not test_files.is_test(m.path)
        for path in facts.tree.glob(*_PROJECTS, under=m.folder)
    ]
    folders = [app.path, *(folder_of(path) for path in own)]
    above = dict.fromkeys(parent for folder in folders for parent in parents(folder))
    shared = [f"{folder}/{name}" if folder != "." else name for folder in above for name in _PROPS]
    return tuple(dict.fromkeys([*own, *(path for path in shared if path in facts.files)]))


def _analyzers(facts: Facts, app: App) -> dict[str, Place]:
    analyzers: dict[str, Place] = {}
    for path in msbuild(facts, app):
        root = facts.tree.xml(path)
        for tag in ("PackageReference", "GlobalPackageReference"):
            for reference in [] if root is None else root.all(f".//{tag}"):
                if name := reference.get("Include") or reference.get("Update"):
                    analyzers.setdefault(name, Place(path, reference.line or None))
    return analyzers


def _declared(facts: Facts, path: str, place: str) -> list[Plugin]:
    root = facts.tree.xml(path)
    elements = [] if root is None else root.all(f"{place}/plugin")
    return [Plugin(element.says("artifactId") or "", path, element) for element in elements]
