"""What runs when people commit: the hooks that a repository brings along for git.

A command of a hook has the hook's event or id as its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

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

_EVENTS = frozenset(
    {
        "pre-commit",
        "pre-push",
        "commit-msg",
        "prepare-commit-msg",
        "post-merge",
        "post-checkout",
        "pre-rebase",
        "post-commit",
        "pre-merge-commit",
        "post-rewrite",
    }
)
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
    for said in (data.get("simple-git-hooks"), hooks, data.get("gitHooks"), data.get("pre-commit")):
        table = mapping(said) or {"pre-commit": strings(said)} if said else {}
        yield from _table(manifest.path, table, reading)
    yield from _staged(manifest.path, mapping(data.get("lint-staged")), reading)


def _table(path: str, table: Mapping[str, object], reading: Reading) -> Iterator[Command]:
    """Commands by event."""
    at = Lines(reading.contents.text(path))
    for event, said in table.items():
        if event in _EVENTS:
            place = Place(path, at.of(f'"{event}"'))
            for string in strings(said) or strings([said]):
                yield Command(event, string, "hook", folder_of(path), place)


def _staged(path: str, table: Mapping[str, object], reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    at.seek('"lint-staged"')
    for pattern, said in table.items():
        place = Place(path, at.of(f'"{pattern}"'))
        for string in strings(said) or strings([said]):
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
                said = mapping(hook)
                words = [str(said.get("entry") or name), *strings(said.get("args"))]
                yield Command(
                    name, " ".join(words), "hook", folder_of(path), Place(path, at.of(f'"{name}"'))
                )


def _script(path: str, event: str, reading: Reading) -> Iterator[Command]:
    folder = folder_of(folder_of(path))
    for told, at in scripts.lines(reading.contents.text(path)):
        if not told.startswith((". ", "source ", "set -")):
            yield Command(event, told, "hook", folder, Place(path, at + 1))


def _lefthook(path: str, reading: Reading) -> Iterator[Command]:
    folder = folder_of(path)
    for event, said in members(_root(path, reading)).items():
        if event not in _EVENTS:
            continue
        for kind in ("commands", "scripts"):
            for name, node in members(get(said, kind)).items():
                told = get(node, "run")
                yield from of_node(event, told, "hook", folder, path)
                if told is None:
                    yield Command(event, name, "hook", folder, Place(path, node.line))
        for job in _jobs(items(get(said, "jobs"))):
            yield from of_node(event, get(job, "run"), "hook", folder, path)


def _root(path: str, reading: Reading) -> Node | None:
    """JSON is YAML; a lefthook.toml is not read."""
    return None if path.endswith(".toml") else reading.contents.yaml(path)


def _jobs(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from items(get(node, "group", "jobs"))


def _overcommit(path: str, reading: Reading) -> Iterator[Command]:
    for event, said in members(reading.contents.yaml(path)).items():
        if event in ("PreCommit", "PrePush", "CommitMsg"):
            for name, node in members(said).items():
                if name != "ALL" and text(get(node, "enabled")) != "false":
                    told = " ".join(texts(get(node, "command"))) or name
                    yield Command(event, told, "hook", folder_of(path), Place(path, node.line))


def _php(path: str, name: str, reading: Reading) -> Iterator[Command]:
    if name.startswith("grumphp"):
        for task, node in members(get(reading.contents.yaml(path), "grumphp", "tasks")).items():
            yield Command("pre-commit", task, "hook", folder_of(path), Place(path, node.line))
        return
    at = Lines(reading.contents.text(path))
    for event, said in mapping(reading.contents.json(path)).items():
        for action in sequence(mapping(said).get("actions")):
            told = mapping(action).get("action")
            if event in _EVENTS and isinstance(told, str):
                yield Command(event, told, "hook", folder_of(path), Place(path, at.of(told)))


def _husky_net(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for task in sequence(mapping(reading.contents.json(path)).get("tasks")):
        said = mapping(task)
        told = " ".join([str(said.get("command") or ""), *strings(said.get("args"))]).strip()
        if told:
            name = str(said.get("group") or said.get("name") or "pre-commit")
            yield Command(name, told, "hook", folder_of(folder_of(path)), Place(path, at.of(name)))
