"""What a repository runs before a commit or push, by every runner of hooks kept in the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects.manifests.common import mapping, sequence
from stationmaster.reading.projects.model import Place
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

_HOOKS = ("pre-commit", "pre-push", "commit-msg", "prepare-commit-msg")
_DEPTH_MAX = 4
_RUNS_MAX = 500


class Hook(NamedTuple):
    """`id` is that of a shared hook, '' for a command of the repository's own, which is `text`."""

    runner: str
    id: str
    text: str
    place: Place


@once
def of(facts: Facts) -> tuple[Hook, ...]:
    """All hooks of a repository; its files are read once."""
    hooks: list[Hook] = []
    for reader in (_pre_commit, _husky, _lefthook, _package_json, _others, _folder):
        own = list(reader(facts))
        hooks += own
        if any(_stages(hook.text) for hook in own):
            hooks += _staged(facts)
    return tuple(hooks)


def _stages(command: str) -> bool:
    return any(shell.runs_any(words, lists.phrases("staged")) for words in shell.simple(command))


def _pre_commit(facts: Facts) -> Iterator[Hook]:
    for path in facts.tree.glob("**/.pre-commit-config.y*ml"):
        for repo in items(get(facts.tree.yaml(path), "repos")):
            for hook in items(get(repo, "hooks")):
                name = text(get(hook, "id")) or ""
                line = hook.line if isinstance(hook, yaml_nodes.Mapping) else None
                entry = text(get(hook, "entry")) or ""
                yield Hook("pre-commit", name, entry, Place(path, line))
    for repository in _listed(facts.tree.toml("prek.toml"), "repos"):
        for listed in _listed(repository, "hooks"):
            entry = str(listed.get("entry", ""))
            yield Hook("prek", str(listed.get("id", "")), entry, Place("prek.toml"))


def _husky(facts: Facts) -> Iterator[Hook]:
    for name in _HOOKS:
        for path in facts.tree.glob(f"**/.husky/{name}"):
            yield from _lines("Husky", path, facts.tree.text(path))
    for path in facts.tree.glob("**/.husky/task-runner.json"):
        for task in _listed(facts.tree.json(path), "tasks"):
            command = f"{task.get('command', '')} {' '.join(_texts(task.get('args')))}"
            yield Hook("Husky.Net", "", command, Place(path))


def _lefthook(facts: Facts) -> Iterator[Hook]:
    for path in facts.tree.glob("**/lefthook.y*ml", "**/.lefthook.y*ml"):
        root = facts.tree.yaml(path)
        for name in _HOOKS:
            for place, command in _runs(get(root, name), 0):
                yield Hook("Lefthook", "", command, Place(path, place))
    for path in facts.tree.glob("lefthook.toml", ".lefthook.toml"):
        for name in _HOOKS:
            commands = mapping(mapping(facts.tree.toml(path).get(name)).get("commands"))
            for command in commands.values():
                yield Hook("Lefthook", "", str(mapping(command).get("run", "")), Place(path))


def _runs(node: Node | None, depth: int) -> Iterator[tuple[int, str]]:
    """Whatever is called `run` in a hook's commands, jobs and groups."""
    if node is None or depth > 2 * _DEPTH_MAX:
        return
    if (command := text(get(node, "run"))) is not None:
        yield node.line, command
    for name, child in list(members(node).items())[:_RUNS_MAX]:
        if name != "run":
            yield from _runs(child, depth + 1)
    for child in items(node)[:_RUNS_MAX]:
        yield from _runs(child, depth + 1)


