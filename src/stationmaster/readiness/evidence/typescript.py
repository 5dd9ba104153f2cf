"""Whether TypeScript checks an application, and how strictly: tsconfig files with all they extend.

Since TypeScript 6 strict is the default, so a configuration without the key is strict there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any

from stationmaster.catalogue import lists
from stationmaster.readiness.facts import Facts, Verdict, fails, passes
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import App, Command, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.yaml_nodes import get, text

_STRICT_BY_DEFAULT = 6
_HOPS_MAX = 8
_REFERENCES_MAX = 20
_LOOSE = re.compile(r"test|spec|e2e|node|build|docs|example|vite|eslint|storybook|types|dev|lint")


def checked(facts: Facts, app: App) -> Verdict | None:
    """A verdict on checking types by TypeScript; None where there is none of it."""
    paths = list(configurations(facts, app))
    run = facts.run(app, *lists.phrases("check-typescript"))
    deno = facts.tree.nearest(app.path, "deno.json", "deno.jsonc")
    if deno is not None and app.languages.get("TypeScript") and not paths:
        return passes("Deno checks TypeScript", deno, weak=run is None)
    if not paths:
        return None
    is_typed = bool(app.languages.get("TypeScript") or app.languages.get("TSX"))
    if not is_typed and not any(_option(facts, path, "checkJs") is True for path in paths):
        return None
    if run is not None:
        return passes("TypeScript checks types", paths[0], run.command.place)
    if (named := _named(facts, app)) is not None:
        return passes(f"{named.name} checks types", paths[0], named.place, weak=True)
    return fails("There is a tsconfig, but no script or pipeline runs the compiler", paths[0])


def _named(facts: Facts, app: App) -> Command | None:
    """A script or target that is called as the check of types, whatever it runs."""
    is_check = lists.pattern("type-check-task").fullmatch
    for run in facts.runs_of(app):
        if run.command.source in ("script", "task") and is_check(run.command.name):
            return run.command
    return None


def strict(facts: Facts, app: App) -> Verdict:
    """Passes where the tsconfigs, TypeScript's version or Deno make types strict.

    Weakly where only some of the tsconfigs set `strict`; fails where one turns it off.
    """
    paths = list(configurations(facts, app))
    if not paths:
        return (
            passes("Deno is strict by default")
            if facts.tree.nearest(app.path, "deno.json", "deno.jsonc")
            else fails("No tsconfig sets strict")
        )
    own = [path for path in paths if not _LOOSE.search(posixpath.basename(path))] or paths
    values = {path: _option(facts, path, "strict") for path in own}
    loose = [path for path, value in values.items() if value is False]
    if loose:
        return fails("The tsconfig turns strict off", *loose)
    if all(value is True for value in values.values()):
        return passes("The tsconfig is strict", *own[:1])
    version = _version(facts, app)
    if version is not None and version[0] >= _STRICT_BY_DEFAULT:
        return passes(f"TypeScript {version[0]} is strict by default", version[1])
    if any(value is True for value in values.values()):
        strict_ones = [path for path, value in values.items() if value is True]
        return passes("Some of its tsconfigs are strict", *strict_ones, weak=True)
    return fails("No tsconfig sets strict", *own[:1])


def configurations(facts: Facts, app: App) -> Iterator[str]:
    """The tsconfigs of an application, those that they refer to, else the nearest above."""
    own = facts.tree.glob(
        "tsconfig.json",
        "tsconfig.*.json",
        "src/tsconfig.json",
        "src/*/tsconfig.json",
        under=app.path,
    )
    own = [path for path in own if facts.tree.owner(path) == app.path]
    if not own:
        above = facts.tree.nearest(app.path, "tsconfig.json", "tsconfig.base.json", "jsconfig.json")
        own = [above] if above is not None else []
    seen: set[str] = set()
    waiting = list(own)
    while waiting and len(seen) < _REFERENCES_MAX:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        config = mapping(facts.tree.json(path))
        references = config.get("references")
        if config.get("files") == [] and isinstance(references, list):
            waiting += _referred(facts, path, references)
        else:
            yield path


def _referred(facts: Facts, path: str, references: Sequence[Any]) -> list[str]:
    targets = []
    for reference in references[:_REFERENCES_MAX]:
        location = reference.get("path") if isinstance(reference, dict) else None
        if isinstance(location, str):
            target = posixpath.normpath(posixpath.join(folder_of(path), location))
            target = target if target.endswith(".json") else f"{target}/tsconfig.json"
            if target in facts.files:
                targets.append(target)
    return targets


def _option(facts: Facts, path: str, name: str, hops: int = _HOPS_MAX) -> object:
    """A compiler option as a file or what it extends sets it; None where none does."""
    config = mapping(facts.tree.json(path))
    options = config.get("compilerOptions")
    if isinstance(options, dict) and name in options:
        return options[name]
    extended = config.get("extends")
    bases = [extended] if isinstance(extended, str) else extended
    for base in reversed(bases) if isinstance(bases, list) and hops else ():
        if not isinstance(base, str):
            continue
        target = _base(facts, path, base)
        if target is not None:
            value = _option(facts, target, name, hops - 1)
            if value is not None:
                return value
        elif name == "strict" and lists.pattern("strict-tsconfig").fullmatch(base):
            return True
    return None


def _base(facts: Facts, path: str, base: str) -> str | None:
    """The file in the commit that a configuration extends, by its path or its package."""
    if base.startswith("."):
        stem = posixpath.normpath(posixpath.join(folder_of(path), base))
    else:
        npm = (manifest for manifest in facts.project.manifests if manifest.ecosystem == "npm")
        folders = {manifest.name: manifest.folder for manifest in npm if manifest.name}
        name = "/".join(base.split("/")[: 1 + base.startswith("@")])
        if name not in folders:
            return None
        rest = base[len(name) :].lstrip("/") or "tsconfig.json"
        stem = posixpath.normpath(posixpath.join(folders[name], rest))
    names = (stem, f"{stem}.json", f"{stem}/tsconfig.json")
    return next((name for name in names if name in facts.files), None)


def _version(facts: Facts, app: App) -> tuple[int, Place] | None:
    """The least major version of the compiler that an application requires."""
    for request in _asked(facts, app):
        asked = request[0]
        if asked.startswith("catalog:"):
            asked = _of_catalog(facts, asked.removeprefix("catalog:"))
        at = re.search(r"\d+", asked.removeprefix("npm:typescript@"))
        if at is not None:
            return int(at[0]), request[1]
    return None


def _asked(facts: Facts, app: App) -> Iterator[tuple[str, Place]]:
    for dependency in facts.packages(app, "typescript"):
        yield dependency.version or "", dependency.place
    for folder in parents(app.path):
        path = "package.json" if folder == "." else f"{folder}/package.json"
        package = facts.tree.json(path) if path in facts.files else None
        for group in ("devDependencies", "dependencies"):
            table = package.get(group) if isinstance(package, dict) else None
            if isinstance(table, dict) and isinstance(table.get("typescript"), str):
                yield table["typescript"], Place(path)


def _of_catalog(facts: Facts, name: str) -> str:
    root = facts.tree.yaml("pnpm-workspace.yaml") if "pnpm-workspace.yaml" in facts.files else None
    keys = ("catalog",) if name in ("", "default") else ("catalogs", name)
    return text(get(root, *keys, "typescript")) or ""
