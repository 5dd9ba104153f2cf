"""build.gradle and build.gradle.kts: code in two languages, read by its words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    limited,
    mapping,
    strings,
    text,
    within,
)
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of, parents

_CONFIGURATION = re.compile(
    r"^[ \t]*(?:add\(\s*)?[\"']?(\w{0,80}(?:[iI]mplementation|[aA]pi|[cC]ompileOnly"
    r"|[rR]untimeOnly|[aA]nnotationProcessor|[kK]apt|ksp\w{0,40}|errorprone|classpath"
    r"|detektPlugins|coreLibraryDesugaring|developmentOnly|compile|runtime|providedCompile"
    r"|shadow))[\"']?[ \t]*[(, \t][ \t]*([^\n]{1,400})",
    re.MULTILINE,
)
_COORDINATES = re.compile(
    r"[\"']([\w.$-]{1,200}:[\w.$-]{1,200})(?::([^\"'@:]{1,100}))?[^\"'\n]{0,100}[\"']"
)
_MAP = re.compile(
    r"group\s*[:=]\s*[\"']([^\"']{1,200})[\"'],?\s*name\s*[:=]\s*[\"']([^\"']{1,200})[\"']"
    r"(?:,?\s*version\s*[:=]\s*[\"']([^\"']{1,100})[\"'])?"
)
_CATALOG = re.compile(r"\blibs\.([A-Za-z][\w.]{0,200})")
_PROJECT = re.compile(
    r"project\s*+(?:\(\s*+)?(?:path\s*+[:=]\s*+)?[\"'](:[^\"']{0,200})[\"']|\bprojects\.([\w.]{1,200})"
)
_KOTLIN = re.compile(r"kotlin\(\s*[\"']([\w-]{1,100})[\"']")
_PLUGIN = re.compile(
    r"\bid\s*+(?:\(\s*+)?[\"']([\w.-]+)[\"']\s*+(?:\)\s*+)?(?:\.?version\s*+(?:\(\s*+)?[\"']([^\"']{1,200})[\"'])?"
    r"|\balias\s*+(?:\(\s*+)?libs\.plugins\.([\w.]+)"
    r"|\bplugin\s*[:=(]\s*[\"']([\w.-]+)[\"']"
    r"|\bkotlin\(\s*[\"']([\w.-]+)[\"']\s*\)"
    r"|^[ \t]*`([\w.-]+)`|^[ \t]*(java|application|groovy|scala|war|jacoco|checkstyle|pmd)[ \t]*$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"\bplugins\s*\{([^}]{0,8000})\}")
_CONSTRAINTS = re.compile(r"\bconstraints\s*+\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}")
_APPLY = re.compile(r"\bapply\s*+(?:[({]\s*+)?plugin\s*[:=(]\s*[\"'][\w.-]+[\"']")
_TEST = re.compile(r"(?i)test")
_TOOLS = frozenset({"errorprone", "classpath", "detektPlugins"})
_SETTING = re.compile(
    r"^(?:[ \t]*(?=group|version))?(group|version|description)\s*+(?:=\s*+)?"
    r"[\"']([^\"'\n]{1,300})[\"']",
    re.M,
)


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `plugins` (ids), `projects` (paths such as `:core` that it depends on)."""
    source = code_of(path, reading.contents.text(path))
    catalog = _catalog(path, reading)
    plugins = list(_plugins(path, source, catalog))
    about = {match[1]: match[2] for match in _SETTING.finditer(source)}
    projects = {
        (match[1] or ":" + match[2].replace(".", ":")) for match in _PROJECT.finditer(source)
    }
    return Manifest(
        path,
        folder_of(path),
        "gradle",
        name=folder_of(path).rpartition("/")[2] if folder_of(path) != "." else None,
        version=about.get("version"),
        description=text(about.get("description")),
        dependencies=limited([*plugins, *_asked(path, source, catalog)]),
        data={"plugins": [plugin.name for plugin in plugins], "projects": sorted(projects)},
    )


def _plugins(path: str, source: str, catalog: Mapping[str, Any]) -> Iterator[Dependency]:
    lines = Lines(source)
    for area in (*_BLOCK.finditer(source), *_APPLY.finditer(source)):
        begin = area.start()
        for match in _PLUGIN.finditer(area[0]):
            name, version, alias, applied, kotlin, quoted, plain = match.groups()
            if alias:
                told = mapping(catalog.get("plugins")).get(_alias(alias))
                name, version = told or (alias, None)
            name = name or applied or (f"org.jetbrains.kotlin.{kotlin}" if kotlin else "")
            name = name or quoted or plain
            place = Place(path, lines.at(begin + match.start()))
            yield Dependency(name, version, "development", place)


def _asked(path: str, source: str, catalog: Mapping[str, Any]) -> Iterator[Dependency]:
    """Versions that `constraints` only rule are no dependencies."""
    source = _CONSTRAINTS.sub(lambda found: "\n" * found[0].count("\n"), source)
    lines = Lines(source)
    for found in _CONFIGURATION.finditer(source):
        configuration, rest = found.groups()
        scope: DependencyScope = "runtime"
        if _TEST.search(configuration) or configuration in _TOOLS:
            scope = "development"
        elif "ompileOnly" in configuration or "optional" in configuration:
            scope = "optional"
        place = Place(path, lines.at(found.start(1)))
        for name, version in _named(rest, catalog):
            yield Dependency(name, version, scope, place)


def _named(rest: str, catalog: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    if found := _COORDINATES.search(rest):
        yield found[1], found[2]
    elif found := _MAP.search(rest):
        yield f"{found[1]}:{found[2]}", found[3]
    elif found := _KOTLIN.search(rest):
        yield f"org.jetbrains.kotlin:kotlin-{found[1]}", None
    elif found := _CATALOG.search(rest):
        alias = _alias(found[1].removesuffix(".get"))
        if alias.startswith("bundles."):
            yield from mapping(catalog.get("bundles")).get(alias.removeprefix("bundles."), ())
        elif told := mapping(catalog.get("libraries")).get(alias):
            yield told


def _catalog(path: str, reading: Reading) -> Mapping[str, Any]:
    """Of the nearest version catalog: libraries and plugins as name and version, by alias."""
    for folder in parents(folder_of(path)):
        data = reading.contents.toml(within(folder, "gradle/libs.versions.toml"))
        if data:
            versions = mapping(data.get("versions"))
            libraries = {
                _alias(alias): told
                for alias, said in mapping(data.get("libraries")).items()
                if (told := _library(said, versions, "module"))
            }
            plugins = {
                _alias(alias): told
                for alias, said in mapping(data.get("plugins")).items()
                if (told := _library(said, versions, "id"))
            }
            bundles = {
                _alias(alias): [
                    libraries[_alias(n)] for n in strings(names) if _alias(n) in libraries
                ]
                for alias, names in mapping(data.get("bundles")).items()
            }
            return {"libraries": libraries, "plugins": plugins, "bundles": bundles}
    return {}


def _library(said: object, versions: Mapping[str, Any], key: str) -> tuple[str, str | None] | None:
    if isinstance(said, str):
        parts = said.rsplit(":", 1)
        is_whole = said.count(":") > (key == "module")
        return (parts[0], parts[1]) if is_whole else (said, None)
    told = mapping(said)
    name = text(told.get(key)) or f"{told.get('group')}:{told.get('name')}"
    version = told.get("version")
    if isinstance(version, dict):
        version = versions.get(str(version.get("ref")), version.get("strictly"))
    return name, text(version)


def _alias(name: str) -> str:
    return re.sub(r"[-_.]", ".", name).lower()
