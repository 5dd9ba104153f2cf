"""Cargo.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Lines, Reading, mapping, text, within
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest
from stationmaster.reading.projects.paths import folder_of, parents

_SETTINGS = (".cargo/config.toml", ".cargo/config")
_TARGET = "build-target"
"""Where a manifest has what Cargo's settings say."""
_TABLES: tuple[tuple[str, DependencyScope], ...] = (
    ("dependencies", "runtime"),
    ("dev-dependencies", "development"),
    ("build-dependencies", "development"),
)


def read(path: str, reading: Reading) -> Manifest:
    """The manifest of a `Cargo.toml`, with versions of its workspace; with a fault for bad TOML."""
    source = reading.contents.text(path)
    try:
        data = tomllib.loads(source)
    except (ValueError, RecursionError) as wrong:
        return common.unread(path, "rust", str(wrong))
    package = mapping(data.get("package"))
    shared = _shared(folder_of(path), data, reading)
    dependencies = _dependencies(path, data, shared, Lines(source))
    is_private = package.get("publish") in (False, [])
    data |= {_TARGET: _target(folder_of(path), reading)}
    return common.manifest(path, "rust", package, dependencies, data, is_private=is_private)


def is_web_assembly(manifest: Manifest) -> bool:
    """Does a package make WebAssembly, which another program loads, and no program?"""
    return str(manifest.data.get(_TARGET, "")).startswith("wasm")


def _target(folder: str, reading: Reading) -> str:
    """What Cargo builds for in a folder, '' where no file says so."""
    for above in parents(folder):
        for name in _SETTINGS:
            target = mapping(reading.contents.toml(within(above, name)).get("build")).get("target")
            if isinstance(target, str):
                return target
    return ""


def _shared(folder: str, data: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
    """The dependencies that members inherit from the workspace."""
    if "workspace" in data:
        return mapping(mapping(data["workspace"]).get("dependencies"))
    if "workspace = true" not in reading.contents.text(within(folder, "Cargo.toml")):
        return {}
    for above in parents(folder)[1:]:
        root = mapping(reading.contents.toml(within(above, "Cargo.toml")).get("workspace"))
        if root:
            return mapping(root.get("dependencies"))
    return {}


def _dependencies(
    path: str, data: Mapping[str, Any], shared: Mapping[str, Any], lines: Lines
) -> Iterator[Dependency]:
    targets = mapping(data.get("target"))
    for marker, place in (("", data), *((str(key), mapping(targets[key])) for key in targets)):
        for table, scope in _TABLES:
            lines.seek(rf"^\[(?:target\..{{1,200}}\.)?{table}[.\]]")
            keys = (f"\n[{table}.{{}}]", f".{table}.{{}}]", "\n{}")
            for dependency in common.of_table(path, lines, place.get(table), scope, *keys):
                settings = mapping(mapping(place.get(table)).get(dependency.name))
                version = dependency.version
                if settings.get("workspace") is True:
                    above = shared.get(dependency.name)
                    settings = {**mapping(above), **settings}
                    version = above if isinstance(above, str) else text(settings.get("version"))
                name = text(settings.get("package")) or dependency.name
                yield replace(dependency, name=name, version=version, marker=marker)
