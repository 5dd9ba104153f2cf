"""The place of a tool's configuration that applies to an application: next to it or above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.catalogue.table import matching
from stationmaster.catalogue.tools import files
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos import yaml_nodes

_FOLDERS = ("", ".config/", "config/", "etc/", "tools/", "build/", ".github/linters/")
"""Apart from the folder itself, where configurations are kept for it."""


@once
def own_folders(_: Facts, app: App) -> tuple[str, ...]:
    """Where an application's configuration may be: its folder and those of its manifests."""
    return tuple(dict.fromkeys([app.path, *(manifest.folder for manifest in app.manifests)]))


@once
def configuration(facts: Facts, folder: str, pattern: str) -> str | None:
    """A configuration file of this name in a folder or the nearest one above it."""
    return _beside(facts, folder, pattern) or (
        None if folder == "." else configuration(facts, folder_of(folder), pattern)
    )


def of_tool(facts: Facts, folder: str, tool: str) -> str | None:
    """The configuration of a tool of the catalogue in a folder or the nearest one above it."""
    paths = (configuration(facts, folder, name) for name in files(tool))
    return next((path for path in paths if path is not None), None)


def _beside(facts: Facts, folder: str, pattern: str) -> str | None:
    inside, _, name = pattern.rpartition("/")
    prefix = "" if folder == "." else f"{folder}/"
    for place in _FOLDERS:
        if "*" not in pattern:
            path = f"{prefix}{place}{pattern}"
            if path in facts.files:
                return path
            continue
        below = f"{prefix}{place}{inside}".rstrip("/") or "."
        names = facts.names_in(below)
        matched = matching(names, (name,))
        if match := next((n for n in names if n in matched), None):
            return match if below == "." else f"{below}/{match}"
    return None


def named(facts: Facts, app: App, *names: str) -> Iterator[str]:
    """The configurations of some names that hold for an application, by own folder."""
    present = _present(facts, names)
    for folder in own_folders(facts, app) if present else ():
        paths = (configuration(facts, folder, name) for name in present)
        yield from (path for path in paths if path is not None)


@once
def _present(facts: Facts, names: Sequence[str]) -> Sequence[str]:
    """Those of some names of configurations that any file of the commit has: mostly none."""
    return [name for name in names if matching(facts.names, (name.rpartition("/")[2],))]


def lines_of(
    facts: Facts, app: App, names: Sequence[str], pattern: str | re.Pattern[str]
) -> Iterator[Place]:
    """The first line with a pattern in each configuration of these names, by own folder."""
    for path in named(facts, app, *names):
        if (place := line_of(facts, path, pattern)) is not None:
            yield place


def key_above(facts: Facts, app: App, key: str) -> Place | None:
    """The nearest file that has a key such as `setup.cfg:flake8` or `package.json:a.b`."""
    name, _, path = key.partition(":")
    for folder in own_folders(facts, app):
        for above in parents(folder):
            file = name if above == "." else f"{above}/{name}"
            if file in facts.files and (place := _key(facts, file, path)) is not None:
                return place
    return None


def value(facts: Facts, file: str, path: str) -> object:
    """The value at a dotted path of a TOML or JSON file; None where there is nothing."""
    node: object = facts.tree.toml(file) if file.endswith(".toml") else facts.tree.json(file)
    for step in path.split("."):
        if not isinstance(node, dict) or step not in node:
            return None
        node = node[step]
    return node


def is_set(facts: Facts, file: str, path: str) -> bool:
    """Whether a YAML, TOML or JSON file has a value at a dotted path that is not empty."""
    if file.endswith((".yml", ".yaml")):
        node = yaml_nodes.get(facts.tree.yaml(file), *path.split("."))
        return bool(yaml_nodes.members(node) or yaml_nodes.items(node))
    return bool(value(facts, file, path))


def _key(facts: Facts, file: str, path: str) -> Place | None:
    text = facts.tree.text(file)
    if file.endswith((".toml", ".json")):
        if value(facts, file, path) is None:
            return None
        last = path.rpartition(".")[2]
        sign = re.escape(f"[{path}" if file.endswith(".toml") and f"[{path}" in text else last)
    else:
        sign = r"^\[" + re.escape(path)
        if re.search(sign, text, re.MULTILINE) is None:
            return None
    at = re.search(sign, text, re.MULTILINE)
    return Place(file, None if at is None else text.count("\n", 0, at.start()) + 1)


@once
def line_of(facts: Facts, path: str, pattern: str | re.Pattern[str]) -> Place | None:
    """The first line of a file in which a pattern is, None where it is in none."""
    return first(path, facts.tree.text(path), pattern)


def first(path: str, text: str, pattern: str | re.Pattern[str]) -> Place | None:
    """The first line of a text of a file in which a pattern is, None where it is in none."""
    match = re.search(pattern, text)
    return None if match is None else at(path, text, match.start())


def at(path: str, text: str, index: int) -> Place:
    """The line of a file of an index of its text."""
    return Place(path, text.count("\n", 0, index) + 1)
