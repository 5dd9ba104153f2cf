"""What changed between two reports on a repository."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.readiness.levels import standing
from stationmaster.readiness.model import Content, Evaluation, Level, Number, scores_of


class Change(NamedTuple):
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
    better: list[Change]
    worse: list[Change]
    other: list[Change]
    """Judged before and not now, or the other way round."""


def between(before: Content, after: Content) -> Difference:
    """The levels of two reports, and the criteria that became better or worse, in order of ids."""
    found = Difference(
        level_before=standing(scores_of(before.report)).level,
        level_after=standing(scores_of(after.report)).level,
        other_criteria=before.criteria_version != after.criteria_version,
        better=[],
        worse=[],
        other=[],
    )
    for name in sorted(before.report.keys() | after.report.keys()):
        change = Change(name, before.report.get(name), after.report.get(name))
        _sort_in(found, change)
    return found


def _sort_in(found: Difference, change: Change) -> None:
    old, new = _score(change.before), _score(change.after)
    if old is None and new is None:
        return
    if old is None or new is None:
        found.other.append(change)
    elif old[0] * new[1] < new[0] * old[1]:
        found.better.append(change)
    elif old[0] * new[1] > new[0] * old[1]:
        found.worse.append(change)


def _score(each: Evaluation | None) -> tuple[Number, Number] | None:
    if each is None or each.numerator is None:
        return None
    return each.numerator, each.denominator
