"""build.gradle and build.gradle.kts: code in two languages, read by its keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    mapping,
    strings,
    text,
    within,
)
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.files import Files

_LIKE = expressions("gradle")

_CATALOG = re.compile(r"\blibs\.([A-Za-z][\w.]{0,200})")
_KOTLIN = re.compile(r"kotlin\(\s*[\"']([\w-]{1,100})[\"']")
_BLOCK = re.compile(r"\bplugins\s*+\{(?:[^{}]++|\{[^{}]*+\})*+\}")
_CONSTRAINTS = re.compile(r"\bconstraints\s*+\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}")
_APPLY = re.compile(
    r"\bapply\s*+(?:[({]\s*+)?plugin\s*[:=(]\s*[\"'][\w.-]+[\"']|\bapply\s*+\(\s*+[\"'][\w.-]+[\"']"
)
_UNAPPLIED = re.compile(r"[^\n]{0,80}\bapply\s*+(?:\(\s*+)?false")
_TEST = re.compile(r"(?i)test")
_TOOLS = frozenset({"errorprone", "classpath", "detektPlugins"})


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `plugins` (ids), `projects` (paths such as `:core` that it depends on), and
    whether it `starts`: names a main class."""
    source = code_of(path, reading.contents.text(path))
    catalog = _catalog(path, reading)
    plugins = [dependency for dependency, _ in _plugins(path, source, catalog)]
    about = {match[1]: match[2] for match in _LIKE["setting"].finditer(source)}
    named = _LIKE["project"].finditer(source)
    projects = {match[1] or ":" + match[2].replace(".", ":") for match in named}
    folder = folder_of(path)
    about["name"] = folder.rpartition("/")[2] if folder != "." else ""
    dependencies = [*plugins, *_dependencies(path, source, catalog)]
    data = {
        "plugins": [plugin.name for plugin in plugins],
        "projects": sorted(projects),
        "starts": _LIKE["main"].search(source) is not None,
    }
    return common.manifest(path, "gradle", about, dependencies, data)


def applied(path: str, files: Files) -> Iterator[Dependency]:
    """The plugins that a file of code applies, in order; others it only names for builds below."""
    reading = Reading(files)
    source = code_of(path, reading.contents.text(path))
    plugins = _plugins(path, source, _catalog(path, reading))
    return (plugin for plugin, is_applied in plugins if is_applied)


def _plugins(
    path: str, source: str, catalog: Mapping[str, Any]
) -> Iterator[tuple[Dependency, bool]]:
    """The plugins, each with whether it is applied here."""
    lines = Lines(source)
    for area in (*_BLOCK.finditer(source), *_APPLY.finditer(source)):
        begin = area.start()
        for match in _LIKE["plugin"].finditer(area[0]):
            name, version, alias, applied, kotlin, quoted, plain = match.groups()
            if alias:
                plugin = mapping(catalog.get("plugins")).get(_alias(alias))
                name, version = plugin or (alias, None)
            name = name or applied or (f"org.jetbrains.kotlin.{kotlin}" if kotlin else "")
            name = name or quoted or plain
            place = Place(path, lines.at(begin + match.start()))
            is_applied = _UNAPPLIED.match(area[0], match.end()) is None
            yield Dependency(name, version, "development", place), is_applied


def _dependencies(path: str, source: str, catalog: Mapping[str, Any]) -> Iterator[Dependency]:
    """The dependencies; versions in `constraints` are not dependencies."""
    source = _CONSTRAINTS.sub(lambda match: "\n" * match[0].count("\n"), source)
    lines = Lines(source)
    for match in _LIKE["configuration"].finditer(source):
        configuration, rest = match.groups()
        scope: DependencyScope = "runtime"
        if _TEST.search(configuration) or configuration in _TOOLS:
            scope = "development"
        elif "ompileOnly" in configuration or "optional" in configuration:
            scope = "optional"
        place = Place(path, lines.at(match.start(1)))
        for name, version in _named(rest, catalog):
            yield Dependency(name, version, scope, place)


def _named(rest: str, catalog: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    if match := _LIKE["coordinates"].search(rest):
        yield match[1], match[2]
    elif match := _LIKE["map"].search(rest):
        yield f"{match[1]}:{match[2]}", match[3]
    elif match := _KOTLIN.search(rest):
        yield f"org.jetbrains.kotlin:kotlin-{match[1]}", None
    elif match := _CATALOG.search(rest):
        alias = _alias(match[1].removesuffix(".get"))
        if alias.startswith("bundles."):
            yield from mapping(catalog.get("bundles")).get(alias.removeprefix("bundles."), ())
        elif library := mapping(catalog.get("libraries")).get(alias):
            yield library


def _catalog(path: str, reading: Reading) -> Mapping[str, Any]:
    """Libraries and plugins of the nearest version catalog as name and version, by alias."""
    for folder in parents(folder_of(path)):
        data = reading.contents.toml(within(folder, "gradle/libs.versions.toml"))
        if data:
            versions = mapping(data.get("versions"))
            libraries, plugins = (
                {
                    _alias(alias): library
                    for alias, entry in mapping(data.get(table)).items()
                    if (library := _library(entry, versions, key))
                }
                for table, key in (("libraries", "module"), ("plugins", "id"))
            )
            bundles = {
                _alias(alias): [
                    libraries[_alias(n)] for n in strings(names) if _alias(n) in libraries
                ]
                for alias, names in mapping(data.get("bundles")).items()
            }
            return {"libraries": libraries, "plugins": plugins, "bundles": bundles}
    return {}


def _library(entry: object, versions: Mapping[str, Any], key: str) -> tuple[str, str | None] | None:
    if isinstance(entry, str):
        parts = entry.rsplit(":", 1)
        is_whole = entry.count(":") > (key == "module")
        return (parts[0], parts[1]) if is_whole else (entry, None)
    table = mapping(entry)
    name = text(table.get(key)) or f"{table.get('group')}:{table.get('name')}"
    version = table.get("version")
    if isinstance(version, dict):
        version = versions.get(str(version.get("ref")), version.get("strictly"))
    return name, text(version)


def _alias(name: str) -> str:
    return re.sub(r"[-_.]", ".", name).lower()
