"""The shapes of charts; the template `charts.html` writes them as SVG.

What scales with the width belongs to an inner picture that may be stretched, a day being COLUMN of
its units; text is in the outer one, so that it keeps its size at 360 pixels as at 1,920.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stationmaster.web.charts.axes import places, ticks
from stationmaster.web.charts.figures import exact, short
from stationmaster.web.charts.model import Chart

HEIGHT = 180
"""Pixels between the lowest and the highest line of the grid."""
TOP = 12
"""Pixels above the highest line, for half of its label."""
COLUMN = 10


class Path(NamedTuple):
    """A shape of the inner picture; `style` is its class in the style sheet."""

    style: str
    d: str


class AxisLabel(NamedTuple):
    """A label: at a height in pixels next to the grid, or at a share of the width below it."""

    at: str
    text: str
    anchor: str = "end"


class Drawing(NamedTuple):
    """All shapes of a chart."""

    name: str
    title: str
    description: str
    width: int
    """Units of the inner picture."""
    paths: Sequence[Path]
    grid: Sequence[AxisLabel]
    dates: Sequence[AxisLabel]
    hatched: tuple[str, str] | None
    """Where an unfinished last day begins and how wide it is, as shares of the width."""


def bars(chart: Chart) -> Drawing:
    """Stacked bars, one a day."""
    top = _top([*chart.totals, *(chart.before or ())])
    base = [0.0] * chart.width
    width = COLUMN - (2 if chart.width <= 62 else 1)
    paths = []
    for series in chart.series:
        parts = []
        for place, value in enumerate(series.values):
            if not value:
                continue
            high, height = _y(base[place] + value, top), HEIGHT * value / top
            parts.append(
                f"M{place * COLUMN + 1} {_number(high)}h{width}v{_number(height)}h-{width}z"
            )
            base[place] += value
        paths.append(Path(f"s{series.slot}", "".join(parts)))
    return _drawing(chart, top, paths)


def lines(chart: Chart) -> Drawing:
    """One line a series; days without a value are gaps."""
    values = [value for series in chart.series for value in series.values]
    top = _top([*values, *(chart.before or ())])
    paths = [Path(f"line l{series.slot}", _line(series.values, top)) for series in chart.series]
    return _drawing(chart, top, paths)


def spark(values: Sequence[float | None]) -> Path:
    """A line without axes, for a card; the card has the figure."""
    return Path("line l1", _line(values, _top(values)))


def describe(chart: Chart) -> str:
    """The chart in sentences for those who do not see it."""
    totals = [(value, place) for place, value in enumerate(chart.totals) if value]
    if not totals:
        return "No data in this period."
    parts = [f"{chart.whole_place(0)} to {chart.whole_place(chart.width - 1)}."]
    if not chart.is_summed:
        last = [f"{series.shown} {exact(series.values[-1], chart.unit)}" for series in chart.series]
        return " ".join([*parts, f"Last: {', '.join(last)}."])
    highest, place = max(totals)
    if chart.unit != "share":
        total = sum(chart.total(series) or 0 for series in chart.series)
        parts.append(f"Total {exact(total, chart.unit)}.")
    if chart.is_last_unfinished:
        parts.append(f"Today so far, in no total: {exact(chart.totals[-1], chart.unit)}.")
    preposition = "on" if chart.places is None else "at"
    parts.append(f"Highest {preposition} {chart.place(place)}: {exact(highest, chart.unit)}.")
    if len(chart.series) > 1:
        parts.append(f"Parts: {', '.join(series.shown for series in chart.series)}.")
    return " ".join(parts)


def _drawing(chart: Chart, top: float, paths: list[Path]) -> Drawing:
    if chart.before is not None:
        paths.append(Path("line before", _line(chart.before, top)))
    count = chart.width
    is_hatched = chart.is_last_unfinished and count > 0
    return Drawing(
        chart.name,
        chart.title,
        describe(chart),
        width(count),
        paths,
        [
            AxisLabel(_number(TOP + _y(step, top)), short(step, chart.unit).removesuffix(".00"))
            for step in ticks(top)
        ],
        [_date(place, chart.place(place), count) for place in places(count)],
        (_share(count - 1, count), _share(1, count)) if is_hatched else None,
    )


def _date(place: int, text: str, count: int) -> AxisLabel:
    if place == 0 and count > 1:
        return AxisLabel("0%", text, "start")
    if place == count - 1 and count > 1:
        return AxisLabel("100%", text, "end")
    return AxisLabel(_share(place + 0.5, count), text, "middle")


def _top(values: Sequence[float | None]) -> float:
    highest = max((value or 0 for value in values), default=0)
    # Shares that were rounded one by one may add up to a little over 1.
    return ticks(1 if 1 < highest < 1.001 else highest)[-1]


def _line(values: Sequence[float | None], top: float) -> str:
    if len(values) == 1 and values[0] is not None:
        # A dot would be lost in a chart of one place.
        return f"M{COLUMN // 4} {_number(_y(values[0], top))}h{COLUMN // 2}"
    parts, is_open = [], False
    for place, value in enumerate(values):
        if value is None:
            is_open = False
            continue
        point = f"{place * COLUMN + COLUMN // 2} {_number(_y(value, top))}"
        # A lone day between gaps is a dot: a line of no length with round ends.
        parts.append(f"L{point}" if is_open else f"M{point}h0")
        is_open = True
    return "".join(parts)


def _y(value: float, top: float) -> float:
    return HEIGHT - HEIGHT * value / top


def width(days: int) -> int:
    """Units of the inner picture of so many days."""
    return max(days, 1) * COLUMN


def _share(part: float, whole: float) -> str:
    return f"{_number(100 * part / whole)}%"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
