"""The command lines that run tasks: `npm run build`, `make test`, `tox -e style`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from stationmaster.catalogue.ecosystems import ecosystem_row
from stationmaster.catalogue.repositories.task_files import runners, task_files
from stationmaster.reading.projects.manifests.common import inside, mapping
from stationmaster.reading.projects.model import Command
from stationmaster.reading.projects.queries import Tree

_NAME = re.compile(r"[\w][\w.:/@+-]{0,80}")
_LISTED = re.compile(r"\s{0,8}[\"']?env_?list[\"']?\s{0,8}=")
_BESIDE = ("README.md", "readme.md", "README.rst", "README", "CONTRIBUTING.md")
_CALL = re.compile(r"(?<![\w-])(npm|pnpm|yarn|bun) (?=[a-z])")
_LIFECYCLE = re.compile(
    r"(?:pre|post)(?:install|publish|pack|version|test|build|start|dev|lint)(?:only)?|prepublishOnly"
    r"|prepare|install|(?:pre|post)-[a-z-]{1,40}-(?:cmd|dump|uninstall|install|update)"
)
"""What a package manager starts by itself."""


def typed(tree: Tree, command: Command) -> str | None:
    """The command line that runs a command in its folder; None for one that is not run by hand."""
    runner = runners().get(command.place.path.rpartition("/")[2], "")
    if command.name.startswith("_") or not _NAME.fullmatch(command.name):
        return None
    if ask := _ODD.get(runner):
        return ask(tree, command)
    form = task_files().files[runner].typed if runner else ""
    return form.format(command.name) if form else None


def manager(tree: Tree, folder: str) -> str:
    """The package manager of a folder's package.json: Rush's runner where that manages the
    repository; the declared one, or that of the lock file; of several lock files the one that the
    documents next to them and the workflows call most often."""
    managers = ecosystem_row("npm").locks
    if tree.nearest(folder, "rush.json") is not None:
        return "rushx"
    path = tree.nearest(folder, "package.json")
    while path is not None:
        declared = mapping(tree.json(path)).get("packageManager")
        name = declared.partition("@")[0] if isinstance(declared, str) else ""
        if name in managers.values():
            return name
        above = path.rpartition("/")[0]
        path = tree.nearest(above.rpartition("/")[0] or ".", "package.json") if above else None
    lock = tree.nearest(folder, *managers)
    if lock is None:
        return "npm" if tree.nearest(folder, "pnpm-workspace.yaml") is None else "pnpm"
    above, slash, name = lock.rpartition("/")
    having = [
        managers[it] for it in managers if tree.files.behind(f"{above}{slash}{it}") is not None
    ]
    if len(set(having)) > 1:
        paths = (*(f"{above}{slash}{it}" for it in _BESIDE), *tree.glob(".github/workflows/*.y*ml"))
        calls = Counter(name for path in paths for name in _CALL.findall(tree.text(path)))
        return max(having, key=lambda name: calls[name])
    return managers[name]


def _package(tree: Tree, command: Command) -> str | None:
    if _LIFECYCLE.fullmatch(command.name):
        return None
    runner = manager(tree, command.folder)
    if command.name in ("test", "start") and runner in ("npm", "pnpm", "yarn"):
        return f"{runner} {command.name}"
    return (
        f"{runner} {command.name}"
        if runner in ("yarn", "rushx")
        else f"{runner} run {command.name}"
    )


def _composer(_: Tree, command: Command) -> str | None:
    return None if _LIFECYCLE.fullmatch(command.name) else f"composer {command.name}"


def _pyproject(tree: Tree, command: Command) -> str | None:
    tool = mapping(tree.toml(command.place.path).get("tool"))
    for keys, form in task_files().pyproject.items():
        if command.name in mapping(inside(tool, *keys.split("."))):
            program = form.removeprefix("{start}").partition(" ")[0]
            start = in_environment(tree, command.folder, program)
            return form.format(name=command.name, start=start)
    environments = mapping(inside(tool, "hatch", "envs"))
    for environment, settings in environments.items():
        if command.name in mapping(inside(settings, "scripts")):
            prefix = "" if environment == "default" else f"{environment}:"
            return f"hatch run {prefix}{command.name}"
    return _tox(tree, command) if "tox" in tool else None


def in_environment(tree: Tree, folder: str, program: str = "") -> str:
    """The command that starts a program of Python in the environment of a folder, by its lock file;
    '' for one whose package that lacks."""
    locked, package = task_files().locked, task_files().packages.get(program, "")
    lock = tree.nearest(folder, *locked)
    return locked[lock.rpartition("/")[2]] if lock and package in tree.text(lock) else ""


def _tox(tree: Tree, command: Command) -> str:
    """The command line of an environment of tox: without a name, tox runs all of its list."""
    if command.name != "test":
        return f"tox -e {command.name}"
    lines = tree.text(command.place.path).split("\n")
    return "tox -e py" if any(map(_LISTED.match, lines)) else "tox"


def _rake(tree: Tree, command: Command) -> str | None:
    """The command line of a task of rake, with the gems of a Gemfile; None for one in a namespace,
    whose full name is not known."""
    lines = tree.text(command.place.path).split("\n")
    at = (command.place.line or 1) - 1
    if at >= len(lines) or not lines[at].startswith("task"):
        return None
    gems = tree.nearest(command.folder, "Gemfile")
    return command.text if gems is None else f"bundle exec {command.text}"


def _nx(tree: Tree, command: Command) -> str | None:
    project = mapping(tree.json(command.place.path)).get("name")
    has_name = isinstance(project, str) and _NAME.fullmatch(project)
    return f"nx run {project}:{command.name}" if has_name else None


_ODD: Mapping[str, Callable[[Tree, Command], str | None]] = {
    "npm": _package,
    "composer": _composer,
    "python": _pyproject,
    "tox": _tox,
    "tox-in-setup": _tox,
    "rake": _rake,
    "nx": _nx,
}
"""Runners that need to know more than the name of a task."""
