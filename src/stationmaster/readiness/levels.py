"""From a report's scores to levels and percentages.

A criterion's score is numerator / denominator; a group's is the mean of those of its criteria that
the report has. A repository starts at level 1, and a level whose score is at least 80 % opens the
next one. A level of which nothing was judged opens nothing. Compared as fractions, so that 80 % is
exactly that. Source: the published readiness model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from stationmaster.readiness.catalogue import CATALOGUE, LEVELS, PILLARS, Level, Pillar
from stationmaster.readiness.model import Scores

OPENS_NEXT = Fraction(4, 5)


class Part(NamedTuple):
    """How the criteria of a group did; `percentage` is None where none of them was judged.

    Rounded down to hundredths: it never shows a threshold that was not reached.
    """

    percentage: float | None
    evaluated: int
    criteria: int
    """How many the catalogue has."""


class Standing(NamedTuple):
    """What a report comes to."""

    level: Level
    overall: Part
    levels: dict[Level, Part]
    pillars: dict[Pillar, Part]
    unknown: list[str]
    """Criteria that the catalogue does not have; they count nowhere."""


_BY_LEVEL = {
    level: [name for name, entry in CATALOGUE.items() if entry.level == level] for level in LEVELS
}
_BY_PILLAR = {
    pillar: [name for name, entry in CATALOGUE.items() if entry.pillar == pillar]
    for pillar in PILLARS
}


def level_of(scores: Scores) -> Level:
    """The highest level that is open."""
    reached: Level = 1
    for level, names in _BY_LEVEL.items():
        reached = level
        rate = _mean(scores, names)
        if rate is None or rate < OPENS_NEXT:
            break
    return reached


def standing(scores: Scores) -> Standing:
    return Standing(
        level=level_of(scores),
        overall=_part(scores, list(CATALOGUE)),
        levels={level: _part(scores, names) for level, names in _BY_LEVEL.items()},
        pillars={pillar: _part(scores, names) for pillar, names in _BY_PILLAR.items()},
        unknown=sorted(scores.keys() - CATALOGUE.keys()),
    )


def organization_level(levels: Iterable[Level]) -> Level | None:
    """The mean of the repositories' levels, rounded down; None without any."""
    found = list(levels)
    if not found:
        return None
    mean = sum(found) // len(found)
    return next(level for level in LEVELS if level == mean)


def _part(scores: Scores, names: list[str]) -> Part:
    rate = _mean(scores, names)
    return Part(
        percentage=None if rate is None else math.floor(rate * 10_000) / 100,
        evaluated=sum(name in scores for name in names),
        criteria=len(names),
    )


def _mean(scores: Scores, names: list[str]) -> Fraction | None:
    rates = [
        Fraction(scores[name][0]) / Fraction(scores[name][1]) for name in names if name in scores
    ]
    return sum(rates, Fraction()) / len(rates) if rates else None
