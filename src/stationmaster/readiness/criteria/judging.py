"""Judging by a row and, where it cannot express all, by the function of the same id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple

from stationmaster.readiness import criteria
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criteria import steps
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.facts import Facts, OfApp, OfRepository, Verdict, fails
from stationmaster.readiness.model import Scope
from stationmaster.reading.projects.model import App


class Judges(NamedTuple):
    """Functions by the ids of criteria, those of applications and those of the repository."""

    of_app: Mapping[str, OfApp]
    of_repository: Mapping[str, OfRepository]

    def can_judge(self, criterion: Criterion) -> bool:
        """Whether a commit can show it; False where only a run can."""
        judges = self.of_app if criterion.scope == "application" else self.of_repository
        return bool(criterion.evidence or criterion.missing or criterion.id in judges)

    def app(self, criterion: Criterion, facts: Facts, app: App) -> Verdict:
        """The verdict on one application."""
        judge = self.of_app.get(criterion.id)
        return _by_row(criterion, facts, app, lambda: judge(facts, app) if judge else None)

    def repository(self, criterion: Criterion, facts: Facts) -> Verdict:
        """The verdict on the repository."""
        judge = self.of_repository.get(criterion.id)
        return _by_row(criterion, facts, None, lambda: judge(facts) if judge else None)


def _by_row(
    criterion: Criterion, facts: Facts, app: App | None, ask: Callable[[], Verdict | None]
) -> Verdict:
    """The first verdict of a condition, of steps and of a function, which `ask` calls."""
    if criterion.only_with and (lacks := steps.condition(criterion.only_with, facts, app)):
        return lacks
    for step in criterion.evidence:
        verdict = ask() if step.code else steps.look(step, facts, app)
        if verdict is not None:
            return verdict
    is_asked = any(step.code for step in criterion.evidence)
    return (None if is_asked else ask()) or _missing(criterion, facts)


def _missing(criterion: Criterion, facts: Facts) -> Verdict:
    near = facts.tree.glob(*criterion.near, any_case=True)[:1]
    unseen = f"; {criterion.unseen}" if criterion.unseen and facts.hosting is None else ""
    return fails(criterion.missing + unseen, *near)


def _of_scope(scope: Scope) -> dict[str, Any]:
    """The functions of the modules next to this one that have the id of a criterion of a scope."""
    names = (f"{criteria.__name__}.{module.name}" for module in iter_modules(criteria.__path__))
    modules = [import_module(name) for name in names if name != __name__]
    return {
        id: function
        for id, criterion in CRITERIA.items()
        if criterion.scope == scope
        for module in modules
        if (function := vars(module).get(id)) is not None
    }


JUDGES = Judges(_of_scope("application"), _of_scope("repository"))
