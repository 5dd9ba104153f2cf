"""What to do next: the few fixes that bring a repository nearest to its next level."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from stationmaster.readiness.catalogue import CATALOGUE
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.levels import standing
from stationmaster.readiness.model import Evaluation, Level, scores_of

FIXES_MAX = 3


class Fix(NamedTuple):
    """A criterion that fails, why, and what would mend it. `opens` is the level that this fix alone
    would open, None where it takes more.
    """

    criterion: str
    title: str
    level: Level
    rationale: str
    remedy: str
    opens: Level | None


def fixes(report: Mapping[str, Evaluation]) -> list[Fix]:
    """At most FIXES_MAX, the best first.

    Of the level that is not reached before later ones; of a repository before one for each of its
    applications, since it is one change; where most is missing first. Rule: readiness criteria, 11.
    """
    now = standing(scores_of(report)).level
    failing = [
        (CATALOGUE[name], each)
        for name, each in report.items()
        if name in CATALOGUE and each.numerator is not None and each.numerator < each.denominator
    ]
    failing.sort(key=lambda one: _rank(now, *one))
    return [_fix(report, now, criterion, each) for criterion, each in failing[:FIXES_MAX]]


def _rank(now: Level, criterion: Criterion, each: Evaluation) -> tuple[bool, int, bool, Fraction]:
    reached = Fraction(each.numerator or 0) / Fraction(each.denominator)
    return criterion.level < now, criterion.level, criterion.scope == "application", reached


def _fix(
    report: Mapping[str, Evaluation], now: Level, criterion: Criterion, each: Evaluation
) -> Fix:
    mended = Evaluation(each.denominator, each.denominator, "", "pass")
    then = standing(scores_of({**report, criterion.id: mended})).level
    return Fix(
        criterion=criterion.id,
        title=criterion.title,
        level=criterion.level,
        rationale=each.rationale,
        remedy=criterion.remedy,
        opens=then if then > now else None,
    )
