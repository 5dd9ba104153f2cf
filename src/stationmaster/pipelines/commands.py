"""Scripts of workflows as their commands, and what these are for: building, linting, testing,
deploying, publishing, scanning.

A command is known by its program and first words; what a task runner such as make or npm starts,
by the words in the name of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from stationmaster.agents.shell import commands as shell
from stationmaster.agents.shell.commands import Started
from stationmaster.agents.shell.programs import base_name, operands
from stationmaster.catalogue.commands import commands
from stationmaster.catalogue.shell import Options
from stationmaster.pipelines.model import SCRIPT_MAX, CommandKind, line

_COMMANDS_MAX = 200
_WORDS_MAX = 12


_STARTED_MAX = 2_000


class _Rule(NamedTuple):
    options: frozenset[str]
    verbs: tuple[str, ...]
    kind: CommandKind


class Line(NamedTuple):
    """A command of a script: its kind, its text on one line, and which line of the script it is,
    counted from 0."""

    kind: CommandKind
    text: str
    line: int


@lru_cache(maxsize=256)
def of_script(script: str) -> tuple[Line, ...]:
    """The first commands of a script that are for anything known, in its order."""
    return tuple(islice(_classified(script[:SCRIPT_MAX]), _COMMANDS_MAX))


def of_words(words: Sequence[str]) -> CommandKind | None:
    """What a command of these words is for; None for what is of no kind, such as `cd`."""
    kind = _of_words(words) if words else None
    return None if kind in _WORK and is_idle(words) else kind


def is_idle(words: Sequence[str]) -> bool:
    """Does a command print or prepare something instead of its work, such as `pytest --co`?"""
    own = words[: words.index("--")] if "--" in words else words
    return not _RUNNERS.idle.isdisjoint(own) or not _RUNNERS.idle_last.isdisjoint(own[-1:])


def _of_words(words: Sequence[str]) -> CommandKind | None:
    program = base_name(words[0])
    rest = [word for word in words[1:_WORDS_MAX] if not _TOOLCHAIN.fullmatch(word)]
    if rest[:1] == ["workspace"]:
        rest = rest[2:]  # Of yarn: its name, and then a command as without it.
    if (kind := _by_rule(program, rest)) is not None:
        return kind
    if (file := _file(words[0], program, rest)) is not None:
        return of_task(file, None)
    inner = _wrapped(program, rest)
    if inner and rest[:1] == ["-m"] and inner[0].partition(".")[0] in _TESTS:
        return "test"
    # For a program with rules only these decide what a command does: installing a tool is no test.
    if inner and (base_name(inner[0]) in _RULES or program not in _RUN_BY):
        return of_words(inner)
    return _of_task(program, rest)


def _classified(script: str) -> Iterator[Line]:
    place = 0
    for command in started(script):
        # Commands are in the order of the script, so the next is behind the last.
        start = script.find(command.words[0], place)
        place = max(place, start + 1)
        kind = of_words(command.words)
        if kind is not None:
            yield Line(kind, line(" ".join(command.words)), script.count("\n", 0, place))


def _by_rule(program: str, rest: Sequence[str]) -> CommandKind | None:
    rules = _RULES.get(program)
    if rules is None:
        return None
    verbs = list(operands(rest, _OPTIONS))
    for rule in rules:
        count = len(rule.verbs)
        is_called = tuple(verbs[:count]) == rule.verbs or (
            program in _MANY and count == 1 and rule.verbs[0] in verbs
        )
        if is_called and rule.options <= set(rest):
            return rule.kind
    return None


def _wrapped(program: str, rest: Sequence[str]) -> Sequence[str]:
    """The words of the command that this one starts, none where it starts no other."""
    for verbs in _WRAPPED.get(program, ()):
        if tuple(rest[: len(verbs)]) == verbs:
            inner = [word for word in rest[len(verbs) :] if not _ASSIGNED.match(word)]
            first = next(operands(inner, _OPTIONS), None)
            return () if first is None else inner[inner.index(first) :]
    return ()


def _of_task(program: str, rest: Sequence[str]) -> CommandKind | None:
    if (options := _ENVIRONMENTS.get(program)) is not None:
        if next(operands(rest, _OPTIONS), "") in _RUNNERS.queries.get(program, ()):
            return None
        chosen = [value for option, value in pairwise(rest) if option in options]
        is_plain = not chosen or _OF_VERSION.match(chosen[0])
        return "test" if is_plain else of_task(chosen[0])
    names = list(operands(rest, _OPTIONS))
    if program in _MANY:
        kinds = [kind for name in names if (kind := of_task(name, "test")) is not None]
        return next(iter(kinds), None if names else "build")
    for verbs in _RUN_BY.get(program, ()):
        if tuple(names[: len(verbs)]) == verbs:
            return of_task(next(iter(names[len(verbs) :]), ""))
    return None


def _file(word: str, program: str, rest: Sequence[str]) -> str | None:
    """The name of a script that a command runs, without its folder and ending."""
    if program in _RUNNERS.interpreters:
        name = next((argument for argument in rest if not argument.startswith("-")), "")
        is_script = _SCRIPT.search(name) is not None
    else:
        name = word
        is_script = "/" in word and program not in _KNOWN
    if not is_script:
        return None
    return name.rpartition("/")[2].partition(".")[0]


def of_task(name: str, check: CommandKind | None = "lint") -> CommandKind | None:
    """What a task of this name is for, such as `test:unit`, `lintDebug` or `+docker-image`.

    `check` is what a task called so is for: makefiles test with it, package scripts lint, and a
    file may check anything.
    """
    words = re.findall(r"[a-z0-9]+", _CAMEL.sub("-", name[:200]).lower())
    words = [word for word in words if word != "all"] or words  # `lint-all` lints.
    if (whole := _KINDS.get(name.lower())) is not None:
        return whole
    kind_of_task = next((kind for word in words if (kind := _KINDS.get(word)) is not None), None)
    if kind_of_task == "deploy" and _STORES & set(words):
        return None  # It brings the schema of a database up to date.
    return check if kind_of_task is None and _CHECKS & set(words) else kind_of_task


def _chains(texts: Iterable[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By program the words that follow it, the longest first."""
    by_program: dict[str, list[tuple[str, ...]]] = {}
    for text in texts:
        program, *verbs = text.split()
        by_program.setdefault(program, []).append(tuple(verbs))
    return {name: tuple(sorted(some, key=len, reverse=True)) for name, some in by_program.items()}


