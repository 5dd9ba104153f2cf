"""Criteria as rows of data: what each is called and worth, and where evidence is looked for.

A row has steps; the first step that shows something decides. Where none does, a function of the
same id judges, or the criterion fails with the row's sentence. The TOML files beside this one hold
the rows of one pillar each; what they say of tools is in the catalogue of tools.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from stationmaster.readiness.criterion import Criterion, Need, Verdict, fails, passes, skips
from stationmaster.readiness.evidence import configs, deployment, signs, tools
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.evidence.tests import tests_of
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.model import Level, Pillar, Scope
from stationmaster.reading.projects.model import App, Kind, Place

OfApp = Callable[[Facts, App], Verdict]
OfRepository = Callable[[Facts], Verdict]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One place to look. `says`: the sentence of the verdict, with `{tool}`, `{command}` or
    `{package}` where it names one.

    `tools`: a purpose of the catalogue. `sign`: a kind of sign in code. `files`: globs, below the
    application unless `anywhere`, and `pattern` what one of their lines must hold. `objects`: what
    an object of Kubernetes for the application must hold. `commands` that run, `actions` of
    workflows, `packages` that are depended on. `strong`: a tool that nothing runs does not count.
    `is_weak`: it shows little. `all`: every file is cited.
    """

    says: str = ""
    tools: str = ""
    sign: str = ""
    files: tuple[str, ...] = ()
    any_case: bool = False
    anywhere: bool = False
    pattern: str = ""
    objects: str = ""
    commands: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    strong: bool = False
    is_weak: bool = False
    all: bool = False

    def look(self, facts: Facts, app: App | None) -> Verdict | None:
        """A verdict that passes, None where this step shows nothing."""
        app = None if self.anywhere else app
        if self.tools:
            return self._tools(facts, app)
        if self.packages:
            return self._packages(facts, app)
        if self.commands:
            run = facts.run(app, *self.commands)
            command = " ".join(run.words[:3]) if run is not None else ""
            return self._passes(command=command, places=() if run is None else (run.command.place,))
        return self._passes(places=tuple(self._places(facts, app)))

    def _passes(self, places: tuple[Place, ...], **names: str) -> Verdict | None:
        if not places:
            return None
        places = places if self.all else places[:1]
        return passes(self.says.format(**names), *places, weak=self.is_weak)

    def _tools(self, facts: Facts, app: App | None) -> Verdict | None:
        shown = (
            tools.of_repository(facts, self.tools)
            if app is None
            else tools.of_app(facts, app, self.tools)
        )
        if shown is None or (self.strong and shown.is_weak):
            return None
        if not self.says:
            return tools.verdict(shown, "")
        sentence = self.says.format(tool=shown.name)
        return passes(sentence, *shown.places, weak=shown.is_weak or self.is_weak)

    def _packages(self, facts: Facts, app: App | None) -> Verdict | None:
        for one in facts.project.apps if app is None else (app,):
            for package in facts.packages(one, *self.packages):
                return self._passes(places=(package.place,), package=package.name)
        return None

    def _places(self, facts: Facts, app: App | None) -> Iterator[Place]:
        if self.sign:
            yield from (sight.place for sight in signs.seen(facts, self.sign, app))
        if self.actions and (place := tools.action(facts, *self.actions)) is not None:
            yield place
        if self.objects and app is not None:
            place = deployment.declares(facts, app, re.compile(self.objects))
            yield from () if place is None else (place,)
        under = "." if app is None else app.path
        for path in facts.tree.glob(*self.files, under=under, any_case=self.any_case):
            place = configs.line_of(facts, path, self.pattern) if self.pattern else Place(path)
            yield from () if place is None else (place,)


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A criterion as its file has it. `missing`: why it fails where no step shows anything.
    `only_with`: what an application must have to be judged, a name of CONDITIONS. `change`: the
    file that a fix adds or changes, or files by ecosystem, or the id of a criterion with the same.
    The rest is as Criterion has it."""

    title: str
    level: Level
    pillar: Pillar
    scope: Scope
    looks_for: str
    remedy: str
    kinds: tuple[Kind, ...] | None = None
    needs: tuple[Need, ...] = ("tree",)
    requires: str | None = None
    is_extra: bool = False
    only_with: str = ""
    evidence: tuple[Step, ...] = ()
    missing: str = ""
    change: str | dict[str, str] = ""


def _has_code(_: Facts, app: App) -> bool:
    return family(app) is not None


def _has_tests(facts: Facts, app: App) -> bool:
    return bool(tests_of(facts, app))


def _has_dependencies(facts: Facts, app: App) -> bool:
    return bool(facts.tree.dependencies(app))


CONDITIONS: Mapping[str, tuple[Callable[[Facts, App], bool], str]] = {
    "code": (_has_code, "There is no code but markup and data"),
    "tests": (_has_tests, "It has no tests"),
    "dependencies": (_has_dependencies, "It has no external dependencies"),
}
"""What an application must have, and the sentence of those that have not."""


@cache
def rows(room: str) -> Mapping[str, Row]:
    """The rows of a file by id, such as of `style`. Raises ValueError for one written wrongly."""
    text = resources.files(__package__).joinpath(f"{room}.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Row])


def criteria(
    room: str, of_app: Mapping[str, OfApp], of_repository: Mapping[str, OfRepository]
) -> tuple[Criterion, ...]:
    """The criteria of a file, in its order, with the functions that judge what rows cannot say.
    Raises ValueError for a function without a row of its scope."""
    table = rows(room)
    for scope, names in (("application", of_app), ("repository", of_repository)):
        if lost := [name for name in names if name not in table or table[name].scope != scope]:
            raise ValueError(f"{room}.toml has no row of scope {scope} for {', '.join(lost)}")
    return tuple(
        _criterion(name, row, of_app.get(name), of_repository.get(name))
        for name, row in table.items()
    )


def _criterion(
    name: str, row: Row, of_app: OfApp | None, of_repository: OfRepository | None
) -> Criterion:
    fields: dict[str, Any] = {
        key: getattr(row, key)
        for key in ("title", "level", "pillar", "scope", "looks_for", "remedy", "requires",
                    "is_extra", "change")
    }  # fmt: skip
    is_judged = bool(row.evidence or row.missing)
    return Criterion(
        id=name,
        kinds=None if row.kinds is None else frozenset(row.kinds),
        needs=frozenset(row.needs),
        app=(
            _of_app(row, of_app) if row.scope == "application" and (is_judged or of_app) else None
        ),
        repository=(
            _of_repository(row, of_repository)
            if row.scope == "repository" and (is_judged or of_repository)
            else None
        ),
        **fields,
    )


def _of_app(row: Row, judge: OfApp | None) -> OfApp:
    def judged(facts: Facts, app: App) -> Verdict:
        if row.only_with:
            has, sentence = CONDITIONS[row.only_with]
            if not has(facts, app):
                return skips(sentence)
        for step in row.evidence:
            if (verdict := step.look(facts, app)) is not None:
                return verdict
        return judge(facts, app) if judge is not None else fails(row.missing)

    return judged


def _of_repository(row: Row, judge: OfRepository | None) -> OfRepository:
    def judged(facts: Facts) -> Verdict:
        if row.only_with:
            has, sentence = CONDITIONS[row.only_with]
            if not any(has(facts, app) for app in facts.project.apps):
                return skips(sentence)
        for step in row.evidence:
            if (verdict := step.look(facts, None)) is not None:
                return verdict
        return judge(facts) if judge is not None else fails(row.missing)

    return judged
