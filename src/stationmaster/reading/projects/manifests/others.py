"""Manifests that need few words: PHP, Swift, C and C++, Elixir, Scala, Dart, Terraform, Helm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    limited,
    of_table,
    text,
)
from stationmaster.reading.projects.model import (
    Dependency,
    DependencyScope,
    Ecosystem,
    Manifest,
    Place,
)
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import members

_SWIFT_PACKAGE = re.compile(
    r"\.package\(\s*(?:name:\s*\"[^\"]*\",\s*)?(?:url|id):\s*\"([^\"\n]{1,300})\"\s*,?\s*([^)\n]{0,200})"
)
_SWIFT_NAME = re.compile(r"\bPackage\(\s*name:\s*\"([^\"\n]{1,200})\"")
_SWIFT_TARGET = re.compile(
    r"\.(executableTarget|target|testTarget|executable|library|plugin)\(\s*name:\s*\"([^\"\n]{1,200})\""
)
_CMAKE_PROJECT = re.compile(
    r"^[ \t]*project\s*\(\s*\"?([\w.+${}-]{1,100})\"?([^)]{0,500})", re.I | re.M
)
_CMAKE_NEED = re.compile(
    r"^[ \t]*(?:find_package|FetchContent_Declare|CPMAddPackage|pkg_check_modules)"
    r"\s*\(\s*\"?([\w.+:-]{1,100})",
    re.IGNORECASE | re.MULTILINE,
)
_CMAKE_TARGET = re.compile(
    r"^[ \t]*add_(executable|library)\s*\(\s*([\w.+${}-]{1,100})", re.I | re.M
)
_MESON_PROJECT = re.compile(r"^project\s*\(\s*'([^'\n]{1,100})'", re.M)
_MESON_NEED = re.compile(r"\bdependency\s*\(\s*'([^'\n]{1,100})'")
_AUTOCONF_PROJECT = re.compile(r"^[ \t]*AC_INIT\s*\(\s*\[?([^\],)\n]{1,100})", re.M)
_AUTOCONF_NEED = re.compile(
    r"PKG_CHECK_MODULES\s*+\(\s*+\[?\w++\]?\s*+,\s*+(?:\[\s*+)?([\w.+-]{1,100})"
)
_MIX_NEED = re.compile(r"\{:(\w{1,100}),\s*(?:\"([^\"\n]{1,100})\")?([^}\n]{0,300})\}")
_MIX_DEVELOPMENT = re.compile(r"only:(?:(?!only:)[^,])*:(?:dev|test)")
_MIX_SAID = re.compile(r"\b(app|version|description|apps_path)(?::\s*)[:\"]([^\",\n]{1,300})")
_SBT_NEED = re.compile(
    r"\"([\w.-]{1,200})\"\s*(%{1,3})\s*\"([\w.-]{1,200})\"\s*%\s*(?:\"([^\"\n]{1,100})\"|\w+)(\s*%\s*\"?[Tt]est)?"
)
_SBT_SAID = re.compile(r"\b(name|version|description)\s*:=\s*\"([^\"\n]{1,300})\"")
_SBT_PROJECT = re.compile(
    r"\blazy\s+val\s+(\w{1,100})\s*(?::[^=\n]{1,60})?=[^\n]{0,200}?(?:project\s*+(?:\.\s*+)?(?:in\s*+)?(?:\(\s*+)?(?:file\(\s*+)?\"([^\"\n]{1,200})\"|\bproject\b)"
)
_TERRAFORM_NEED = re.compile(
    r"\bsource\s*=\s*\"([^\"\n]{1,300})\"(?:\s*version\s*=\s*\"([^\"\n]{1,100})\")?"
)


def read_composer(path: str, reading: Reading) -> Manifest:
    """The manifest of a `composer.json`; with a fault where it is no JSON object."""
    data = reading.contents.json(path)
    if not isinstance(data, dict):
        return Manifest(path, folder_of(path), "php", fault="this is no JSON object")
    lines = Lines(reading.contents.text(path))
    dependencies: list[Dependency] = []
    tables: tuple[tuple[str, DependencyScope], ...] = (
        ("require", "runtime"),
        ("require-dev", "development"),
    )
    for table, scope in tables:
        lines.seek(rf'^\s*"{table}"\s*:')
        dependencies += of_table(path, lines, data.get(table), scope)
    return Manifest(
        path,
        folder_of(path),
        "php",
        text(data.get("name")),
        text(data.get("version")),
        text(data.get("description")),
        dependencies=limited(dependencies),
        data=data,
    )


def read_swift(path: str, reading: Reading) -> Manifest:
    """`data` has `targets`: kinds by name."""
    source = code_of(path, reading.contents.text(path))
    name = _SWIFT_NAME.search(source)
    lines = Lines(source)
    return Manifest(
        path,
        folder_of(path),
        "swift",
        name[1] if name else None,
        dependencies=limited(
            Dependency(
                match[1].rstrip("/").rpartition("/")[2].removesuffix(".git"),
                text(match[2]),
                "runtime",
                Place(path, lines.at(match.start())),
            )
            for match in _SWIFT_PACKAGE.finditer(source)
        ),
        data={"targets": {match[2]: match[1] for match in _SWIFT_TARGET.finditer(source)}},
    )


def read_cmake(path: str, reading: Reading) -> Manifest:
    """`data` has `project` where it declares one, `executables` and `libraries`."""
    source = code_of("x.rb", reading.contents.text(path))
    built: dict[str, list[str]] = {"executable": [], "library": []}
    for each in _CMAKE_TARGET.finditer(source):
        built[each[1].lower()].append(each[2])
    data: dict[str, object] = {
        "executables": built["executable"],
        "libraries": built["library"],
    }
    match = _CMAKE_PROJECT.search(source)
    if match is not None:
        data["project"] = match[1]
    return _words(path, "cpp", match[1] if match else None, source, _CMAKE_NEED, data)


def read_meson(path: str, reading: Reading) -> Manifest:
    """`data` has `project` where it declares one."""
    source = code_of("x.rb", reading.contents.text(path))
    match = _MESON_PROJECT.search(source)
    data = {"project": match[1]} if match else {}
    return _words(path, "cpp", match[1] if match else None, source, _MESON_NEED, data)


def read_autoconf(path: str, reading: Reading) -> Manifest:
    """`data` has `project` where it declares one."""
    source = reading.contents.text(path)
    match = _AUTOCONF_PROJECT.search(source)
    data = {"project": match[1]} if match else {}
    return _words(path, "cpp", match[1] if match else None, source, _AUTOCONF_NEED, data)


def _words(
    path: str,
    ecosystem: Ecosystem,
    name: str | None,
    source: str,
    needs: re.Pattern[str],
    data: dict[str, object],
) -> Manifest:
    lines = Lines(source)
    found = (
        Dependency(match[1], None, "runtime", Place(path, lines.at(match.start())))
        for match in needs.finditer(source)
    )
    return Manifest(
        path, folder_of(path), ecosystem, text(name), dependencies=limited(found), data=data
    )


def read_mix(path: str, reading: Reading) -> Manifest:
    """`data` has `apps_path` of an umbrella."""
    source = code_of(path, reading.contents.text(path))
    said = {match[1]: match[2] for match in _MIX_SAID.finditer(source)}
    lines = Lines(source)
    return Manifest(
        path,
        folder_of(path),
        "elixir",
        said.get("app"),
        said.get("version"),
        text(said.get("description")),
        dependencies=limited(
            Dependency(
                match[1],
                match[2],
                "development" if _MIX_DEVELOPMENT.search(match[3]) else "runtime",
                Place(path, lines.at(match.start())),
            )
            for match in _MIX_NEED.finditer(source)
        ),
        data={"apps_path": said["apps_path"]} if "apps_path" in said else {},
    )


def read_sbt(path: str, reading: Reading) -> Manifest:
    """`data` has `projects`: folders by the names of its projects."""
    source = code_of("x.scala", reading.contents.text(path))
    said = {match[1]: match[2] for match in _SBT_SAID.finditer(source)}
    lines = Lines(source)
    return Manifest(
        path,
        folder_of(path),
        "scala",
        said.get("name"),
        said.get("version"),
        text(said.get("description")),
        dependencies=limited(
            Dependency(
                f"{found[1]}:{found[3]}",
                found[4],
                "development" if found[5] else "runtime",
                Place(path, lines.at(found.start())),
            )
            for found in _SBT_NEED.finditer(source)
        ),
        data={
            "projects": {match[1]: match[2] or match[1] for match in _SBT_PROJECT.finditer(source)}
        },
    )


def read_pubspec(path: str, reading: Reading) -> Manifest:
    """The manifest of a Dart package; with a fault where it is no mapping."""
    return _of_yaml(
        path,
        reading,
        "dart",
        (
            ("dependencies", "runtime"),
            ("dev_dependencies", "development"),
        ),
    )


def read_chart(path: str, reading: Reading) -> Manifest:
    """The manifest of a Helm chart, without dependencies; its ecosystem is `other`."""
    return _of_yaml(path, reading, "other", ())


def _of_yaml(
    path: str,
    reading: Reading,
    ecosystem: Ecosystem,
    tables: tuple[tuple[str, DependencyScope], ...],
) -> Manifest:
    root = reading.contents.yaml(path)
    said = {name: yaml_nodes.text(node) for name, node in members(root).items()}
    data = {name: value for name, value in said.items() if value is not None}
    if "workspace" in members(root):
        data["workspace"] = yaml_nodes.texts(members(root)["workspace"])  # type: ignore[assignment]
    return Manifest(
        path,
        folder_of(path),
        ecosystem,
        text(said.get("name")),
        text(said.get("version")),
        text(said.get("description")),
        is_private=said.get("publish_to") == "none",
        dependencies=limited(_yaml_dependencies(path, root, tables)),
        data=data,
        fault=None if data else "this is no mapping",
    )


def _yaml_dependencies(
    path: str, root: yaml_nodes.Node | None, tables: tuple[tuple[str, DependencyScope], ...]
) -> Iterator[Dependency]:
    for table, scope in tables:
        asked = yaml_nodes.get(root, table)
        places = asked.keys if isinstance(asked, yaml_nodes.Mapping) else {}
        for name, node in members(asked).items():
            version = yaml_nodes.text(node) or yaml_nodes.text(yaml_nodes.get(node, "version"))
            yield Dependency(name, text(version), scope, Place(path, places.get(name, (0, 0))[0]))


def read_terraform(path: str, reading: Reading) -> Manifest:
    """The manifest of a Terraform file: each `source` that it names, with its version."""
    source = code_of("x.rb", reading.contents.text(path))
    lines = Lines(source)
    return Manifest(
        path,
        folder_of(path),
        "terraform",
        dependencies=limited(
            Dependency(match[1], match[2], "runtime", Place(path, lines.at(match.start())))
            for match in _TERRAFORM_NEED.finditer(source)
        ),
    )
