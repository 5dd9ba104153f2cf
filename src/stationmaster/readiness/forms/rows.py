"""A report's criteria as rows, in the order of the levels that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stationmaster.readiness.catalogue import CORE, CRITERIA
from stationmaster.readiness.levels import LevelResult, shown
from stationmaster.readiness.model import LEVELS, ApplicationVerdict, Level, Report, State, state_of

STATES: Mapping[State, tuple[str, str]] = {
    "fail": ("✗", "fails"),
    "partial": ("◐", "passes in part"),
    "not_evaluated": ("?", "not evaluated"),
    "pass": ("✓", "passes"),
    "skipped": ("–", "does not apply"),
}
"""A mark and words for each state."""


class CriterionRow(NamedTuple):
    """A criterion. `figure` is how many applications pass of how many, "" where none was judged."""

    id: str
    title: str
    pillar: str
    state: State
    figure: str
    rationale: str
    findings: list[ApplicationVerdict]

    @property
    def mark(self) -> str:
        """The state as one character, such as ✓."""
        return STATES[self.state][0]

    @property
    def word(self) -> str:
        """The state in words, such as `does not apply`."""
        return STATES[self.state][1]


class Group(NamedTuple):
    """The criteria of a level with its percentage; those of no level are last, with None."""

    level: Level | None
    percentage: str
    rows: list[CriterionRow]


def groups(made: Report, result: LevelResult) -> list[Group]:
    """The criteria of a report by level, without levels that it has none of."""
    rows = [(_level(name), row(made, name)) for name in made.report]
    all_groups = [
        Group(
            level,
            "" if level is None else shown(result.levels[level].percentage),
            [row for own, row in rows if own == level],
        )
        for level in (*LEVELS, None)
    ]
    return [group for group in all_groups if group.rows]


def _level(name: str) -> Level | None:
    return CORE[name].level if name in CORE else None


def row(made: Report, name: str) -> CriterionRow:
    evaluation, criterion = made.report[name], CRITERIA.get(name)
    numerator = evaluation.numerator
    return CriterionRow(
        name,
        name if criterion is None else criterion.title,
        "" if criterion is None else criterion.pillar,
        state_of(evaluation),
        "" if numerator is None else f"{numerator}/{evaluation.denominator}",
        evaluation.rationale,
        (made.evidence or {}).get(name, []),
    )
