"""pyproject.toml, setup.cfg, setup.py (read, never run), requirements files, Pipfile."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    inside,
    mapping,
    scope_of,
    sequence,
    strings,
    text,
)
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of

_PROJECT = re.compile(r"(?:-e|--editable)[ =]+\.(?:\[|\s|$)|\.\[")
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?)\s*(?:\[[^\]]{0,500}\])?\s*"
    r"((?:[<>=!~][^;#]{0,300})|(?:@[^;#]{0,500})|(?:\([^)]{0,300}\)))?"
    r"(?:;(?![^#\n]{0,200}\bextra\b)([^#\n]{1,200}))?"
)
_CODE_MAX = 256 * 1024
_RUNTIME_GROUPS = frozenset({"main", "prod", "production", "runtime"})
"""Groups of dependencies that are called after the program itself."""
_VIA_MAX = 200
"""Lines of hashes and comments that belong to one requirement."""


def name_of(written: str) -> str:
    """A name as the index compares names."""
    return re.sub(r"[-_.]+", "-", written).lower()


def read_pyproject(path: str, reading: Reading) -> Manifest:
    """The manifest of a `pyproject.toml`, `project` before Poetry; with a fault for bad TOML."""
    source = reading.contents.text(path)
    try:
        data = tomllib.loads(source)
    except (ValueError, RecursionError) as wrong:
        return common.unread(path, "python", str(wrong))
    about = {**mapping(inside(data, "tool", "poetry")), **mapping(data.get("project"))}
    is_private = any("Private" in string for string in strings(about.get("classifiers")))
    dependencies = _of_pyproject(path, data, Lines(source))
    return common.manifest(path, "python", about, dependencies, data, is_private=is_private)


def _of_pyproject(path: str, data: Mapping[str, Any], lines: Lines) -> Iterator[Dependency]:
    project = mapping(data.get("project"))
    yield from _required(path, lines, project.get("dependencies"), "runtime")
    for extra, requirements in mapping(project.get("optional-dependencies")).items():
        yield from _required(path, lines, requirements, scope_of(extra), extra)
    lines.seek("^")
    for group, requirements in mapping(data.get("dependency-groups")).items():
        scope: DependencyScope = "runtime" if group in _RUNTIME_GROUPS else "development"
        yield from _required(path, lines, requirements, scope)
    lines.seek("^")
    tool = mapping(data.get("tool"))
    yield from _required(path, lines, inside(tool, "uv", "dev-dependencies"), "development")
    for requirements in mapping(inside(tool, "pdm", "dev-dependencies")).values():
        yield from _required(path, lines, requirements, "development")
    for env in mapping(inside(tool, "hatch", "envs")).values():
        for key in ("dependencies", "extra-dependencies"):
            yield from _required(path, lines, mapping(env).get(key), "development")
    yield from _of_poetry(path, mapping(tool.get("poetry")), lines)
    lines.seek(r"^\[build-system\]")
    yield from _required(path, lines, inside(data, "build-system", "requires"), "development")


def _of_poetry(path: str, poetry: Mapping[str, Any], lines: Lines) -> Iterator[Dependency]:
    tables: list[tuple[object, DependencyScope]] = [
        (poetry.get("dependencies"), "runtime"),
        (poetry.get("dev-dependencies"), "development"),
    ]
    groups = mapping(poetry.get("group")).values()
    tables += [(mapping(group).get("dependencies"), "development") for group in groups]
    for table, scope in tables:
        lines.seek(r"^\[tool\.poetry")
        others = {name: value for name, value in mapping(table).items() if name != "python"}
        yield from _of_table(path, lines, others, scope)


def read_setup_cfg(path: str, reading: Reading) -> Manifest:
    """The manifest of a `setup.cfg`; the sections of its tools are in `data`, too."""
    source = reading.contents.text(path)
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(source)
    except configparser.Error as wrong:
        return common.unread(path, "python", str(wrong))
    data = {name: dict(parser.items(name)) for name in parser.sections()}
    metadata, options = data.get("metadata", {}), data.get("options", {})
    lines = Lines(source)
    dependencies = list(
        _required(path, lines, options.get("install_requires", "").split("\n"), "runtime")
    )
    for extra, names in data.get("options.extras_require", {}).items():
        dependencies += _required(path, lines, names.split("\n"), scope_of(extra), extra)
    return common.manifest(path, "python", metadata, dependencies, data)


def read_setup_py(path: str, reading: Reading) -> Manifest | None:
    """The manifest of a `setup.py`, by the literal arguments of its call of `setup`; None for a
    module of the program that is called so."""
    source = reading.contents.text(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source[:_CODE_MAX])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return common.unread(path, "python", "this is no Python")
    if not any(isinstance(it, ast.Call) and _is_setup(it.func) for it in ast.walk(tree)):
        return None
    data = _setup_arguments(tree)
    lines = Lines(source)
    dependencies = list(_required(path, lines, data.get("install_requires"), "runtime"))
    dependencies += _required(path, lines, data.get("tests_require"), "development")
    for extra, names in mapping(data.get("extras_require")).items():
        name, _, marker = str(extra).partition(":")
        scope = scope_of(name) if name else "runtime"
        dependencies += _required(path, lines, names, scope, name, marker)
    return common.manifest(path, "python", data, dependencies, data)


def _setup_arguments(tree: ast.Module) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = _literal(value, values)
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=called, keywords=keywords)) if _is_setup(called):
                arguments = {k.arg: _literal(k.value, values) for k in keywords if k.arg}
                return {name: value for name, value in arguments.items() if value is not None}
    return {}


def _is_setup(called: ast.expr) -> bool:
    match called:
        case ast.Name(id="setup") | ast.Attribute(ast.Name(id="setuptools" | "core"), "setup"):
            return True
    return False


def _literal(value: ast.expr, values: Mapping[str, Any]) -> Any:
    if isinstance(value, ast.Name):
        return values.get(value.id)
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def read_requirements(path: str, reading: Reading) -> Manifest:
    """The manifest of a file of requirements. One in a folder `requirements` belongs to the folder
    around it. A package that pip-compile or uv added for another one (`# via flask`) is indirect.
    Packages next to the project itself (`-e .`) are for development: the project's own manifest
    has the others."""
    name = path.rpartition("/")[2]
    lines = reading.contents.text(path).split("\n")
    is_beside = any(map(_PROJECT.match, lines)) and not any("# via" in line for line in lines)
    is_apart = is_beside or scope_of(name) == "development"
    scope: DependencyScope = "development" if is_apart else "runtime"
    requirements = {
        number: match
        for number, line in enumerate(lines, start=1)
        if (match := _REQUIREMENT.match(line)) and "://" not in line.partition("@")[0]
    }
    names = {name_of(match[1]) for match in requirements.values()}
    dependencies = [
        Dependency(
            name_of(match[1]),
            (match[2] or "").rstrip(" \\").partition(" --")[0].strip() or None,
            "indirect" if _is_indirect(lines, number - 1, names) else scope,
            Place(path, number),
            marker=(match[3] or "").strip(),
        )
        for number, match in requirements.items()
    ]
    manifest = common.manifest(path, "python", {}, dependencies)
    is_apart = manifest.folder.rpartition("/")[2] == "requirements"
    return replace(manifest, folder=folder_of(manifest.folder)) if is_apart else manifest


def _is_indirect(lines: Sequence[str], start: int, names: Collection[str]) -> bool:
    """True where the comment at or below a requirement names only packages of the same file: others
    are required by a file (`-r base.in`) or by the project itself."""
    via: list[str] = []
    for number, line in enumerate(lines[start : start + _VIA_MAX]):
        code, _, comment = line.partition("#")
        if number and code.strip() and not code.strip().startswith("--"):
            break
        if comment.split()[:1] == ["via"]:
            via.append(comment.partition("via")[2])
        elif comment and via:
            via.append(comment)
    asking = [part.strip() for part in ",".join(via).split(",") if part.strip()]
    return bool(asking) and all(
        name_of(requirement.partition("[")[0]) in names for requirement in asking
    )


def read_pipfile(path: str, reading: Reading) -> Manifest:
    """The manifest of a `Pipfile`: its packages and dev-packages."""
    data = reading.contents.toml(path)
    lines = Lines(reading.contents.text(path))
    dependencies = [
        *_of_table(path, lines, data.get("packages"), "runtime"),
        *_of_table(path, lines, data.get("dev-packages"), "development"),
    ]
    return common.manifest(path, "python", {}, dependencies, data)


def _of_table(
    path: str, lines: Lines, table: object, scope: DependencyScope
) -> Iterator[Dependency]:
    for dependency in common.of_table(path, lines, table, scope, "{}"):
        yield replace(dependency, name=name_of(dependency.name), version=text(dependency.version))


def _required(
    path: str,
    lines: Lines,
    requirements: object,
    scope: DependencyScope,
    extra: str = "",
    marker: str = "",
) -> Iterable[Dependency]:
    for requirement in sequence(requirements) if isinstance(requirements, list) else []:
        match = _REQUIREMENT.match(requirement) if isinstance(requirement, str) else None
        if match is not None:
            line = lines.of(requirement.strip())
            place = Place(path, line)
            only = (match[3] or marker).strip()
            yield Dependency(
                name_of(match[1]), text(match[2]), scope, place, text(extra) or "", only
            )
