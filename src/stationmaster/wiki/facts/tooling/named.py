"""Scripts and targets of the repository by the commands that run them, and their steps in order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.task_files import runners as runners_of
from stationmaster.reading.projects import globs, runners
from stationmaster.reading.projects.command_lines.tasks import included, prerequisites
from stationmaster.reading.projects.model import Command, CommandSource
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_LIKE = expressions("named_tasks")
STEPS_MAX = 16
_DEPTH_MAX = 6
_ABOVE_MAX = 100
_VAGUE = re.compile(
    r"(?:echo|printf|\[|mkdir|if|set|export) |[\w./-]{1,60} (?:--)?version$"
    r"|\w+(?:\\{1,2}\w+)+::\w+$|\$\(info [^()]{0,400}\)$"
)
"""What tasks begin with before their work, such as a function of Composer."""
_BRANCH = re.compile(
    r"(?P<opens>(?:if|for|while|until|case)\b(?!.*\b(?:fi|done|esac)$))"
    r"|(?P<closes>(?:fi|done|esac)\b)|(?P<other>(?:else|elif)\b|(?:then|do)$)"
)
"""A line of a script in a recipe that begins or ends what runs under a condition."""
_ENVIRONMENT = re.compile(r"^(?:[A-Z_]\w{0,60}=\S{0,200} ){1,6}(?=@)")
"""Of another script that one of Composer runs."""

_AUTOMATIC = re.compile(r"(?<!\$)\$(?:[@<^*+?](?!\w)|\([@<^*+?][DF]?\))")

Source = CommandSource | Literal["mention", "usual"]
_MANAGERS = frozenset({
    "bun", "npm", "npm-run-all", "npm-run-all2", "npx", "pnpm", "run-p", "run-s", "yarn",
})  # fmt: skip


class Task(msgspec.Struct, frozen=True):
    """`text` is what is typed in `folder`; `name` is the task's own, '' for a plain command, and
    `runs` the first thing that a named task does, `more` how many follow it. `count` is how many
    places name it; one that `is_before` the others is typed before them."""

    text: str
    folder: str
    name: str
    runs: str
    source: Source
    place: Place
    count: int = 1
    more: int = 0
    is_before: bool = False


class Step(NamedTuple):
    """`is_conditional`: its file has it in a branch of a condition."""

    text: str
    place: Place
    is_conditional: bool = False


@query
def named(facts: Facts) -> tuple[Task, ...]:
    """Scripts and targets with the first step that does more than print something."""
    by_key: dict[tuple[str, str, str], Task] = {}
    for command in facts.tree.project.commands:
        if command.source in ("script", "task"):
            typed = runners.typed(facts.tree, command)
            key = (command.place.path, command.name, command.folder)
            is_vague = key not in by_key or _VAGUE.match(by_key[key].runs)
            if typed is not None and (is_vague or not by_key[key].runs):
                runs = "" if command.text == typed else command.text
                place = Place(command.place.path, command.place.line)
                by_key[key] = Task(typed, command.folder, command.name, runs, command.source, place)
            elif typed is not None and command.text != typed:
                by_key[key] = replace(by_key[key], more=by_key[key].more + 1)
    return tuple(by_key.values())


@query
def declared(facts: Facts) -> Mapping[str, Set[str]]:
    """Names of scripts and tasks, by what runs them: '' for scripts of packages."""
    by_runner: dict[str, set[str]] = defaultdict(set)
    for task in named(facts):
        by_runner["" if task.source == "script" else task.text.partition(" ")[0]].add(task.name)
    return by_runner


def begun_with(facts: Facts, task: Task) -> tuple[Task, ...]:
    """Other scripts of the same file that one starts together, by patterns of their names."""
    own = {other.name: other for other in named(facts) if other.place.path == task.place.path}
    return tuple(own[name] for name in _together(task.runs, own))


@query
def needs(facts: Facts, path: str, name: str) -> tuple[str, ...]:
    """Other tasks of its file that one begins with."""
    own = _by_name(facts, path)
    source = "\n".join(facts.tree.text(file) for file in _files(facts, path))
    file = path.rpartition("/")[2]
    is_of_targets = runners_of().get(file) in ("make", "just")
    of_file = prerequisites(file, source) if is_of_targets else {}
    return tuple(other for other in of_file.get(name, ()) if other in own)


@query
def started(facts: Facts) -> frozenset[tuple[str, str]]:
    """Tasks that others of their file start, by file and name."""
    others = set[tuple[str, str]]()
    for path, commands in _in_files(facts).items():
        own = _by_name(facts, path)
        for command in commands:
            others.update((path, it) for _, names in _parts(command, own) for it in names)
        others.update((path, it) for name in own for it in needs(facts, path, name))
    return frozenset(others)


def prints(text: str) -> bool:
    """Does a command only print something?"""
    return _LIKE["prints"].fullmatch(text) is not None


def is_open(step: Step) -> bool:
    """Does a line of a Makefile hold a variable of make that stands for other files each time?"""
    name = step.place.path.rpartition("/")[2]
    is_of_make = name.endswith(".mk") or runners_of().get(name) == "make"
    return is_of_make and _AUTOMATIC.search(step.text) is not None


def in_order(task: Task) -> bool:
    """Does one thing that a task runs begin when the one before it has ended?"""
    return _LIKE["parallel"].search(task.runs) is None


@query
def steps(facts: Facts, path: str, name: str) -> tuple[Step, ...]:
    """What a named task does in order, others that it starts taken apart."""
    return tuple(islice(_steps(facts, path, name, set()), STEPS_MAX + 1))


def _steps(
    facts: Facts,
    path: str,
    name: str,
    done: set[str],
    above: tuple[str, ...] = (),
    environment: str = "",
) -> Iterator[Step]:
    """`above` are the tasks that wait for this one."""
    if name in done or len(above) == _DEPTH_MAX:
        return
    done.add(name)
    above = (*above, name)
    own = _by_name(facts, path)
    before, after = _around(facts, path, name)
    for other in (*needs(facts, path, name), *before):
        yield from _steps(facts, path, other, done, above, environment)
    branches = 0
    for command in own.get(name, ()):
        if change := _BRANCH.match(command.text):
            branches += (change.lastgroup == "opens") - (change.lastgroup == "closes")
            continue
        for part, others in _parts(command, own):
            own_environment = _ENVIRONMENT.match(part)
            passed = environment + (own_environment[0] if own_environment else "")
            # A line starts a task again; what others need of it is there by then.
            done.difference_update({*others} - {*above})
            for other in others:
                yield from _steps(facts, path, other, done, above, passed)
            if part and not others and not prints(part):
                place = Place(command.place.path, command.place.line)
                yield Step(environment + part, place, branches > 0 or _is_conditional(facts, place))
    for other in after:
        yield from _steps(facts, path, other, done, above, environment)


def _is_conditional(facts: Facts, place: Place) -> bool:
    """Is a line of a recipe inside a branch of a condition, below its target?"""
    lines = facts.tree.text(place.path).split("\n")[: (place.line or 1) - 1]
    for line in reversed(lines[-_ABOVE_MAX:]):
        if line.strip() and not line[0].isspace():
            return _LIKE["branch"].match(line) is not None
    return False


def _around(facts: Facts, path: str, name: str) -> tuple[list[str], list[str]]:
    """The scripts that npm starts by itself before and after one."""
    is_npm = path.rpartition("/")[2] == "package.json"
    if not is_npm or runners.manager(facts.tree, folder_of(path)) != "npm":
        return [], []
    own = _by_name(facts, path)
    before, after = f"pre{name}", f"post{name}"
    return [before] * (before in own), [after] * (after in own)


def _parts(command: Command, own: Collection[str]) -> list[tuple[str, list[str]]]:
    """The parts of a line, with the tasks that they run; the whole line where it runs none."""
    text, is_script = command.text, command.place.path.endswith("package.json")
    parts = [
        (part, _asked(part, own) if _is_of_package(part) == is_script else [])
        for part in map(str.strip, text.split("&&"))
    ]
    is_elsewhere = _LIKE["elsewhere"].match(text)
    return parts if any(others for _, others in parts) and not is_elsewhere else [(text, [])]


def _is_of_package(text: str) -> bool:
    """Does a line ask a manager of packages for a script, and no other runner for a task?"""
    return text.lstrip("@-").partition(" ")[0] in _MANAGERS


def _asked(text: str, own: Collection[str]) -> list[str]:
    """Tasks of the same file that a line asks for and nothing else."""
    text = _ENVIRONMENT.sub("", text, count=1)
    if together := _together(text, own):
        return together
    match = _LIKE["asks"].fullmatch(text.strip())
    names = match[1].split() if match else []
    return names if all(name in own for name in names) else []


def _together(text: str, own: Collection[str]) -> list[str]:
    match = _LIKE["together"].match(text)
    words = [word for word in match[1].split() if not word.startswith("-")] if match else []
    pattern = globs.any_of(words)
    return [name for name in own if words and pattern.fullmatch(name)]


def _by_name(facts: Facts, path: str) -> Mapping[str, Sequence[Command]]:
    """The commands of a file of tasks and of those that it includes."""
    own: dict[str, list[Command]] = {}
    for file in _files(facts, path):
        for command in _in_files(facts).get(file, ()):
            own.setdefault(command.name, []).append(command)
    return own


def _files(facts: Facts, path: str) -> list[str]:
    is_make = runners_of().get(path.rpartition("/")[2]) == "make"
    others = included(path, facts.tree.text(path)) if is_make else []
    return [path, *(other for other in others if other in facts.records)]


@query
def _in_files(facts: Facts) -> Mapping[str, tuple[Command, ...]]:
    by_file: dict[str, list[Command]] = defaultdict(list)
    for command in facts.tree.project.commands:
        if command.source in ("script", "task"):
            by_file[command.place.path].append(command)
    return {path: tuple(some) for path, some in by_file.items()}
