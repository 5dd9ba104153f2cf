"""From the files of a commit to its project."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.projects import (
    census,
    copies,
    introductions,
    manifests,
    policy,
    settings,
    test_files,
    workspaces,
)
from stationmaster.reading.projects.applications import apps, deploys, kinds, units
from stationmaster.reading.projects.command_lines import commands
from stationmaster.reading.projects.manifests.common import Reading, mapping, within
from stationmaster.reading.projects.model import App, Manifest, Project, Settings
from stationmaster.reading.projects.paths import Products, folder_of, is_example, marked
from stationmaster.repos.files import Files

_EXPOSE = re.compile(r"^[ \t]*EXPOSE[ \t]+\S", re.IGNORECASE | re.MULTILINE)
_RUNS = re.compile(r"^[ \t]*(?:CMD|ENTRYPOINT)[ \t]+\S", re.IGNORECASE | re.MULTILINE)
_SHIPPED = frozenset({"dockerfile", "containerfile", "dockerfile.prod", "dockerfile.production"})
_LISTENS = re.compile(r"\bListenAndServe(?:TLS)?\(|\bhttp\.Serve\(|\bgrpc\.NewServer\(")
_PRIVATE = re.compile(r'"private"\s*:\s*true\b')
_BUILDING = ("Makefile", "Dockerfile")
_ENTERS = r"(?m)(?:\bcd\s+|--(?:cwd|prefix)[ =]|\s-C\s+|^COPY\s+)(?:\./)?%s(?![\w-])"
_MAINS_MAX = 20
_READMES = ("README.md", "README.rst", "README.adoc", "README.txt", "README", "readme.md")


def read(files: Files, pipelines: Pipelines) -> Project:
    """The project of a commit: how it is built."""
    reading = Reading(files)
    own = settings.read(files)
    product = products(files, own)
    paths = [path for path in files.paths() if product.has(path)]
    files.contents.fetch(path for path in paths if manifests.reader(path))
    read_manifests = _manifests(paths, reading)
    counted = census.Census(paths)
    evidence = apps.Evidence(
        read_manifests,
        workspaces.read(paths, read_manifests, reading),
        deploys.read(paths, reading),
        counted,
        own,
        _nx(paths, reading),
    )
    outlines = apps.outlines(evidence)
    languages: Counter[str] = Counter()
    for counts in counted.folders.values():
        languages.update(counts)
    commands_read, own_hooks = commands.read(paths, read_manifests, pipelines, reading)
    return Project(
        apps=_apps(outlines, paths, evidence, reading),
        manifests=read_manifests,
        workspaces=evidence.workspaces,
        languages=census.ordered(languages),
        commands=commands_read,
        hooks=own_hooks,
        policy=policy.read(files),
        settings=own,
        products=product,
    )


def products(files: Files, own: Settings) -> Products:
    """The paths of the product, by manifests, marks and settings."""
    paths = tuple(files.paths())
    declaring = [path for path in paths if manifests.reader(path)]
    marks = files.contents.text(".gitattributes")
    built = _built(files, marks)
    return Products(
        {folder_of(path) for path in declaring},
        [*own.exclude, *marked(marks, built)],
        built=built,
        foreign=policy.folders(paths),
        copied=copies.copied(files),
        has_examples=bool(declaring) and not any(_is_beside_examples(path) for path in paths),
    )


def _built(files: Files, marks: str) -> list[str]:
    """The folders marked as vendored that have a private package of their own, which what builds
    the repository itself builds."""
    folders = [it.rstrip("/*") for it in marked(marks) if not it.startswith("**/")]
    private = [
        folder
        for folder in dict.fromkeys(folders)
        if _PRIVATE.search(files.contents.text(f"{folder}/package.json"))
    ]
    building = "\n".join(files.contents.text(name) for name in _BUILDING) if private else ""
    return [it for it in private if re.search(_ENTERS % re.escape(it), building)]


def _is_beside_examples(path: str) -> bool:
    """Is a file code or a manifest, in no folder of examples?"""
    is_code = census.is_source(path) or manifests.reader(path) is not None
    return is_code and not is_example(path)


def _manifests(paths: Sequence[str], reading: Reading) -> tuple[Manifest, ...]:
    read_manifests: list[Manifest] = []
    for path in paths:
        read_one = manifests.reader(path)
        if read_one is not None and len(read_manifests) < manifests.MANIFESTS_MAX:
            manifest = read_one(path, reading)
            if manifest is not None:
                read_manifests.append(manifest)
    tests = units.of_tests(read_manifests)
    marked_ones = (replace(it, is_for_tests=it.folder in tests) for it in read_manifests)
    return tuple(map(_in_scope, marked_ones))


def _in_scope(manifest: Manifest) -> Manifest:
    """A manifest; the dependencies of a tool or of tests are for development."""
    is_of_tests = manifest.is_for_tests or units.only_tests(manifest.folder, None)
    if not (is_of_tests or units.is_tooling(manifest.folder)):
        return manifest
    dependencies = tuple(
        dependency if dependency.scope == "indirect" else replace(dependency, scope="development")
        for dependency in manifest.dependencies
    )
    return replace(manifest, dependencies=dependencies)


def _nx(paths: Sequence[str], reading: Reading) -> Mapping[str, str]:
    if "nx.json" not in reading.files:
        return {}
    return {
        folder_of(path): str(mapping(reading.contents.json(path)).get("projectType"))
        for path in paths
        if path.rpartition("/")[2] == "project.json"
    }


def _apps(
    outlines: Sequence[apps.Outline],
    paths: Sequence[str],
    evidence: apps.Evidence,
    reading: Reading,
) -> tuple[App, ...]:
    owner = apps.owners(outline.path for outline in outlines)
    inside: dict[str, list[str]] = {outline.path: [] for outline in outlines}
    tests = tuple(f"{it.folder}/" for it in evidence.manifests if it.is_for_tests)
    for path in paths:
        app = owner(folder_of(path))
        if app is not None and not path.startswith(tests):
            inside[app].append(path if app == "." else path[len(app) + 1 :])
    made = []
    for outline in outlines:
        names = inside[outline.path]
        chosen = evidence.settings.kinds.get(outline.path)
        made.append(
            App(
                outline.path,
                apps.name_of(outline),
                _description(outline, reading),
                chosen or kinds.of(outline, _inside(outline, names, reading)),
                outline.manifests,
                outline.languages,
                outline.parts,
                outline.uses,
            )
        )
    return tuple(made)


def _inside(outline: apps.Outline, names: Sequence[str], reading: Reading) -> kinds.Inside:
    """The files of an application; a few are read, which may show that it waits for requests."""
    ships = [name for name in names if _is_shipped(name)]
    mains = [
        name
        for name in names
        if name.endswith(".go")
        and not test_files.is_test(name)
        and (name.count("/") == 0 or "main" in name or name.startswith("cmd/"))
    ]
    return kinds.Inside(
        names,
        exposes=_has_any_member(_EXPOSE, outline.path, ships, reading),
        runs=_has_any_member(_RUNS, outline.path, ships, reading),
        listens=_has_any_member(_LISTENS, outline.path, mains, reading),
    )


def _is_shipped(name: str) -> bool:
    """Is it a container file of the application itself, not of a part or for development?"""
    folder = folder_of(name)
    return name.rpartition("/")[2].lower() in _SHIPPED and not (
        units.is_tooling(folder) or units.only_tests(folder, None)
    )


def _has_any_member(
    pattern: re.Pattern[str], folder: str, names: Sequence[str], reading: Reading
) -> bool:
    return any(
        pattern.search(reading.contents.text(within(folder, name))) for name in names[:_MAINS_MAX]
    )


def _description(outline: apps.Outline, reading: Reading) -> str:
    """The description of a manifest, or the introduction of the README next to it."""
    own = (manifest for manifest in outline.manifests if manifest.folder == outline.path)
    described = next((d for manifest in own if (d := manifest.description) and "$" not in d), None)
    if described is not None:
        return described
    for name in _READMES:
        path = within(outline.path, name)
        if path in reading.files:
            return introductions.introduction(reading.contents.text(path))
    return ""
