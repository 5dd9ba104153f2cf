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

from stationmaster.readiness.catalogue import CATALOGUE, CRITERIA
from stationmaster.readiness.model import LEVELS, PILLARS, Level, Pillar, Scores

OPENS_NEXT = Fraction(4, 5)


class Part(NamedTuple):
    """How the criteria of a group did; `percentage` is None where none of them was judged.

    Rounded down to hundredths: it never shows a threshold that was not reached.
    """

    percentage: float | None
    evaluated: int
    criteria: int
    """How many the catalogue has."""
    not_evaluated: int
    """How many apply and could not be judged; the others that were not do not apply, or nobody
    looked."""


class Standing(NamedTuple):
    """What a report comes to. `lowest` and `highest` are the levels if all that was not evaluated
    failed or passed.
    """

    level: Level
    lowest: Level
    highest: Level
    overall: Part
    levels: dict[Level, Part]
    pillars: dict[Pillar, Part]
    unknown: list[str]
    """Criteria that the catalogue does not have; they count nowhere."""


_Rates = dict[str, tuple[int, int]]
"""Each known criterion's score as a fraction of integers."""
_BY_LEVEL = {
    level: [name for name, entry in CATALOGUE.items() if entry.level == level] for level in LEVELS
}
_BY_PILLAR = {
    pillar: [name for name, entry in CATALOGUE.items() if entry.pillar == pillar]
    for pillar in PILLARS
}


def shown(percentage: float | None) -> str:
    """A percentage for people: whole, rounded down, a dash where nothing was judged."""
    return "–" if percentage is None else f"{math.floor(percentage)} %"


def level_of(scores: Scores) -> Level:
    """The highest level that is open."""
    return _level(_rates(scores))


def standing(scores: Scores) -> Standing:
    rates = _rates(scores)
    open_names = [name for name in CATALOGUE if name in scores and scores[name] is None]
    return Standing(
        level=_level(rates),
        lowest=_level({**rates, **dict.fromkeys(open_names, (0, 1))}),
        highest=_level({**rates, **dict.fromkeys(open_names, (1, 1))}),
        overall=_part(rates, scores, list(CATALOGUE)),
        levels={level: _part(rates, scores, names) for level, names in _BY_LEVEL.items()},
        pillars={pillar: _part(rates, scores, names) for pillar, names in _BY_PILLAR.items()},
        unknown=sorted(scores.keys() - CRITERIA.keys()),
    )


def organization_level(levels: Iterable[Level]) -> Level | None:
    """The mean of the repositories' levels, rounded down; None without any."""
    found = list(levels)
    if not found:
        return None
    mean = sum(found) // len(found)
    return next(level for level in LEVELS if level == mean)


def _rates(scores: Scores) -> _Rates:
    found = {}
    for name in scores.keys() & CATALOGUE.keys():
        if (score := scores[name]) is not None:
            numerator, denominator = (number.as_integer_ratio() for number in score)
            found[name] = numerator[0] * denominator[1], numerator[1] * denominator[0]
    return found


def _level(rates: _Rates) -> Level:
    reached: Level = 1
    for level, names in _BY_LEVEL.items():
        reached = level
        rate = _mean(rates, names)
        if rate is None or rate < OPENS_NEXT:
            break
    return reached


def _part(rates: _Rates, scores: Scores, names: list[str]) -> Part:
    rate = _mean(rates, names)
    return Part(
        percentage=None if rate is None else math.floor(rate * 10_000) / 100,
        evaluated=sum(name in rates for name in names),
        criteria=len(names),
        not_evaluated=sum(name in scores and name not in rates for name in names),
    )


def _mean(rates: _Rates, names: list[str]) -> Fraction | None:
    found = [rates[name] for name in names if name in rates]
    if not found:
        return None
    # One common denominator: adding fractions reduces every sum, at ten times the price.
    common = math.lcm(*(below for _, below in found))
    return Fraction(sum(above * (common // below) for above, below in found), common * len(found))
