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

from stationmaster.readiness.catalogue import CORE, CRITERIA
from stationmaster.readiness.model import LEVELS, PILLARS, Level, Number, Pillar, Scores

OPENS_NEXT = Fraction(4, 5)


class GroupResult(NamedTuple):
    """How the criteria of a group did; `percentage` is None where none of them was judged.

    Rounded down to hundredths: it never shows a threshold that was not reached.
    """

    percentage: float | None
    evaluated: int
    criteria: int
    """How many the catalogue has."""
    not_evaluated: int
    """How many apply and could not be judged; the others that were not do not apply, or were not
    examined."""


class LevelResult(NamedTuple):
    """The result of a report. `lowest` and `highest` are the levels if all that was not evaluated
    failed or passed.
    """

    level: Level
    lowest: Level
    highest: Level
    overall: GroupResult
    levels: dict[Level, GroupResult]
    pillars: dict[Pillar, GroupResult]
    unknown: list[str]
    """Criteria that the catalogue does not have; they count nowhere."""


class _Rates(NamedTuple):
    """Each known criterion's score as a whole number of parts, of which `whole` make a full one."""

    whole: int
    parts: dict[str, int]


_ALL = list(CORE)
_BY_LEVEL = {
    level: [name for name, entry in CORE.items() if entry.level == level] for level in LEVELS
}
_BY_PILLAR = {
    pillar: [name for name, entry in CORE.items() if entry.pillar == pillar] for pillar in PILLARS
}


def shown(percentage: float | None) -> str:
    """A percentage for people: whole, rounded down, a dash where nothing was judged."""
    return "–" if percentage is None else f"{math.floor(percentage)} %"


def level_of(scores: Scores) -> Level:
    """The highest level that is open."""
    return _level(_rates(scores))


def rank(scores: Scores) -> tuple[Level, float]:
    """What repositories are sorted by: the level, then the percentage of all criteria."""
    rates = _rates(scores)
    return _level(rates), _percentage(rates, _ALL) or 0.0


def standing(scores: Scores) -> LevelResult:
    """The level and pass rates of scores, with the range that criteria not evaluated leave open."""
    rates = _rates(scores)
    open_names = [name for name in CORE if name in scores and scores[name] is None]
    return LevelResult(
        level=_level(rates),
        lowest=_level(_with(rates, open_names, 0)),
        highest=_level(_with(rates, open_names, rates.whole)),
        overall=_part(rates, scores, _ALL),
        levels={level: _part(rates, scores, names) for level, names in _BY_LEVEL.items()},
        pillars={pillar: _part(rates, scores, names) for pillar, names in _BY_PILLAR.items()},
        unknown=sorted(scores.keys() - CRITERIA.keys()),
    )


def organization_level(levels: Iterable[Level]) -> Level | None:
    """The mean of the repositories' levels, rounded down; None without any."""
    present = list(levels)
    if not present:
        return None
    mean = sum(present) // len(present)
    return next(level for level in LEVELS if level == mean)


def _rates(scores: Scores) -> _Rates:
    ratios = {
        name: _integers(*score)
        for name, score in scores.items()
        if score is not None and name in CORE
    }
    # One common denominator: adding fractions reduces every sum, at many times the price.
    whole = math.lcm(*{below for _, below in ratios.values()})
    parts = {name: above * (whole // below) for name, (above, below) in ratios.items()}
    return _Rates(whole, parts)


def _integers(numerator: Number, denominator: Number) -> tuple[int, int]:
    """The same fraction, of integers."""
    if type(numerator) is int and type(denominator) is int:
        return numerator, denominator
    (above, above_of), (below, below_of) = (
        number.as_integer_ratio() for number in (numerator, denominator)
    )
    return above * below_of, above_of * below


def _with(rates: _Rates, names: list[str], parts: int) -> _Rates:
    """The same with so many parts for some more criteria."""
    return rates._replace(parts={**rates.parts, **dict.fromkeys(names, parts)})


def _level(rates: _Rates) -> Level:
    reached: Level = 1
    for level, names in _BY_LEVEL.items():
        reached = level
        total, full = _sum(rates, names)
        if not full or total * OPENS_NEXT.denominator < full * OPENS_NEXT.numerator:
            break
    return reached


def _part(rates: _Rates, scores: Scores, names: list[str]) -> GroupResult:
    return GroupResult(
        percentage=_percentage(rates, names),
        evaluated=sum(name in rates.parts for name in names),
        criteria=len(names),
        not_evaluated=sum(name in scores and name not in rates.parts for name in names),
    )


def _percentage(rates: _Rates, names: list[str]) -> float | None:
    total, full = _sum(rates, names)
    return total * 10_000 // full / 100 if full else None


def _sum(rates: _Rates, names: list[str]) -> tuple[int, int]:
    """The parts of those criteria of a group that were judged, and what all of them can have."""
    parts = [rates.parts[name] for name in names if name in rates.parts]
    return sum(parts), rates.whole * len(parts)