def _package_json(facts: Facts) -> Iterator[Hook]:
    for path in facts.tree.glob("**/package.json"):
        package = mapping(facts.tree.json(path))
        for runner, commands in (
            ("simple-git-hooks", package.get("simple-git-hooks")),
            ("Husky", mapping(package.get("husky")).get("hooks")),
            ("yorkie", package.get("gitHooks")),
        ):
            for name, command in mapping(commands).items():
                if name in _HOOKS:
                    yield Hook(
                        runner, "", "\n".join(_texts(command)), _line(facts, path, f'"{name}"')
                    )
        if package.get("pre-commit"):
            place = _line(facts, path, '"pre-commit"')
            for name in _texts(package["pre-commit"]):
                yield Hook("pre-commit", "", f"npm run {name}", place)


def _others(facts: Facts) -> Iterator[Hook]:
    for name in members(get(facts.tree.yaml(".overcommit.yml"), "PreCommit")):
        yield Hook("Overcommit", name, "", _line(facts, ".overcommit.yml", name))
    captain = mapping(facts.tree.json("captainhook.json"))
    for name in _HOOKS:
        for action in _listed(captain.get(name), "actions"):
            yield Hook("CaptainHook", "", str(action.get("action", "")), Place("captainhook.json"))
    for path in facts.tree.glob("grumphp.y*ml", "grumphp.y*ml.dist", "grumphp.dist.y*ml"):
        for name in members(get(facts.tree.yaml(path), "grumphp", "tasks")):
            yield Hook("GrumPHP", name, "", _line(facts, path, name))
    for manifest in facts.project.manifests:
        for dependency in manifest.dependencies:
            if manifest.ecosystem == "rust" and dependency.name == "cargo-husky":
                yield Hook("cargo-husky", "", "cargo test", dependency.place)


def _folder(facts: Facts) -> Iterator[Hook]:
    """Hooks in a folder count where the repository says how git is told of it."""
    run = facts.run(None, "git config core.hooksPath", "git config local core.hooksPath")
    if run is None:
        return
    folder = run.words[-1].removeprefix("./").rstrip("/")
    for name in _HOOKS:
        if (path := f"{folder}/{name}") in facts.files:
            yield from _lines("git", path, facts.tree.text(path))


def _staged(facts: Facts) -> Iterator[Hook]:
    """What lint-staged runs on the files of a commit."""
    for path in facts.tree.glob("**/package.json"):
        package = mapping(facts.tree.json(path))
        for name in lists.phrases("staged"):
            if package.get(name):
                place = _line(facts, path, f'"{name}"')
                for command in _texts(package[name]):
                    yield Hook(name, "", command, place)
    for path in facts.tree.glob("**/.lintstagedrc*", "**/lint-staged.config.*"):
        content = facts.tree.text(path)
        if path.endswith((".js", ".cjs", ".mjs", ".ts")):
            commands = re.findall(r"""["'`]([^"'`\n]{2,200})["'`]""", content)
        elif path.endswith((".yaml", ".yml")):
            commands = [
                c for member in members(facts.tree.yaml(path)).values() for c in texts(member)
            ]
        else:
            commands = _texts(facts.tree.json(path))
        for command in commands:
            yield Hook("lint-staged", "", command, Place(path))


def _lines(runner: str, path: str, content: str) -> Iterator[Hook]:
    for number, line in enumerate(content.splitlines()[:_RUNS_MAX], 1):
        line = line.strip()
        if line and not line.startswith(("#", ". ", "source ", "exit", "set ")):
            yield Hook(runner, "", line, Place(path, number))


def _texts(value: object, depth: int = 0) -> list[str]:
    """All texts that are values, however deep."""
    if isinstance(value, str):
        return [value]
    inner = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(inner, list) or depth > _DEPTH_MAX:
        return []
    return [leaf for member in inner[:_RUNS_MAX] for leaf in _texts(member, depth + 1)]


def _listed(value: object, name: str) -> list[Mapping[str, object]]:
    return [mapping(member) for member in sequence(mapping(value).get(name))]


def _line(facts: Facts, path: str, sign: str) -> Place:
    content = facts.tree.text(path)
    at = content.find(sign)
    return Place(path, None if at < 0 else content.count("\n", 0, at) + 1)
