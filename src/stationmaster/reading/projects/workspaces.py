"""Declarations that several packages belong together. Members that are no folders of manifests are
left out, and so are circles: every declaration is read once."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects import globs
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests import dotnet
from stationmaster.reading.projects.manifests.common import (
    Reading,
    inside,
    mapping,
    sequence,
    strings,
    within,
)
from stationmaster.reading.projects.model import Manifest, Place, Workspace
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.repos import yaml_nodes

_LIKE = expressions("workspaces")

_PATTERNS_MAX = 200
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")
_USE = re.compile(r"^\s*(?:use\s+)?(\.{0,2}[\w./-]*[\w/.])\s*(?://.*)?$")
_KEYS: Mapping[str, tuple[str, tuple[tuple[str, ...], ...], tuple[str, ...]]] = {
    "package.json": ("npm", (("workspaces",), ("workspaces", "packages")), ("",)),
    "deno.json": ("deno", (("workspace",),), ("",)),
    "deno.jsonc": ("deno", (("workspace",),), ("",)),
    "pyproject.toml": (
        "uv",
        (("tool", "uv", "workspace", "members"),),
        ("tool", "uv", "workspace", "exclude"),
    ),
    "Cargo.toml": ("cargo", (("workspace", "members"),), ("workspace", "exclude")),
    "pubspec.yaml": ("pub", (("workspace",),), ("",)),
}
"""The tool that reads a manifest, where its members are declared, and where what is none."""
_ENDINGS = (".sln", ".slnx")
_BEGINS = ("pnpm-", "lerna.", "rush.", "nx.", "workspace.y", "go.work", "settings.gradle", "melos.")
"""Prefixes of the names of files that declare workspaces; each reader checks the full name."""


def read(
    paths: Iterable[str], manifests: Sequence[Manifest], reading: Reading
) -> tuple[Workspace, ...]:
    """The declarations among these files, by path."""
    folders = {
        ecosystem: sorted(
            {manifest.folder for manifest in manifests if manifest.ecosystem == ecosystem}
        )
        for ecosystem in {manifest.ecosystem for manifest in manifests}
    }
    workspaces: list[Workspace] = []
    for manifest in manifests:
        workspaces += _of_manifest(manifest, folders.get(manifest.ecosystem, []))
    everywhere = sorted({manifest.folder for manifest in manifests})
    for path in paths:
        name = path.rpartition("/")[2]
        if name.startswith(_BEGINS) or name.endswith(_ENDINGS):
            workspaces += _of_file(path, name, folders.get("npm", []), everywhere, reading)
    workspaces = [workspace for workspace in workspaces if workspace.members]
    return tuple(sorted(workspaces, key=lambda workspace: (workspace.place.path, workspace.tool)))


def _of_manifest(manifest: Manifest, folders: list[str]) -> Iterator[Workspace]:
    path, data = manifest.path, manifest.data
    name = path.rpartition("/")[2]
    if name in _KEYS:
        tool, chains, excluded = _KEYS[name]
        patterns = next(filter(None, (strings(inside(data, *keys)) for keys in chains)), [])
        declared = _declared(tool, path, patterns, strings(inside(data, *excluded)), folders)
        if tool == "cargo" and data.get("workspace") and manifest.name:
            declared = replace(
                declared, members=tuple(sorted({manifest.folder, *declared.members}))
            )
        yield declared
    elif name == "pom.xml":
        present = set(folders)
        members = [module for module in data.get("modules", ()) if module in present]
        yield Workspace("maven", Place(path), tuple(sorted(members)))
    elif name == "mix.exs" and "apps_path" in data:
        yield _declared("mix", path, [f"{data['apps_path']}/*"], [], folders)
    elif name == "build.sbt":
        members = sorted({_joined(manifest.folder, folder) for folder in data["projects"].values()})
        yield Workspace("sbt", Place(path), tuple(members))


def _of_file(
    path: str, name: str, npm: list[str], everywhere: list[str], reading: Reading
) -> Iterator[Workspace]:
    if name == "pnpm-workspace.yaml" or name == "melos.yaml":
        patterns = yaml_nodes.texts(yaml_nodes.get(reading.contents.yaml(path), "packages"))
        folders = npm if name.startswith("pnpm") else everywhere
        yield _declared(name.partition("-")[0].partition(".")[0], path, patterns, [], folders)
    elif name == "lerna.json":
        patterns = strings(mapping(reading.contents.json(path)).get("packages"))
        yield _declared("lerna", path, patterns, [], npm)
    elif name == "rush.json":
        projects = sequence(mapping(reading.contents.json(path)).get("projects"))
        patterns = strings([mapping(project).get("projectFolder") for project in projects])
        yield _declared("rush", path, patterns, [], npm)
    elif name == "nx.json":
        base = folder_of(path)
        inside = [
            folder
            for folder in everywhere
            if is_below(folder, base) and within(folder, "project.json") in reading.files
        ]
        yield Workspace("nx", Place(path), tuple(inside))
    elif path.endswith((".moon/workspace.yml", ".moon/workspace.yaml")):
        yield _moon(path, everywhere, reading)
    elif name == "go.work":
        yield _go(path, everywhere, reading)
    elif name in ("settings.gradle", "settings.gradle.kts"):
        yield _gradle(path, reading)
    elif name.endswith(_ENDINGS):
        present = set(everywhere)
        patterns = sorted({folder_of(project) for project in dotnet.solution(path, reading)})
        yield Workspace(
            "solution", Place(path), tuple(folder for folder in patterns if folder in present)
        )


def _declared(
    tool: str, path: str, patterns: Sequence[str], excluded: Sequence[str], folders: Sequence[str]
) -> Workspace:
    base = folder_of(path)
    stripped = [pattern.strip() for pattern in patterns[:_PATTERNS_MAX]]
    wanted = globs.any_of(
        [_joined(base, pattern) for pattern in stripped if pattern[:1] not in ("!", "")]
    )
    unwanted = globs.any_of(
        [_joined(base, pattern[1:]) for pattern in stripped if pattern.startswith("!")]
        + [_joined(base, pattern) for pattern in excluded[:_PATTERNS_MAX]]
    )
    members = [
        folder
        for folder in folders
        if folder != base and wanted.fullmatch(folder) and not unwanted.fullmatch(folder)
    ]
    return Workspace(tool, Place(path), tuple(members))


def _moon(path: str, folders: Sequence[str], reading: Reading) -> Workspace:
    base = folder_of(folder_of(path))
    projects = yaml_nodes.get(reading.contents.yaml(path), "projects")
    patterns = (
        yaml_nodes.texts(projects)
        if isinstance(projects, yaml_nodes.Sequence)
        else [
            pattern
            for name, node in yaml_nodes.members(projects).items()
            for pattern in ([] if name == "sources" else yaml_nodes.texts(node))
        ]
        + [
            text
            for node in yaml_nodes.members(yaml_nodes.get(projects, "sources")).values()
            for text in yaml_nodes.texts(node)
        ]
    )
    declared = _declared("moon", within(base, "x"), patterns, [], folders)
    return Workspace("moon", Place(path), declared.members)


def _go(path: str, folders: Collection[str], reading: Reading) -> Workspace:
    members, block = [], False
    for line in reading.contents.text(path).split("\n"):
        words = line.partition("//")[0].strip()
        if words.startswith("use") and words.endswith("("):
            block = True
        elif words == ")":
            block = False
        elif (block or words.startswith("use ")) and (match := _USE.match(words)):
            members.append(_joined(folder_of(path), match[1]))
    present = set(folders)
    return Workspace(
        "go", Place(path), tuple(sorted(member for member in members if member in present))
    )


def _gradle(path: str, reading: Reading) -> Workspace:
    """Members need no manifest of their own here."""
    base = folder_of(path)
    source = code_of(path, reading.contents.text(path))
    moved = {match[1]: match[2] for match in _LIKE["moved"].finditer(source)}
    names = [
        name
        for match in _LIKE["include"].finditer(source)
        if not match[0].startswith(("includeBuild", "includeFlat"))
        for name in _QUOTED.findall(match[1])
    ]
    folders = {
        _joined(base, moved.get(name) or name.strip(":").replace(":", "/")) for name in names
    }
    return Workspace("gradle", Place(path), tuple(sorted(folders)))


def _joined(base: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join("" if base == "." else base, path.lstrip("/")))
    return joined.removeprefix("./")
