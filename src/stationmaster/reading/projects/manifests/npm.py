"""package.json, deno.json, composer.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Lines, Reading, mapping
from stationmaster.reading.projects.model import (
    Dependency,
    DependencyScope,
    Ecosystem,
    Manifest,
    Place,
)

_TABLES: Mapping[str, DependencyScope] = {
    "dependencies": "runtime",
    "peerDependencies": "runtime",
    "optionalDependencies": "optional",
    "devDependencies": "development",
    "require": "runtime",
    "require-dev": "development",
}


def read(ecosystem: Ecosystem, path: str, reading: Reading) -> Manifest:
    """The manifest of a JSON object; with a fault for another value. Imports of npm and JSR are
    what a `deno.json` depends on."""
    data = reading.contents.json(path)
    if not isinstance(data, dict):
        return common.unread(path, ecosystem, "this is not a JSON object")
    needs = _imported if ecosystem == "deno" else _dependencies
    dependencies = needs(path, Lines(reading.contents.text(path)), data)
    is_private = ecosystem == "npm" and data.get("private") in (True, "true")
    return common.manifest(path, ecosystem, data, dependencies, data, is_private=is_private)


def _dependencies(path: str, lines: Lines, data: Mapping[str, Any]) -> Iterator[Dependency]:
    marked = mapping(data.get("peerDependenciesMeta")).items()
    optional = {name for name, about in marked if mapping(about).get("optional") is True}
    for table, scope in _TABLES.items():
        if data.get(table):
            lines.seek(rf'^\s*"{table}"\s*:')
            for dependency in common.of_table(path, lines, data[table], scope):
                is_optional = table == "peerDependencies" and dependency.name in optional
                yield replace(dependency, scope="optional") if is_optional else dependency


def _imported(path: str, lines: Lines, data: Mapping[str, Any]) -> Iterator[Dependency]:
    for target in mapping(data.get("imports")).values():
        if isinstance(target, str) and target.startswith(("npm:", "jsr:")):
            name, version = _package(target[4:])
            yield Dependency(name, version or None, "runtime", Place(path, lines.of(target)))


def _package(target: str) -> tuple[str, str]:
    """`@scope/name@1.2/part` as name and version."""
    start = 1 if target.startswith(("@", "/@")) else 0
    name, _, version = target.lstrip("/")[start:].partition("@")
    return "@" * start + name, version.partition("/")[0]
