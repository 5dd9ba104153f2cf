"""What criteria work with: everything that they may read of a commit, read once and then
remembered, and the result of judging one, of one application or of the repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

import msgspec

from stationmaster.pipelines import idle
from stationmaster.pipelines.model import Found, Pipelines, Step
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.hosting import Hosting
from stationmaster.reading.projects import paths, queries, test_files
from stationmaster.reading.projects.model import App, Command, Dependency, Place, Project
from stationmaster.repos.files import Files
from stationmaster.repos.history import History

_T = TypeVar("_T")
_P = ParamSpec("_P")
_SCRIPTS = (".sh", ".bash", ".ps1", ".cmd", ".bat")
_SCRIPTS_MAX = 200
_SCRIPT_BYTES_MAX = 64 * 1024
_ABSENT: Any = object()


class KnownCommand(NamedTuple):
    """A simple command of a command line that the repository knows."""

    words: shell.Words
    command: Command


class UsedPart(NamedTuple):
    """A step of a workflow that a part from elsewhere does, such as an action."""

    reference: str
    workflow: Found
    place: Place


@dataclass
class Facts:
    """`as_of` is UTC milliseconds: what is recent is recent then. `hosting` is what the hosting
    service reported, None without a token."""

    files: Files
    project: Project
    pipelines: Pipelines
    history: History
    hosting: Hosting | None
    as_of: int
    _remembered: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def inherits(self, name: str) -> bool:
        """Do the defaults of the repository's owner supply a community file whose name begins so?
        False where the hosting service did not report it."""
        supplied = None if self.hosting is None else self.hosting.inherited
        return any(filename.upper().startswith(name.upper()) for filename in supplied or ())

    def reported_by_hosting(self, name: str) -> object:
        """The reported value of a member of Hosting; None where the service did not report it."""
        return None if self.hosting is None else msgspec.structs.asdict(self.hosting).get(name)

    @cached_property
    def tree(self) -> queries.Tree:
        """Queries of the files, by the applications that they belong to."""
        return queries.Tree(self.files, self.project)

    @cached_property
    def runs(self) -> Sequence[KnownCommand]:
        """What all known commands run, those in scripts of the repository that they call too.

        Those of tests are what tests try, such as a Makefile that a parser is to read.
        """
        return tuple(
            KnownCommand(words, command)
            for command in (*self.project.commands, *self._scripts())
            if not test_files.is_test(command.place.path)
            for words in shell.simple(command.text)
        )

    def runs_of(self, app: App) -> Sequence[KnownCommand]:
        """Those that hold for an application: in its folder, below or above it."""
        return self.remembered(
            f"runs of {app.path}",
            lambda: tuple(run for run in self.runs if _concerns(run.command.folder, app.path)),
        )

    def run(self, app: App | None, *phrases: str) -> KnownCommand | None:
        """The first command that runs any of the phrases, of an application or at all."""
        places = (self._first(app, phrase) for phrase in phrases)
        first = min((place for place in places if place is not None), default=None)
        return None if first is None else self.runs[first]

    def _first(self, app: App | None, phrase: str) -> int | None:
        for place in self.remembered(f"run {phrase}", lambda: self._places(phrase)):
            if app is None or _concerns(self.runs[place].command.folder, app.path):
                return place
        return None

    def _places(self, phrase: str) -> Sequence[int]:
        """The numbers of all commands that run a phrase."""
        candidates = self._by_word.get(shell.head(phrase), ())
        return tuple(
            candidate for candidate in candidates if shell.runs(self.runs[candidate].words, phrase)
        )

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the commands that have a word."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for place, run in enumerate(self.runs):
            for word in dict.fromkeys(shell.plain(run.words)):
                by_word[word].append(place)
        return by_word

    @cached_property
    def names(self) -> Set[str]:
        """The names of all files."""
        return {name for names in self._names.values() for name in names}

    def names_in(self, folder: str) -> Sequence[str]:
        """The names of the files in a folder."""
        return self._names.get(folder, ())

    @cached_property
    def _names(self) -> Mapping[str, Sequence[str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for path in self.tree.all_paths:
            folder, _, name = path.rpartition("/")
            names[folder or "."].append(name)
        return names

    def packages(self, app: App, *patterns: str) -> Sequence[Dependency]:
        """What an application depends on, and what the folders above it do for all below."""
        others = (other for other in self.project.apps if other.path != app.path)
        above = self.remembered(
            ("apps above", app.path),
            lambda: [other for other in others if paths.is_below(app.path, other.path)],
        )
        return [
            dependency
            for one in (app, *above)
            for dependency in self.tree.dependencies(one, *patterns)
        ]

    @cached_property
    def uses(self) -> Sequence[UsedPart]:
        """Those of steps that can run."""
        return tuple(
            UsedPart(step.uses, workflow, Place(step.path, step.place.line))
            for workflow in self.pipelines.workflows
            for step in workflow.facts.steps
            if step.uses is not None and not idle.is_off(workflow.facts, step)
        )

    def use(self, *references: str) -> UsedPart | None:
        """The first step that is done by one of these, named without their version."""
        wanted = {reference.lower() for reference in references}
        return next((u for u in self.uses if u.reference.partition("@")[0].lower() in wanted), None)

    def remembered(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` gives, which is asked once for every key."""
        value: _T = self._remembered.get(key, _ABSENT)
        if value is _ABSENT:
            value = self._remembered[key] = make()
        return value

    def _scripts(self) -> Sequence[Command]:
        """The lines of scripts in the commit that known commands, or such scripts, call."""
        by_path: dict[str, Command] = {}
        waiting = list(self.project.commands)
        while waiting:
            command = waiting.pop()
            for words in shell.simple(command.text):
                path = self.script(words, command.folder)
                if path is None or path in by_path or len(by_path) >= _SCRIPTS_MAX:
                    continue
                text = self.tree.text(path)
                called = Command(command.name, text, command.source, command.folder, Place(path))
                by_path[path] = called
                waiting.append(called)
        return tuple(by_path[path] for path in sorted(by_path))

    def script(self, words: shell.Words, folder: str) -> str | None:
        """The script in the commit that a command calls in a folder, None for another command."""
        is_given = words[0] in ("bash", "sh", "zsh") and len(words) > 1
        called = words[1] if is_given else words[0]
        if "/" not in called and not is_given:
            return None
        called = called.removeprefix("./")
        for path in dict.fromkeys((called if folder == "." else f"{folder}/{called}", called)):
            if path in self.files and self.files.entry(path).size <= _SCRIPT_BYTES_MAX:
                # What a shell is given is a script, whatever it is called.
                is_script = is_given or path.endswith(_SCRIPTS)
                return path if is_script or self.tree.text(path).startswith("#!") else None
        return None


