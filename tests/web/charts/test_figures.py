"""Figures as people read them."""

from __future__ import annotations

import pytest

from stationmaster.web.charts.axes import ticks
from stationmaster.web.charts.figures import Unit, change, exact, short


@pytest.mark.parametrize(
    ("value", "unit", "text", "whole"),
    [
        (None, "usd", "–", "–"),
        (0, "usd", "$0.00", "$0.00"),
        (0.004, "usd", "$0.00", "$0.00"),
        (12.345, "usd", "$12.35", "$12.35"),
        (99.999, "usd", "$100", "$100.00"),
        (999.6, "usd", "$1k", "$999.60"),
        (1234.5, "usd", "$1.23k", "$1,234.50"),
        (45_600_123, "tokens", "45.6M", "45,600,123"),
        (999_999, "tokens", "1M", "999,999"),
        (7, "count", "7", "7"),
        (2.5, "count", "2.5", "2.50"),
        (-1500, "usd", "−$1.5k", "-$1,500.00"),
        (0.874, "share", "87 %", "87.4 %"),
    ],
)
def test_a_figure_is_short_in_cards_and_exact_in_tables(
    value: float | None, unit: Unit, text: str, whole: str
) -> None:
    assert short(value, unit) == text
    assert exact(value, unit) == whole


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (112, 100, "12 % more"),
        (50, 100, "50 % less"),
        (100.2, 100, "about the same"),
        (5000, 10, "over ten times as much"),
        (5, 0, None),
        (None, 3, None),
        (0, 3, "100 % less"),
    ],
)
def test_a_change_is_said_in_words(now: float | None, before: float, said: str | None) -> None:
    assert change(now, before) == said


@pytest.mark.parametrize(
    ("highest", "steps"),
    [
        (0, [0, 1]),
        (1, [0, 0.25, 0.5, 0.75, 1]),
        (9, [0, 2.5, 5, 7.5, 10]),
        (37, [0, 10, 20, 30, 40]),
        (1000, [0, 250, 500, 750, 1000]),
        (0.003, [0, 0.001, 0.002, 0.003]),
    ],
)
def test_a_scale_has_round_steps_up_to_the_highest_value(
    highest: float, steps: list[float]
) -> None:
    assert ticks(highest) == steps
