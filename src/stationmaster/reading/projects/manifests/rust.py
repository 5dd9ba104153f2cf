"""Cargo.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    limited,
    mapping,
    of_table,
    text,
    within,
)
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of, parents

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
        return Manifest(path, folder_of(path), "rust", fault=text(str(wrong)))
    package = mapping(data.get("package"))
    shared = _shared(folder_of(path), data, reading)
    return Manifest(
        path,
        folder_of(path),
        "rust",
        name=text(package.get("name")),
        version=text(package.get("version")),
        description=text(package.get("description")),
        is_private=package.get("publish") in (False, []),
        dependencies=limited(_asked(path, data, shared, Lines(source))),
        data=data,
    )


def _shared(folder: str, data: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
    """What the workspace keeps for its members."""
    if "workspace" in data:
        return mapping(mapping(data["workspace"]).get("dependencies"))
    if "workspace = true" not in reading.contents.text(within(folder, "Cargo.toml")):
        return {}
    for above in parents(folder)[1:]:
        root = mapping(reading.contents.toml(within(above, "Cargo.toml")).get("workspace"))
        if root:
            return mapping(root.get("dependencies"))
    return {}


def _asked(
    path: str, data: Mapping[str, Any], shared: Mapping[str, Any], lines: Lines
) -> Iterator[Dependency]:
    places = [data, *map(mapping, mapping(data.get("target")).values())]
    for place in places:
        for table, scope in _TABLES:
            lines.seek(rf"^\[(?:target\..{{1,200}}\.)?{table}[.\]]")
            for each in of_table(path, lines, place.get(table), scope, "\n{}"):
                told = mapping(mapping(place.get(table)).get(each.name))
                if told.get("workspace") is True:
                    above = shared.get(each.name)
                    told = {**mapping(above), **told}
                    version = above if isinstance(above, str) else text(told.get("version"))
                    yield Dependency(
                        told.get("package", each.name), version, each.scope, each.place
                    )
                else:
                    name = told.get("package")
                    yield (
                        each
                        if not isinstance(name, str)
                        else Dependency(
                            name, each.version, each.scope, Place(path, each.place.line)
                        )
                    )