def once(make: Callable[Concatenate[Facts, _P], _T]) -> Callable[Concatenate[Facts, _P], _T]:
    """The same function, which is asked once for a commit and its further arguments, in order."""

    @wraps(make)
    def asked(facts: Facts, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        key = (make, *[arg.path if isinstance(arg, App) else arg for arg in args])
        return facts.remembered(key, lambda: make(facts, *args, **kwargs))

    return asked


def _concerns(folder: str, app: str) -> bool:
    return paths.is_below(folder, app) or paths.is_below(app, folder)


Outcome = Literal["pass", "fail", "skipped", "not_evaluated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one application, or of the repository.

    `reason` is one sentence without places; `evidence` names them. `is_weak` marks a pass that
    rests on little. `counts` are the numbers that belong into the braces of the reason: those of
    several applications are added up.
    """

    outcome: Outcome
    reason: str
    evidence: tuple[Place, ...] = ()
    is_weak: bool = False
    counts: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The reason with its numbers."""
        return self.reason.format(*self.counts) if self.counts else self.reason


Shown = Place | Step | str
"""What shows something: a place, a step of a pipeline, or the path of a whole file."""


def passes(
    reason: str, *evidence: Shown, weak: bool = False, counts: tuple[int, ...] = ()
) -> Verdict:
    """A pass with its reason and what shows it; `weak` where that is little."""
    return Verdict("pass", reason, tuple(map(_place, evidence)), weak, counts)


def fails(looked_for: str, *near: Shown, counts: tuple[int, ...] = ()) -> Verdict:
    """`looked_for` is what was not found; `near` where something was that does not count."""
    return Verdict("fail", looked_for, tuple(map(_place, near)), counts=counts)


def _place(shown: Shown) -> Place:
    if isinstance(shown, Step):
        return Place(shown.path, shown.place.line)
    return shown if isinstance(shown, Place) else Place(shown)


def skips(rule: str) -> Verdict:
    """It does not apply, by this rule."""
    return Verdict("skipped", rule)


def unknown(missing: str) -> Verdict:
    """The available data does not show it; `missing` is what would."""
    return Verdict("not_evaluated", missing)


OfApp = Callable[[Facts, App], Verdict | None]
"""Judges an application; None where the row states what is missing."""
OfRepository = Callable[[Facts], Verdict | None]
"""Judges the repository."""