def _rules() -> dict[str, list[_Rule]]:
    by_program: dict[str, list[_Rule]] = {}
    for kind, purpose in _TABLE.purpose.items():
        for command in purpose.commands:
            program, *words = command.split()
            options = frozenset(word for word in words if word.startswith("-"))
            verbs = tuple(word for word in words if not word.startswith("-"))
            by_program.setdefault(base_name(program), []).append(_Rule(options, verbs, kind))
    for rules in by_program.values():
        rules.sort(key=lambda rule: -len(rule.verbs) - len(rule.options))
    return by_program


_TABLE = commands()
_RUNNERS = _TABLE.runners
_OPTIONS = Options(_RUNNERS.letters, _RUNNERS.options)
_WORK: tuple[CommandKind, ...] = ("build", "lint", "test", "scan")
"""For the other kinds such an option may be one of what is delivered."""
_OF_VERSION = re.compile(r"(?:py|pypy|python)?-?\d[\d.]*t?(?:-|$)|py$")
"""An environment that is called after a version alone, for which the usual work is done: tests."""
_TESTS = frozenset({"test", "tests"})
"""Packages of Python that are run to test."""
_CHECKS = frozenset({"check", "checks"})
_STORES = frozenset({"database", "db", "migrate", "migration", "migrations", "prisma", "schema"})
_SCRIPT = re.compile(r"\.(?:sh|bash|py|[cm]?[jt]s|rb|pl|php|ps1)$")
_TOOLCHAIN = re.compile(r"\+(?:stable|beta|nightly|\d)[\w.-]{0,40}")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KINDS = {word: kind for kind, uses in _TABLE.purpose.items() for word in uses.tasks}
_RULES = _rules()
_WRAPPED = _chains(_RUNNERS.wrappers)
_RUN_BY = _chains(_RUNNERS.of_one)
_MANY = _RUNNERS.of_many
_ENVIRONMENTS = _RUNNERS.environments
_KNOWN = frozenset({*_RULES, *_RUN_BY, *_MANY, *_WRAPPED, *_ENVIRONMENTS})


@lru_cache(maxsize=256)
def started(script: str) -> tuple[Started, ...]:
    """The commands that a script starts; those of the shells that it starts, too."""
    return tuple(islice(shell.started(script[:SCRIPT_MAX]), _STARTED_MAX))
