"""What runs when people commit: the hooks that a repository brings along for git.

A command of a hook has the hook's event or id as its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.command_lines.tasks import of_node
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    mapping,
    sequence,
    strings,
)
from stationmaster.reading.projects.model import Command, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

_EVENTS = layout().files.hooks
_HOOK_FOLDERS = re.compile(r"(?:.{1,300}/)?\.(?:husky|githooks|git-hooks|hooks)/([^/]{1,60})")
_LEFTHOOK = re.compile(r"(?:.{1,300}/)?\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)")
_LINT_STAGED = re.compile(r"\.lintstagedrc(?:\.(?:json|ya?ml))?")


def read(
    paths: Sequence[str], manifests: Sequence[Manifest], reading: Reading
) -> Iterator[Command]:
    """The commands of git hooks in manifests, in the files of hook managers and in hook scripts."""
    for manifest in manifests:
        if manifest.path.endswith("package.json"):
            yield from _of_package(manifest, reading)
    for path in paths:
        name = path[path.rfind("/") + 1 :]
        if name in (".pre-commit-config.yaml", ".pre-commit-config.yml"):
            yield from _pre_commit(path, reading)
        elif name == "prek.toml":
            yield from _prek(path, reading)
        elif name in _EVENTS and (match := _HOOK_FOLDERS.fullmatch(path)):
            yield from _script(path, match[1], reading)
        elif "lefthook" in name and _LEFTHOOK.fullmatch(path):
            yield from _lefthook(path, reading)
        elif name in (".simple-git-hooks.json", "simple-git-hooks.json"):
            yield from _table(path, mapping(reading.contents.json(path)), reading)
        elif name == ".overcommit.yml":
            yield from _overcommit(path, reading)
        elif name in ("captainhook.json", "grumphp.yml", "grumphp.yaml", "grumphp.yml.dist"):
            yield from _php(path, name, reading)
        elif name.startswith(".lintstaged") and _LINT_STAGED.fullmatch(name):
            yield from _staged(path, mapping(reading.contents.json(path)), reading)
        elif path.endswith(".husky/task-runner.json"):
            yield from _husky_net(path, reading)


def _of_package(manifest: Manifest, reading: Reading) -> Iterator[Command]:
    data = manifest.data
    hooks = mapping(mapping(data.get("husky")).get("hooks"))
    for value in (
        data.get("simple-git-hooks"),
        hooks,
        data.get("gitHooks"),
        data.get("pre-commit"),
    ):
        table = mapping(value) or {"pre-commit": strings(value)} if value else {}
        yield from _table(manifest.path, table, reading)
    yield from _staged(manifest.path, mapping(data.get("lint-staged")), reading)


def _table(path: str, table: Mapping[str, object], reading: Reading) -> Iterator[Command]:
    """Commands by event."""
    at = Lines(reading.contents.text(path))
    for event, value in table.items():
        if event in _EVENTS:
            place = Place(path, at.of(f'"{event}"'))
            for string in strings(value) or strings([value]):
                yield Command(event, string, "hook", folder_of(path), place)


def _staged(path: str, table: Mapping[str, object], reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    at.seek('"lint-staged"')
    for pattern, value in table.items():
        place = Place(path, at.of(f'"{pattern}"'))
        for string in strings(value) or strings([value]):
            yield Command("lint-staged", string, "hook", folder_of(path), place)


def _pre_commit(path: str, reading: Reading) -> Iterator[Command]:
    for repo in items(get(reading.contents.yaml(path), "repos")):
        for hook in items(get(repo, "hooks")):
            name = text(get(hook, "id"))
            if name:
                words = [text(get(hook, "entry")) or name, *texts(get(hook, "args"))]
                yield Command(
                    name, " ".join(words), "hook", folder_of(path), Place(path, hook.line)
                )


def _prek(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for repo in sequence(reading.contents.toml(path).get("repos")):
        for hook in sequence(mapping(repo).get("hooks")):
            name = mapping(hook).get("id")
            if isinstance(name, str):
                table = mapping(hook)
                words = [str(table.get("entry") or name), *strings(table.get("args"))]
                yield Command(
                    name, " ".join(words), "hook", folder_of(path), Place(path, at.of(f'"{name}"'))
                )


def _script(path: str, event: str, reading: Reading) -> Iterator[Command]:
    folder = folder_of(folder_of(path))
    for line, at in scripts.lines(reading.contents.text(path)):
        if not line.startswith((". ", "source ", "set -")):
            yield Command(event, line, "hook", folder, Place(path, at + 1))


def _lefthook(path: str, reading: Reading) -> Iterator[Command]:
    folder = folder_of(path)
    for event, config in members(_root(path, reading)).items():
        if event not in _EVENTS:
            continue
        for kind in ("commands", "scripts"):
            for name, node in members(get(config, kind)).items():
                run = get(node, "run")
                yield from of_node(event, run, "hook", folder, path)
                if run is None:
                    yield Command(event, name, "hook", folder, Place(path, node.line))
        for job in _jobs(items(get(config, "jobs"))):
            yield from of_node(event, get(job, "run"), "hook", folder, path)


def _root(path: str, reading: Reading) -> Node | None:
    """JSON is YAML; a lefthook.toml is not read."""
    return None if path.endswith(".toml") else reading.contents.yaml(path)


def _jobs(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from items(get(node, "group", "jobs"))


def _overcommit(path: str, reading: Reading) -> Iterator[Command]:
    for event, hooks in members(reading.contents.yaml(path)).items():
        if event in ("PreCommit", "PrePush", "CommitMsg"):
            for name, node in members(hooks).items():
                if name != "ALL" and text(get(node, "enabled")) != "false":
                    command = " ".join(texts(get(node, "command"))) or name
                    yield Command(event, command, "hook", folder_of(path), Place(path, node.line))


def _php(path: str, name: str, reading: Reading) -> Iterator[Command]:
    if name.startswith("grumphp"):
        for task, node in members(get(reading.contents.yaml(path), "grumphp", "tasks")).items():
            yield Command("pre-commit", task, "hook", folder_of(path), Place(path, node.line))
        return
    at = Lines(reading.contents.text(path))
    for event, config in mapping(reading.contents.json(path)).items():
        for action in sequence(mapping(config).get("actions")):
            command = mapping(action).get("action")
            if event in _EVENTS and isinstance(command, str):
                yield Command(event, command, "hook", folder_of(path), Place(path, at.of(command)))


def _husky_net(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for task in sequence(mapping(reading.contents.json(path)).get("tasks")):
        table = mapping(task)
        command = " ".join([str(table.get("command") or ""), *strings(table.get("args"))]).strip()
        if command:
            name = str(table.get("group") or table.get("name") or "pre-commit")
            yield Command(
                name, command, "hook", folder_of(folder_of(path)), Place(path, at.of(name))
            )
