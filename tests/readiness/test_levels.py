from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, strategies as st

from stationmaster.readiness import levels
from stationmaster.readiness.catalogue import CORE
from stationmaster.readiness.model import LEVELS, Level, Number, Scores


def of_level(level: int) -> list[str]:
    return [name for name, entry in CORE.items() if entry.level == level]


def fraction(score: tuple[Number, Number] | None) -> Fraction:
    assert score is not None
    return Fraction(score[0]) / Fraction(score[1])


def passing(*wanted: int) -> Scores:
    return {name: (1, 1) for level in wanted for name in of_level(level)}


def test_a_repository_starts_at_level_1() -> None:
    assert levels.level_of({}) == 1
    assert levels.level_of({"readme": (0, 1)}) == 1


@pytest.mark.parametrize(
    ("done", "level"),
    [((1,), 2), ((1, 2), 3), ((1, 2, 3), 4), ((1, 2, 3, 4), 5), ((1, 2, 3, 4, 5), 5)],
)
def test_each_passed_level_opens_the_next(done: tuple[int, ...], level: int) -> None:
    assert levels.level_of(passing(*done)) == level


def test_a_level_of_which_nothing_was_judged_opens_nothing() -> None:
    assert levels.level_of(passing(2, 3, 4)) == 1
    assert levels.level_of(passing(1, 3)) == 2


@pytest.mark.parametrize(
    ("scores", "level"),
    [
        ([(1, 1)] * 4 + [(0, 1)], 2),
        ([(1, 1)] * 3 + [(0, 1)], 1),
        ([(4, 5)], 2),
        ([(799_999, 1_000_000)], 1),
        ([(0.8, 1)], 2),
        ([(1, 10), (1, 1), (1, 1), (1, 1), (9, 10)], 2),
        ([(1, 3), (1, 1), (1, 1), (2, 3), (1, 1)], 2),
        ([(1, 3), (1, 1), (1, 1), (65, 100), (1, 1)], 1),
    ],
)
def test_exactly_80_percent_open_the_next_level(
    scores: list[tuple[float, float]], level: int
) -> None:
    given_scores: Scores = dict(zip(of_level(1), scores, strict=False))

    assert levels.level_of(given_scores) == level


def test_criteria_that_nobody_knows_are_named_and_count_nowhere() -> None:
    scores = passing(1)

    standing = levels.standing({**scores, "zeal": (0, 1), "aura": (1, 1)})

    assert standing.unknown == ["aura", "zeal"]
    assert standing._replace(unknown=[]) == levels.standing(scores)


def test_percentages_are_means_rounded_down() -> None:
    standing = levels.standing({"readme": (2, 3), "license": (1, 1), "codeowners": (0, 1)})

    assert standing.levels[1] == (83.33, 2, 8, 0)
    assert standing.levels[2] == (0.0, 1, 30, 0)
    assert standing.levels[3].percentage is None
    assert standing.pillars["Documentation"].percentage == 83.33
    assert standing.pillars["Security"] == (0.0, 1, 13, 0)
    assert standing.pillars["Testing"].percentage is None
    assert (standing.overall.percentage, standing.overall.evaluated) == (55.55, 3)


def test_a_percentage_never_shows_a_threshold_that_was_not_reached() -> None:
    standing = levels.standing({"readme": (799_999, 1_000_000)})

    assert (standing.level, standing.levels[1].percentage) == (1, 79.99)


@pytest.mark.parametrize(
    ("of_repositories", "level"),
    [([], None), ([1], 1), ([1, 2], 1), ([2, 2, 3], 2), ([5, 5, 5, 4], 4), ([5], 5)],
)
def test_an_organizations_level_is_the_mean_rounded_down(
    of_repositories: list[Level], level: int | None
) -> None:
    assert levels.organization_level(of_repositories) == level


PAIRS: list[tuple[Number, Number]] = [(n, d) for d in range(1, 21) for n in range(d + 1)]
QUARTERS: list[tuple[Number, Number]] = [(n / 4, d / 4) for d in range(1, 81) for n in range(d + 1)]
SCORE = st.sampled_from(PAIRS) | st.sampled_from(QUARTERS)


@given(st.dictionaries(st.sampled_from([*CORE, "unheard_of"]), SCORE))
def test_the_level_is_what_the_rule_says_whatever_the_scores(scores: Scores) -> None:
    expected = 1
    for level in LEVELS:
        expected = level
        rates = [fraction(scores[name]) for name in of_level(level) if name in scores]
        if not rates or 5 * sum(rates) < 4 * len(rates):
            break

    standing = levels.standing(scores)

    assert standing.level == expected
    every = [fraction(scores[name]) for name in CORE if name in scores]
    mean = floor(sum(every) / len(every) * 10_000) / 100 if every else None
    assert standing.overall.percentage == mean
    assert levels.rank(scores) == (expected, mean or 0)
    assert sum(part.evaluated for part in standing.levels.values()) == standing.overall.evaluated
    assert sum(part.evaluated for part in standing.pillars.values()) == standing.overall.evaluated


def test_what_was_not_evaluated_counts_neither_way_and_opens_a_range() -> None:
    half = of_level(1)[:4]
    standing = levels.standing(
        {**passing(1), **dict.fromkeys(half, (1, 1)), of_level(2)[0]: (1, 1)}
    )
    open_ones: Scores = dict.fromkeys(of_level(2)[1:])

    ranged = levels.standing({**passing(1), of_level(2)[0]: (1, 1), **open_ones})

    assert (standing.lowest, standing.level, standing.highest) == (3, 3, 3)
    assert (ranged.lowest, ranged.level, ranged.highest) == (2, 3, 3)
    assert ranged.levels[2] == (100.0, 1, 30, 29)
    assert ranged.overall.not_evaluated == 29
