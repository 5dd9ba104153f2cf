"""Declarations that several packages belong together. Members that are no folders of manifests are
left out, and so are circles: every declaration is read once."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from stationmaster.reading.projects import globs
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests import dotnet
from stationmaster.reading.projects.manifests.common import (
    Reading,
    mapping,
    sequence,
    strings,
    within,
)
from stationmaster.reading.projects.model import Manifest, Place, Workspace
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.repos import yaml_nodes

_PATTERNS_MAX = 200
_INCLUDE = re.compile(
    r"\binclude\w*+\s*+(?:\(\s*+)?((?:[\"'][^\"'\n]{1,300}[\"']\s*+(?:,\s*+)?){1,2000})"
)
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")
_MOVED = re.compile(
    r"project\s*\(\s*[\"']([^\"'\n]{1,300})[\"']\s*\)\s*\.\s*projectDir\s*=\s*"
    r"(?:new\s+File|file|File)\s*\(\s*(?:\w{1,40}\s*,\s*)?[\"']([^\"'\n]{1,300})[\"']"
)
_USE = re.compile(r"^\s*(?:use\s+)?(\.{0,2}[\w./-]*[\w/.])\s*(?://.*)?$")
_FILES = frozenset(
    {
        "pnpm-workspace.yaml",
        "lerna.json",
        "rush.json",
        "nx.json",
        "workspace.yml",
        "workspace.yaml",
        "go.work",
        "settings.gradle",
        "settings.gradle.kts",
        "melos.yaml",
    }
)
_ENDINGS = (".sln", ".slnx")


def read(
    paths: Iterable[str], manifests: Sequence[Manifest], reading: Reading
) -> tuple[Workspace, ...]:
    """The declarations among these files, by path."""
    folders = {
        ecosystem: sorted({each.folder for each in manifests if each.ecosystem == ecosystem})
        for ecosystem in {each.ecosystem for each in manifests}
    }
    found: list[Workspace] = []
    for manifest in manifests:
        found += _of_manifest(manifest, folders.get(manifest.ecosystem, []))
    everywhere = sorted({each.folder for each in manifests})
    for path in paths:
        name = path.rpartition("/")[2]
        if name in _FILES or name.endswith(_ENDINGS):
            found += _of_file(path, name, folders.get("npm", []), everywhere, reading)
    found = [each for each in found if each.members]
    return tuple(sorted(found, key=lambda each: (each.place.path, each.tool)))


def _of_manifest(manifest: Manifest, folders: list[str]) -> Iterator[Workspace]:
    data = manifest.data
    name = manifest.path.rpartition("/")[2]
    if name == "package.json":
        said = data.get("workspaces")
        patterns = strings(said) or strings(mapping(said).get("packages"))
        yield _declared("npm", manifest.path, patterns, [], folders)
    elif name.startswith("deno.json"):
        yield _declared("deno", manifest.path, strings(data.get("workspace")), [], folders)
    elif name == "pyproject.toml":
        said = mapping(mapping(mapping(data.get("tool")).get("uv")).get("workspace"))
        yield _declared(
            "uv", manifest.path, strings(said.get("members")), strings(said.get("exclude")), folders
        )
    elif name == "Cargo.toml":
        said = mapping(data.get("workspace"))
        root = [manifest.folder] if said and manifest.name else []
        inside = _declared(
            "cargo",
            manifest.path,
            strings(said.get("members")),
            strings(said.get("exclude")),
            folders,
        )
        yield Workspace("cargo", inside.place, tuple(sorted({*root, *inside.members})))
    elif name == "pom.xml":
        known = set(folders)
        members = [each for each in data.get("modules", ()) if each in known]
        yield Workspace("maven", Place(manifest.path), tuple(sorted(members)))
    elif name == "mix.exs" and "apps_path" in data:
        yield _declared("mix", manifest.path, [f"{data['apps_path']}/*"], [], folders)
    elif name == "build.sbt":
        members = sorted({_joined(manifest.folder, each) for each in data["projects"].values()})
        yield Workspace("sbt", Place(manifest.path), tuple(members))
    elif name == "pubspec.yaml":
        yield _declared("pub", manifest.path, strings(data.get("workspace")), [], folders)


def _of_file(
    path: str, name: str, npm: list[str], everywhere: list[str], reading: Reading
) -> Iterator[Workspace]:
    if name == "pnpm-workspace.yaml" or name == "melos.yaml":
        said = yaml_nodes.texts(yaml_nodes.get(reading.contents.yaml(path), "packages"))
        folders = npm if name.startswith("pnpm") else everywhere
        yield _declared(name.partition("-")[0].partition(".")[0], path, said, [], folders)
    elif name == "lerna.json":
        said = strings(mapping(reading.contents.json(path)).get("packages"))
        yield _declared("lerna", path, said, [], npm)
    elif name == "rush.json":
        projects = sequence(mapping(reading.contents.json(path)).get("projects"))
        said = strings([mapping(project).get("projectFolder") for project in projects])
        yield _declared("rush", path, said, [], npm)
    elif name == "nx.json":
        base = folder_of(path)
        inside = [
            each
            for each in everywhere
            if is_below(each, base) and within(each, "project.json") in reading.files
        ]
        yield Workspace("nx", Place(path), tuple(inside))
    elif name.startswith("workspace.y") and path.endswith(f".moon/{name}"):
        yield _moon(path, everywhere, reading)
    elif name == "go.work":
        yield _go(path, everywhere, reading)
    elif name.startswith("settings.gradle"):
        yield _gradle(path, reading)
    elif name.endswith(_ENDINGS):
        known = set(everywhere)
        said = sorted({folder_of(each) for each in dotnet.solution(path, reading)})
        yield Workspace("solution", Place(path), tuple(each for each in said if each in known))


def _declared(
    tool: str, path: str, patterns: Sequence[str], excluded: Sequence[str], folders: Sequence[str]
) -> Workspace:
    base = folder_of(path)
    said = [pattern.strip() for pattern in patterns[:_PATTERNS_MAX]]
    wanted = globs.any_of([_joined(base, each) for each in said if each[:1] not in ("!", "")])
    unwanted = globs.any_of(
        [_joined(base, each[1:]) for each in said if each.startswith("!")]
        + [_joined(base, each) for each in excluded[:_PATTERNS_MAX]]
    )
    members = [
        folder
        for folder in folders
        if folder != base and wanted.fullmatch(folder) and not unwanted.fullmatch(folder)
    ]
    return Workspace(tool, Place(path), tuple(members))


def _moon(path: str, folders: Sequence[str], reading: Reading) -> Workspace:
    base = folder_of(folder_of(path))
    said = yaml_nodes.get(reading.contents.yaml(path), "projects")
    patterns = (
        yaml_nodes.texts(said)
        if isinstance(said, yaml_nodes.Sequence)
        else [
            each
            for name, node in yaml_nodes.members(said).items()
            for each in ([] if name == "sources" else yaml_nodes.texts(node))
        ]
        + [
            text
            for node in yaml_nodes.members(yaml_nodes.get(said, "sources")).values()
            for text in yaml_nodes.texts(node)
        ]
    )
    found = _declared("moon", within(base, "x"), patterns, [], folders)
    return Workspace("moon", Place(path), found.members)


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
    known = set(folders)
    return Workspace(
        "go", Place(path), tuple(sorted(member for member in members if member in known))
    )


def _gradle(path: str, reading: Reading) -> Workspace:
    """Members need no manifest of their own here."""
    base = folder_of(path)
    source = code_of(path, reading.contents.text(path))
    moved = {match[1]: match[2] for match in _MOVED.finditer(source)}
    names = [
        name
        for match in _INCLUDE.finditer(source)
        if not match[0].startswith(("includeBuild", "includeFlat"))
        for name in _QUOTED.findall(match[1])
    ]
    folders = {
        _joined(base, moved.get(name) or name.strip(":").replace(":", "/")) for name in names
    }
    return Workspace("gradle", Place(path), tuple(sorted(folders)))


def _joined(base: str, said: str) -> str:
    joined = posixpath.normpath(posixpath.join("" if base == "." else base, said.lstrip("/")))
    return joined.removeprefix("./")
