"""Scales of charts: round steps upwards, few dates along."""

from __future__ import annotations

import math
from datetime import date

LABELS_MAX = 4
"""Labels along the bottom that fit next to each other at 360 pixels."""
_STEPS = (1, 2, 2.5, 5, 10)
_STEP_COUNT = 4


def ticks(highest: float) -> list[float]:
    """Round values from 0 to at or above the highest one, in about four steps."""
    if highest <= 0:
        return [0, 1]
    raw = highest / _STEP_COUNT
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in _STEPS if size * factor >= raw * 0.999)
    count = math.ceil(highest / step - 1e-9)
    return [round(step * n, 10) for n in range(count + 1)]


def places(count: int) -> list[int]:
    """Which of so many places have a label: evenly spread, first and last included."""
    last = count - 1
    if last <= 0:
        return [0] * count
    labels = min(LABELS_MAX, count)
    return [round(last * n / (labels - 1)) for n in range(labels)]


def label(day: date) -> str:
    """A day without its year: `22 Nov`."""
    return f"{day.day} {day:%b}"


def long_label(day: date) -> str:
    """A whole date: `22 Nov 2026`."""
    return f"{day.day} {day:%b %Y}"
