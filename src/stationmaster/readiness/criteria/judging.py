"""Judging by a row and, where it cannot say all, by the function of the same id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from stationmaster.readiness.criteria import (
    build,
    documentation,
    environment,
    extras,
    observability,
    product,
    security,
    steps,
    style,
    tasks,
    testing,
)
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.evidence.tests import tests_of
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import OfApp, OfRepository, Verdict, fails, skips
from stationmaster.reading.projects.model import App

_PILLARS = (
    style,
    build,
    testing,
    documentation,
    environment,
    observability,
    security,
    tasks,
    product,
    extras,
)


class Judges(NamedTuple):
    """Functions by the ids of criteria, those of applications and those of the repository."""

    of_app: Mapping[str, OfApp]
    of_repository: Mapping[str, OfRepository]

    def can_judge(self, criterion: Criterion) -> bool:
        """Whether a commit can tell; False where only a run can."""
        judges = self.of_app if criterion.scope == "application" else self.of_repository
        return bool(criterion.evidence or criterion.missing or criterion.id in judges)

    def app(self, criterion: Criterion, facts: Facts, app: App) -> Verdict:
        """The verdict on one application."""
        if criterion.only_with:
            has, sentence = CONDITIONS[criterion.only_with]
            if not has(facts, app):
                return skips(sentence)
        if (verdict := _by_evidence(criterion, facts, app)) is not None:
            return verdict
        judge = self.of_app.get(criterion.id)
        return fails(criterion.missing) if judge is None else judge(facts, app)

    def repository(self, criterion: Criterion, facts: Facts) -> Verdict:
        """The verdict on the repository."""
        if criterion.only_with:
            has, sentence = CONDITIONS[criterion.only_with]
            if not any(has(facts, app) for app in facts.project.apps):
                return skips(sentence)
        if (verdict := _by_evidence(criterion, facts, None)) is not None:
            return verdict
        judge = self.of_repository.get(criterion.id)
        return fails(criterion.missing) if judge is None else judge(facts)


def _by_evidence(criterion: Criterion, facts: Facts, app: App | None) -> Verdict | None:
    for step in criterion.evidence:
        if (verdict := steps.look(step, facts, app)) is not None:
            return verdict
    return None


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


JUDGES = Judges(
    {id: judge for pillar in _PILLARS for id, judge in pillar.OF_APP.items()},
    {id: judge for pillar in _PILLARS for id, judge in pillar.OF_REPOSITORY.items()},
)
