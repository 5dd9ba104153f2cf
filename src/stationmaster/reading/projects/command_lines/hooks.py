"""Hooks that a repository brings along for git, by the files of all managers of hooks.

Wikis show them, and commands are made of them; readiness checks which of them check a commit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from stationmaster.catalogue import lists
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
from stationmaster.reading.projects.model import Command, Hook, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

STAGED = "lint-staged"
"""In place of an event: run on the files of a commit, where a hook starts the manager."""
_EVENTS = layout().files.hooks
_HOOK_FOLDERS = re.compile(r"(?:.{1,300}/)?\.(?:husky|githooks|git-hooks|hooks)/[^/]{1,60}")
_LEFTHOOK = re.compile(r"(?:.{1,300}/)?\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)")
_STAGED_FILE = re.compile(r"(?:\.lintstagedrc|lint-staged\.config)(?:\.(?:json|ya?ml|[cm]?[jt]s))?")
_STAGED_CODE = re.compile(r"""(?<![\w$])["'`]([^"'`\n]{2,200})["'`](?!\s*:)""")
_FOLDER_OF_GIT = re.compile(
    r"git config (?:-{1,2}\w+ )*(?:local )?core\.hooksPath[ =][\"']?(?:\./)?([\w./-]+)"
)
_CONDITION = re.compile(r"\A(?:(?:if|elif|while|until|then|do|else|!)\s+)+")
"""Keywords of the shell before a command."""
_NO_COMMAND = re.compile(
    r"(?:if|then|elif|else|fi|for|do|done|case|esac|function|return|exit|echo|printf|set|source"
    r"|export|local|shift|command -v|test)(?![\w./-])|[.:]\s|[]\[{}();]"
    r"|\w+(?:=\S*\Z|=[$]\(|\s?\(\))|[^\s()]+\)"
)
"""Lines of a script that steer it, print something or keep a value."""
_DEPTH_MAX = 4


def read(
    paths: Sequence[str],
    manifests: Sequence[Manifest],
    git_folders: Collection[str],
    reading: Reading,
) -> Iterator[Hook]:
    """All hooks of manifests, of the files of managers, and of scripts in folders of hooks.
    `git_folders`: folders that commands of the repository name to git."""
    for manifest in manifests:
        if manifest.path.endswith("package.json"):
            yield from _of_package(manifest, reading)
    for path in paths:
        yield from _of_file(path, git_folders, reading)


def folders_of_git(commands: Iterable[Command]) -> frozenset[str]:
    """The folders that commands name to git as those of its hooks."""
    matches = (_FOLDER_OF_GIT.search(command.text) for command in commands)
    return frozenset(match[1].rstrip("/") for match in matches if match)


def commands(hooks: Iterable[Hook]) -> Iterator[Command]:
    """The commands of hooks, under their event, or under the id of a shared hook."""
    for hook in hooks:
        name = hook.id if hook.manager in ("pre-commit", "prek") else hook.event
        yield Command(name or hook.event, hook.command, "hook", hook.folder, hook.place)


def _of_file(path: str, git_folders: Collection[str], reading: Reading) -> Iterator[Hook]:
    folder, _, name = path.rpartition("/")
    if name in (".pre-commit-config.yaml", ".pre-commit-config.yml"):
        yield from _pre_commit(path, reading)
    elif name == "prek.toml":
        yield from _prek(path, reading)
    elif name in _EVENTS and (folder in git_folders or _HOOK_FOLDERS.fullmatch(path)):
        yield from _script(path, folder in git_folders, reading)
    elif "lefthook" in name and _LEFTHOOK.fullmatch(path):
        yield from _lefthook(path, reading)
    elif "staged" in name and _STAGED_FILE.fullmatch(name):
        yield from _staged_file(path, name, reading)


def _of_package(manifest: Manifest, reading: Reading) -> Iterator[Hook]:
    data, path = manifest.data, manifest.path
    for manager, value in (
        ("simple-git-hooks", data.get("simple-git-hooks")),
        ("Husky", mapping(data.get("husky")).get("hooks")),
    ):
        yield from _table(manager, path, mapping(value), reading)
    for manager in lists.phrases("staged"):
        yield from _staged(manager, path, mapping(data.get(manager)), reading)


def _table(
    manager: str, path: str, table: Mapping[str, object], reading: Reading
) -> Iterator[Hook]:
    """Commands by event."""
    at = Lines(reading.contents.text(path))
    for event, value in table.items():
        if event in _EVENTS:
            place = Place(path, at.of(f'"{event}"'))
            for command in _leaves(value):
                yield Hook(manager, event, "", command, folder_of(path), place)


def _staged(
    manager: str, path: str, table: Mapping[str, object], reading: Reading
) -> Iterator[Hook]:
    at = Lines(reading.contents.text(path))
    at.seek(f'"{manager}"')
    for pattern, value in table.items():
        place = Place(path, at.of(f'"{pattern}"'))
        for command in _leaves(value):
            yield Hook(manager, STAGED, "", command, folder_of(path), place)


def _staged_file(path: str, name: str, reading: Reading) -> Iterator[Hook]:
    """Files without an ending are JSON or YAML, and JSON is YAML. In code, every text that is no
    key may be a command."""
    if name.endswith(("js", "ts")):
        code = reading.contents.text(path)
        for match in _STAGED_CODE.finditer(code):
            place = Place(path, code.count("\n", 0, match.start()) + 1)
            yield Hook("lint-staged", STAGED, "", match[1], folder_of(path), place)
        return
    for node in members(reading.contents.yaml(path)).values():
        for command in texts(node):
            yield Hook("lint-staged", STAGED, "", command, folder_of(path), Place(path, node.line))


def _pre_commit(path: str, reading: Reading) -> Iterator[Hook]:
    for repo in items(get(reading.contents.yaml(path), "repos")):
        for hook in items(get(repo, "hooks")):
            if name := text(get(hook, "id")):
                entry = text(get(hook, "entry")) or ""
                yield Hook(
                    "pre-commit",
                    "pre-commit",
                    name,
                    entry,
                    folder_of(path),
                    Place(path, hook.line),
                    tuple(texts(get(hook, "args"))),
                )


def _prek(path: str, reading: Reading) -> Iterator[Hook]:
    at = Lines(reading.contents.text(path))
    for repo in sequence(reading.contents.toml(path).get("repos")):
        for hook in map(mapping, sequence(mapping(repo).get("hooks"))):
            name = hook.get("id")
            if isinstance(name, str):
                place = Place(path, at.of(f'"{name}"'))
                yield Hook(
                    "prek",
                    "pre-commit",
                    name,
                    str(hook.get("entry") or ""),
                    folder_of(path),
                    place,
                    tuple(strings(hook.get("args"))),
                )


def _script(path: str, is_of_git: bool, reading: Reading) -> Iterator[Hook]:
    """The commands of a script; Husky sets its folder in git itself."""
    around, _, event = path.rpartition("/")
    manager = "Husky" if around.endswith(".husky") else "git" if is_of_git else ""
    for line, at in scripts.lines(reading.contents.text(path)):
        command = re.sub(r";\s?(?:then|do)\Z", "", _CONDITION.sub("", line))
        if command and not _NO_COMMAND.match(command):
            yield Hook(manager, event, "", command, folder_of(around), Place(path, at + 1))


def _lefthook(path: str, reading: Reading) -> Iterator[Hook]:
    """JSON is YAML."""
    folder = folder_of(path)
    if path.endswith(".toml"):
        for event, config in reading.contents.toml(path).items():
            for command in mapping(mapping(config).get("commands")).values():
                run = mapping(command).get("run")
                if event in _EVENTS and isinstance(run, str):
                    yield Hook("Lefthook", event, "", run, folder, Place(path))
        return
    for event, node in members(reading.contents.yaml(path)).items():
        if event in _EVENTS:
            for command in _lefthook_commands(event, node, folder, path):
                yield Hook("Lefthook", event, "", command.text, folder, command.place)


def _lefthook_commands(event: str, config: Node, folder: str, path: str) -> Iterator[Command]:
    for kind in ("commands", "scripts"):
        for name, node in members(get(config, kind)).items():
            run = get(node, "run")
            yield from of_node(event, run, "hook", folder, path)
            if run is None:
                yield Command(event, name, "hook", folder, Place(path, node.line))
    for job in _jobs(items(get(config, "jobs"))):
        yield from of_node(event, get(job, "run"), "hook", folder, path)


def _jobs(nodes: Sequence[Node], depth: int = 0) -> Iterator[Node]:
    for node in nodes:
        yield node
        if depth < _DEPTH_MAX:
            yield from _jobs(items(get(node, "group", "jobs")), depth + 1)


def _leaves(value: object, depth: int = 0) -> list[str]:
    """A text, or all texts that are values of lists and tables, however deep."""
    if isinstance(value, str):
        return [value]
    inner = sequence(list(value.values()) if isinstance(value, dict) else value)
    return [leaf for item in inner if depth < _DEPTH_MAX for leaf in _leaves(item, depth + 1)]
