"""Which packages of a repository a command works on, such as `turbo run build --filter=web`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stationmaster.catalogue.repositories.work import Spreading, work
from stationmaster.reading.projects import globs, runners
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.named import Task, steps

_WORDS_MAX = 60
_CLOSES = re.compile(r"[^\"'\\]+\\?[\"']")
_NX = "nx.json"
_MEMBERS_MIN = 2


class Spread(NamedTuple):
    """`text` runs these scripts in the packages of these folders, which have one of them.
    `is_part`: it names packages; `is_changed`: it leaves out what no change reaches."""

    text: str
    scripts: tuple[str, ...]
    folders: tuple[str, ...]
    is_part: bool
    is_changed: bool


class _Asked(NamedTuple):
    scripts: Sequence[str]
    filters: Sequence[str]
    left_out: Sequence[str]
    is_changed: bool


@query
def spreads(facts: Facts, task: Task) -> tuple[Spread, ...]:
    """What the command of a task runs in packages of the repository, in its order."""
    own = [task.text, task.runs]
    if task.name:
        own = [step.text for step in steps(facts, task.place.path, task.name)]
    return tuple(it for text in own for it in _spreads(facts, text) if it.folders)


def is_of_part(facts: Facts, text: str) -> bool:
    """Does a command name the packages that it works on?"""
    return any(spread.is_part for spread in _spreads(facts, text))


def names_part(facts: Facts, task: Task) -> bool:
    """Is it called after a folder of the repository, such as `docs:build`?"""
    first, colon, _ = task.name.partition(":")
    is_program = first in work().lines.programs or not re.fullmatch("[a-z][a-z0-9-]{2,40}", first)
    return bool(colon) and not is_program and first in _folder_names(facts)


@query
def _folder_names(facts: Facts) -> frozenset[str]:
    return frozenset(step for path in facts.records for step in path.split("/")[:-1])


@query
def one(facts: Facts) -> str:
    """How a script of one package is asked for at the root, with `{name}` and `{script}`; '' where
    packages are no members of anything."""
    manager = runners.manager(facts.tree, ".")
    form = work().spreading[manager].one if manager in work().spreading else ""
    return form if len(_packages(facts)) >= _MEMBERS_MIN else ""


@query
def names(facts: Facts) -> Mapping[str, str]:
    """What packages are called that belong to one workspace, by folder."""
    return {folder: names[0] for folder, names in _packages(facts).items()}


@query
def _packages(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """The names of each member of a workspace of packages, by folder."""
    project = facts.tree.project
    members = {
        folder
        for workspace in project.workspaces
        if workspace.place.path.count("/") == 0
        for folder in workspace.members
    }
    if _NX in facts.records:
        paths = facts.tree.glob("**/project.json")
        members |= {path.rpartition("/")[0] for path in paths} - {""}
    own = {it.folder: it.name for it in project.manifests if it.ecosystem == "npm"}
    named: dict[str, tuple[str, ...]] = {}
    for folder in sorted(members):
        called = mapping(facts.tree.json(f"{folder}/project.json")).get("name")
        name = own.get(folder) or (called if isinstance(called, str) else None)
        if name:
            others = {name.rpartition("/")[2], called, folder} - {name}
            named[folder] = (name, *sorted(it for it in others if isinstance(it, str)))
    return named


@query
def _scripts(facts: Facts) -> Mapping[str, frozenset[str]]:
    """The names of the scripts and targets of each package, by folder."""
    scripts: dict[str, set[str]] = defaultdict(set)
    for command in facts.tree.project.commands:
        if command.source == "script" or command.place.path.endswith("/project.json"):
            scripts[command.folder].add(command.name)
    return {folder: frozenset(some) for folder, some in scripts.items()}


def _spreads(facts: Facts, text: str) -> Iterator[Spread]:
    written = text.split()[:_WORDS_MAX]
    words = [word.strip("\"'") for word in written]
    # A command that is an argument of another ends with its quotes.
    closing = [at + 1 for at, word in enumerate(written) if _CLOSES.fullmatch(word)]
    starts = [at for at, word in enumerate(words) if word in work().spreading]
    for at, end in pairwise([*starts, len(words)]):
        end = next((it for it in closing if at < it <= end), end)
        row = work().spreading[words[at]]
        asked = _asked(row, words[at + 1 : end])
        # Plugins of nx give projects targets that no file names.
        if asked is None or (row.scripts and mapping(facts.tree.json(_NX)).get("plugins")):
            continue
        wanted = _matching(facts, asked.filters or ["**"]) - _matching(facts, asked.left_out)
        having = {it: _scripts(facts).get(it, frozenset()) for it in wanted}
        folders = [it for it in sorted(wanted) if not having[it].isdisjoint(asked.scripts)]
        scripts = [it for it in asked.scripts if any(it in own for own in having.values())]
        is_part = bool(asked.filters) and len(wanted) < len(_packages(facts))
        command = " ".join(words[at:end])
        yield Spread(command, tuple(scripts), tuple(folders), is_part, asked.is_changed)


def _asked(row: Spreading, words: Sequence[str]) -> _Asked | None:
    """What is asked for behind a program, None where that is no script of packages."""
    operands: list[str] = []
    scripts: list[str] = []
    filters: list[str] = []
    left_out: list[str] = []
    values: list[str] | None = None
    is_all, is_changed = not row.all, False
    for word in words[: words.index("--")] if "--" in words else words:
        name, equals, value = word.partition("=")
        if values is not None:
            values += word.split(",")
            values = None
            continue
        is_all |= name in row.all
        is_changed |= name in row.changed
        for own, chosen in (
            (row.filters, filters),
            (row.leaves_out, left_out),
            (row.scripts, scripts),
        ):
            if name in own:
                values = None if equals else chosen
                chosen += value.split(",") if equals else []
                break
        else:
            if not word.startswith("-") and word not in row.all:
                operands.append(word)
    verb = next((it for it in operands if it in row.verbs), "")
    if row.needs_verb and not verb:
        return None
    behind = operands[operands.index(verb) + 1 :] if verb else operands
    scripts += behind if row.scripts or not row.all else behind[: not scripts]
    is_asked = scripts and (is_all or filters)
    return _Asked(scripts, filters, left_out, is_changed) if is_asked else None


def _matching(facts: Facts, patterns: Iterable[str]) -> set[str]:
    """The folders of packages that patterns of their names or folders match; a pattern that begins
    with `!` leaves them out."""
    plain = [it.strip("{}.^") if "./" not in it else it.strip("{}^") for it in patterns]
    wanted = [it.removeprefix("./").rstrip("/") for it in plain if not it.startswith("!")]
    wanted = wanted or ["**"] * bool(plain)
    left_out = [it[1:].removeprefix("./").rstrip("/") for it in plain if it.startswith("!")]
    matches, leaves = globs.any_of(wanted), globs.any_of(left_out)
    return {
        folder
        for folder, names in _packages(facts).items()
        if any(map(matches.fullmatch, names)) and not any(map(leaves.fullmatch, names))
    }
