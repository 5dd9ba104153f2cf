"""Tools that look after code: what shows that an application's code is in their care.

Unlike other evidence, theirs may stand above an application and hold for all below. A new tool is
one row of a table. Strong: something runs it, or it is configured and depended on.
Weak: a configuration that nothing runs, which may be left over. Source: readiness criteria, 4, 11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple, Protocol

from stationmaster.projects.model import App, Place
from stationmaster.projects.paths import parents
from stationmaster.readiness.criterion import Verdict, fails, passes
from stationmaster.readiness.evidence import builds, hooks, shell
from stationmaster.readiness.evidence.families import families, family
from stationmaster.readiness.facts import Facts

_CONFIG_FOLDERS = ("", ".config/", "config/", "etc/", "tools/", "build/", ".github/linters/")
"""Beside the folder itself, where configurations are kept for it."""


class Shown(NamedTuple):
    """That something is used: by what name, and where it says so."""

    name: str
    places: tuple[Place, ...]
    is_weak: bool = False


class Row(Protocol):
    """One way in which evidence may show."""

    def shown(self, facts: Facts, app: App) -> Shown | None: ...


@dataclass(frozen=True, slots=True)
class Check:
    """`of`: the families of languages whose code it reads; any where empty.

    `files`: its configuration, by fnmatch, in the application's folder or one above it. `keys`:
    the same within a file of another use, as `pyproject.toml:tool.ruff`. `packages`: dependencies,
    by fnmatch; `plugins`: such that are used by being there (plugins of Gradle and Maven, analyzers
    of .NET). `runs`: phrases of `shell`. `hooks`: ids of pre-commit hooks. `uses`: actions, without
    their version. `unless`: says that a configuration turns the tool off.
    """

    name: str
    of: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    unless: Callable[[Facts, App, str], bool] | None = None

    def shown(self, facts: Facts, app: App) -> Shown | None:
        if self.of and families(app).isdisjoint(self.of):
            return None
        configured = self._configured(facts, app)
        if configured is not None and self.unless and self.unless(facts, app, configured.path):
            return None
        used = self._used(facts, app)
        places = tuple(place for place in (configured, used) if place is not None)
        if used is not None:
            return Shown(self.name, places)
        if configured is None:
            return None
        packages = facts.packages(app, *self.packages) if self.packages else ()
        return Shown(self.name, places, is_weak=not packages)

    def is_for(self, app: App) -> bool:
        return not self.of or family(app) in self.of

    def _configured(self, facts: Facts, app: App) -> Place | None:
        for folder in own_folders(app):
            for pattern in self.files:
                if (path := configuration(facts, folder, pattern)) is not None:
                    return Place(path)
        for key in self.keys:
            if (place := key_above(facts, app, key)) is not None:
                return place
        return None

    def _used(self, facts: Facts, app: App) -> Place | None:
        if self.plugins and (place := builds.plugin(facts, app, *self.plugins)) is not None:
            return place
        if self.runs and (run := facts.run(app, *self.runs)) is not None:
            return run.command.place
        for hook in hooks.of(facts):
            if hook.id in self.hooks or any(
                shell.runs_any(words, self.runs) for words in shell.simple(hook.text)
            ):
                return hook.place
        use = facts.use(*self.uses) if self.uses else None
        return None if use is None else use.place


def own_folders(app: App) -> tuple[str, ...]:
    """Where an application's configuration may stand: its folder and those of its manifests."""
    return tuple(dict.fromkeys([app.path, *(each.folder for each in app.manifests)]))


def configuration(facts: Facts, folder: str, pattern: str) -> str | None:
    """A configuration file of this name in a folder or the nearest one above it."""
    inside, _, name = pattern.rpartition("/")
    for each in parents(folder):
        for place in _CONFIG_FOLDERS:
            prefix = "" if each == "." else f"{each}/"
            path = f"{prefix}{place}{pattern}"
            if "*" not in pattern:
                if path in facts.files:
                    return path
                continue
            below = f"{prefix}{place}{inside}".rstrip("/") or "."
            found = next((n for n in facts.names_in(below) if fnmatchcase(n, name)), None)
            if found is not None:
                return found if below == "." else f"{below}/{found}"
    return None


def key_above(facts: Facts, app: App, key: str) -> Place | None:
    """The nearest file that has a key such as `setup.cfg:flake8` or `package.json:a.b`."""
    name, _, path = key.partition(":")
    for folder in own_folders(app):
        for each in parents(folder):
            file = name if each == "." else f"{each}/{name}"
            if file in facts.files and (place := _key(facts, file, path)) is not None:
                return place
    return None


def value(facts: Facts, file: str, path: str) -> object:
    """What stands at a dotted path of a TOML or JSON file; None where there is nothing."""
    found: object = facts.tree.toml(file) if file.endswith(".toml") else facts.tree.json(file)
    for step in path.split("."):
        if not isinstance(found, dict) or step not in found:
            return None
        found = found[step]
    return found


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


def first(facts: Facts, app: App, rows: Iterable[Row]) -> Shown | None:
    """The first strong evidence of a table, else its first weak one."""
    weak = None
    for row in rows:
        shown = row.shown(facts, app)
        if shown is not None and not shown.is_weak:
            return shown
        weak = weak or shown
    return weak


def judge(
    facts: Facts, app: App, rows: Iterable[Row], looked_for: str, near: tuple[Place, ...] = ()
) -> Verdict:
    """Passes on any evidence of a table, by its name."""
    shown = first(facts, app, rows)
    if shown is None:
        return fails(looked_for, *near)
    if shown.is_weak:
        return passes(f"{shown.name} is configured, but nothing runs it", *shown.places, weak=True)
    return passes(f"{shown.name} is used", *shown.places)


def named(names: Iterable[str], *patterns: str) -> list[str]:
    """Those that match a pattern of fnmatch."""
    return [name for name in names if any(fnmatchcase(name, each) for each in patterns)]
