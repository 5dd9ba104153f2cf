"""What a report must hold for a pipeline to go on."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.difference import between
from stationmaster.readiness.levels import level_of
from stationmaster.readiness.model import Report, scores_of, state_of


class Gate(NamedTuple):
    """`level` is the least level, `required` the criteria that must pass, `base` the report that
    nothing may be worse than. None or empty asks nothing."""

    level: int | None = None
    required: tuple[str, ...] = ()
    base: Report | None = None


def failures(gate: Gate, made: Report) -> list[str]:
    """One sentence for each thing that does not hold; [] where all does.

    A required criterion that does not apply holds; one that was not evaluated does not.
    """
    found = []
    level = level_of(scores_of(made.report))
    if gate.level is not None and level < gate.level:
        found.append(f"level {level} is under {gate.level}")
    for name in gate.required:
        each = made.report.get(name)
        state = "not_evaluated" if each is None else state_of(each)
        if state not in ("pass", "skipped"):
            why = "it was not judged" if each is None else each.rationale
            found.append(f"{name} is required: {state.replace('_', ' ')}: {why}")
    return found + ([] if gate.base is None else _worse(gate.base, made))


def _worse(base: Report, made: Report) -> list[str]:
    changed = between(base, made)
    found = []
    for each in changed.worse:
        if each.criterion in CRITERIA and each.before is not None and each.after is not None:
            before, after = (f"{e.numerator}/{e.denominator}" for e in (each.before, each.after))
            found.append(f"{each.criterion} is worse: {before} → {after}: {each.after.rationale}")
    if changed.level_after < changed.level_before:
        found.append(f"the level is worse: {changed.level_before} → {changed.level_after}")
    return found
