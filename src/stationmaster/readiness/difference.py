"""What changed between two reports on a repository, and what a report must hold for a pipeline."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.levels import level_of, standing
from stationmaster.readiness.model import (
    Content,
    Evaluation,
    Level,
    Number,
    Report,
    scores_of,
    state_of,
)


class CriterionChange(NamedTuple):
    """A criterion whose result is another; each is None where the report has none of it."""

    criterion: str
    before: Evaluation | None
    after: Evaluation | None


class Difference(NamedTuple):
    """`other_criteria`: the reports were judged by different editions of the criteria, so that not
    every change is one of the repository. The lists are in the order of ids.
    """

    level_before: Level
    level_after: Level
    other_criteria: bool
    better: list[CriterionChange]
    worse: list[CriterionChange]
    other: list[CriterionChange]
    """Judged before and not now, or the other way round."""


def between(before: Content, after: Content) -> Difference:
    """The levels of two reports, and the criteria that became better or worse, in order of ids."""
    difference = Difference(
        level_before=standing(scores_of(before.report)).level,
        level_after=standing(scores_of(after.report)).level,
        other_criteria=before.criteria_version != after.criteria_version,
        better=[],
        worse=[],
        other=[],
    )
    for name in sorted(before.report.keys() | after.report.keys()):
        change = CriterionChange(name, before.report.get(name), after.report.get(name))
        _sort_in(difference, change)
    return difference


def _sort_in(difference: Difference, change: CriterionChange) -> None:
    old, new = _score(change.before), _score(change.after)
    if old is None and new is None:
        return
    if old is None or new is None:
        difference.other.append(change)
    elif old[0] * new[1] < new[0] * old[1]:
        difference.better.append(change)
    elif old[0] * new[1] > new[0] * old[1]:
        difference.worse.append(change)


def _score(evaluation: Evaluation | None) -> tuple[Number, Number] | None:
    if evaluation is None or evaluation.numerator is None:
        return None
    return evaluation.numerator, evaluation.denominator


class Gate(NamedTuple):
    """`level` is the least level, `required` the criteria that must pass, `base` the report that
    nothing may be worse than. None or empty requires nothing."""

    level: int | None = None
    required: tuple[str, ...] = ()
    base: Report | None = None


def failures(gate: Gate, made: Report) -> list[str]:
    """One sentence for each thing that does not hold; [] where all does.

    A required criterion that does not apply holds; one that was not evaluated does not.
    """
    reasons = []
    level = level_of(scores_of(made.report))
    if gate.level is not None and level < gate.level:
        reasons.append(f"level {level} is below {gate.level}")
    for name in gate.required:
        evaluation = made.report.get(name)
        state = "not_evaluated" if evaluation is None else state_of(evaluation)
        if state not in ("pass", "skipped"):
            why = "it was not judged" if evaluation is None else evaluation.rationale
            reasons.append(f"{name} is required: {state.replace('_', ' ')}: {why}")
    return reasons + ([] if gate.base is None else _worse(gate.base, made))


def _worse(base: Report, made: Report) -> list[str]:
    changed = between(base, made)
    reasons = []
    for change in changed.worse:
        if change.criterion in CRITERIA and change.before is not None and change.after is not None:
            before, after = (
                f"{e.numerator}/{e.denominator}" for e in (change.before, change.after)
            )
            reasons.append(
                f"{change.criterion} is worse: {before} → {after}: {change.after.rationale}"
            )
    if changed.level_after < changed.level_before:
        reasons.append(f"the level is worse: {changed.level_before} → {changed.level_after}")
    return reasons
