"""package.json and deno.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    limited,
    mapping,
    of_table,
    text,
)
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of

_TABLES: tuple[tuple[str, DependencyScope], ...] = (
    ("dependencies", "runtime"),
    ("peerDependencies", "runtime"),
    ("optionalDependencies", "optional"),
    ("devDependencies", "development"),
)


def read_package(path: str, reading: Reading) -> Manifest:
    """The manifest of a `package.json`; with a fault where it is no JSON object."""
    data = reading.contents.json(path)
    if not isinstance(data, dict):
        return Manifest(path, folder_of(path), "npm", fault="this is no JSON object")
    return Manifest(
        path,
        folder_of(path),
        "npm",
        name=text(data.get("name")),
        version=text(data.get("version")),
        description=text(data.get("description")),
        is_private=data.get("private") in (True, "true"),
        dependencies=limited(_asked(path, Lines(reading.contents.text(path)), data)),
        data=data,
    )


def _asked(path: str, lines: Lines, data: dict[str, object]) -> Iterator[Dependency]:
    marked = mapping(data.get("peerDependenciesMeta")).items()
    optional = {name for name, about in marked if mapping(about).get("optional") is True}
    for table, scope in _TABLES:
        if data.get(table):
            lines.seek(rf'^\s*"{table}"\s*:')
            for each in of_table(path, lines, data[table], scope):
                is_optional = table == "peerDependencies" and each.name in optional
                yield replace(each, scope="optional") if is_optional else each


def read_deno(path: str, reading: Reading) -> Manifest:
    """The manifest of a `deno.json`, whose imports of npm and JSR are its dependencies."""
    data = reading.contents.json(path)
    if not isinstance(data, dict):
        return Manifest(path, folder_of(path), "deno", fault="this is no JSON object")
    lines = Lines(reading.contents.text(path))
    return Manifest(
        path,
        folder_of(path),
        "deno",
        name=text(data.get("name")),
        version=text(data.get("version")),
        description=text(data.get("description")),
        dependencies=limited(
            Dependency(name, version or None, "runtime", Place(path, lines.of(target)))
            for target in mapping(data.get("imports")).values()
            if isinstance(target, str) and target.startswith(("npm:", "jsr:"))
            for name, version in [_package(target[4:])]
        ),
        data=data,
    )


def _package(target: str) -> tuple[str, str]:
    """`@scope/name@1.2/part` as name and version."""
    start = 1 if target.startswith(("@", "/@")) else 0
    name, _, version = target.lstrip("/")[start:].partition("@")
    return "@" * start + name, version.partition("/")[0]
