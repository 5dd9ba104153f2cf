"""How the runner of a task is asked for it: `npm run build`, `make test`, `tox -e style`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import Command
from stationmaster.reading.projects.queries import Tree

_LOCKS = (
    ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"),
    ("package-lock.json", "npm"), ("npm-shrinkwrap.json", "npm"),
)  # fmt: skip
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_NAME = re.compile(r"[\w][\w.:/@+-]{0,80}")
_LIFECYCLE = re.compile(
    r"(?:pre|post)(?:install|publish|pack|version|test|build|start|dev|lint)(?:only)?|prepublishOnly"
    r"|prepare|install|(?:pre|post)-[a-z-]{1,40}-(?:cmd|dump|uninstall|install|update)"
)
"""What a package manager starts by itself."""
_TABLES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("pdm", "scripts"), "pdm run {}"),
    (("poe", "tasks"), "poe {}"),
    (("taskipy", "tasks"), "task {}"),
    (("pixi", "tasks"), "pixi run {}"),
    (("rye", "scripts"), "rye run {}"),
)
"""Tables of a pyproject.toml that name tasks, and how each is started."""


def typed(tree: Tree, command: Command) -> str | None:
    """What people type in the command's folder; None for what nobody types."""
    name = command.place.path.rpartition("/")[2]
    is_private = command.name.startswith("_") or not _NAME.fullmatch(command.name)
    ask = _FILES.get(name)
    if ask is None or is_private:
        return None
    return ask(tree, command)


def manager(tree: Tree, folder: str) -> str:
    """The package manager of a folder's package.json: as it says, or by its lock file."""
    path = tree.nearest(folder, "package.json")
    while path is not None:
        said = mapping(tree.json(path)).get("packageManager")
        name = said.partition("@")[0] if isinstance(said, str) else ""
        if name in _MANAGERS:
            return name
        above = path.rpartition("/")[0]
        path = tree.nearest(above.rpartition("/")[0] or ".", "package.json") if above else None
    lock = tree.nearest(folder, *(name for name, _ in _LOCKS))
    return dict(_LOCKS).get(lock.rpartition("/")[2], "npm") if lock else "npm"


def _package(tree: Tree, command: Command) -> str | None:
    if _LIFECYCLE.fullmatch(command.name):
        return None
    runner = manager(tree, command.folder)
    if command.name in ("test", "start") and runner in ("npm", "pnpm", "yarn"):
        return f"{runner} {command.name}"
    return f"{runner} {command.name}" if runner == "yarn" else f"{runner} run {command.name}"


def _composer(_: Tree, command: Command) -> str | None:
    return None if _LIFECYCLE.fullmatch(command.name) else f"composer {command.name}"


def _pyproject(tree: Tree, command: Command) -> str | None:
    data = tree.toml(command.place.path)
    tool = mapping(data.get("tool"))
    for keys, form in _TABLES:
        if command.name in _in(tool, *keys):
            return form.format(command.name)
    environments = _in(tool, "hatch", "envs")
    for environment, said in environments.items():
        if command.name in _in(mapping(said), "scripts"):
            prefix = "" if environment == "default" else f"{environment}:"
            return f"hatch run {prefix}{command.name}"
    return _tox(tree, command) if "tox" in tool else None


def _tox(_: Tree, command: Command) -> str:
    return "tox" if command.name == "test" else f"tox -e {command.name}"


def _rake(tree: Tree, command: Command) -> str | None:
    """A task within a namespace is called by more than its own name, which is not known."""
    lines = tree.text(command.place.path).split("\n")
    at = (command.place.line or 1) - 1
    return command.text if at < len(lines) and lines[at].startswith("task") else None


def _nx(tree: Tree, command: Command) -> str | None:
    project = mapping(tree.json(command.place.path)).get("name")
    known = isinstance(project, str) and _NAME.fullmatch(project)
    return f"nx run {project}:{command.name}" if known else None


def _in(data: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        data = mapping(data.get(key))
    return data


def _form(form: str) -> Callable[[Tree, Command], str | None]:
    return lambda _, command: form.format(command.name)


_FILES: Mapping[str, Callable[[Tree, Command], str | None]] = {
    "package.json": _package,
    "composer.json": _composer,
    **dict.fromkeys(("deno.json", "deno.jsonc"), _form("deno task {}")),
    "pyproject.toml": _pyproject,
    **dict.fromkeys(("tox.ini", "setup.cfg"), _tox),
    "noxfile.py": _form("nox -s {}"),
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), _form("make {}")),
    **dict.fromkeys(("justfile", "Justfile", ".justfile"), _form("just {}")),
    **dict.fromkeys(("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml",
                     "Taskfile.dist.yml"), _form("task {}")),
    **dict.fromkeys(("mise.toml", ".mise.toml"), _form("mise run {}")),
    **dict.fromkeys(("Rakefile", "rakefile"), _rake),
    "project.json": _nx,
    **dict.fromkeys(("config.toml", "config"), _form("cargo {}")),
}  # fmt: skip
