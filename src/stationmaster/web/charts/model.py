"""What a chart shows: days, series and notes on them; which of the eight colours
a series has, the same on every page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from hashlib import blake2b
from typing import NamedTuple

from stationmaster.agents import cards
from stationmaster.web.charts import axes
from stationmaster.web.charts.figures import Unit


class Series(NamedTuple):
    """One line or one part of the bars: a value a day, None where there is none."""

    name: str
    values: Sequence[float | None]
    slot: int
    label: str = ""
    """What pages show for the name, if it is not the name."""

    @property
    def shown(self) -> str:
        """The label, or the name where there is none."""
        return self.label or self.name


class Chart(NamedTuple):
    """One question, which `title` states, over consecutive days."""

    name: str
    """Unique on its page: letters, digits and hyphens."""
    title: str
    unit: Unit
    days: Sequence[date]
    series: Sequence[Series]
    is_last_unfinished: bool = False
    """The last day is not over: it is hatched and left out of sums and comparisons."""
    zone: str = "UTC"
    """Of days and hours."""
    before: Sequence[float | None] | None = None
    """The totals of the compared period, day by day."""
    note: str | None = None
    """How late and how complete the figures are."""
    is_summed: bool = True
    """May series, and days, be added up? People who are active on several days may not."""
    places: Sequence[str] | None = None
    """Labels along the bottom instead of days, such as hours, one for each value."""

    @property
    def width(self) -> int:
        """The number of places along the bottom."""
        return len(self.days) if self.places is None else len(self.places)

    def place(self, number: int) -> str:
        """A day in short, or another place."""
        return axes.label(self.days[number]) if self.places is None else self.places[number]

    def whole_place(self, number: int) -> str:
        """A whole date, or another place."""
        return axes.long_label(self.days[number]) if self.places is None else self.places[number]

    def total(self, series: Series) -> float | None:
        """The sum of a series over the days that are over."""
        return _sum(series.values[:-1] if self.is_last_unfinished else series.values)

    @property
    def totals(self) -> list[float | None]:
        """The sum of all series for each day; None where no series has a value."""
        columns = zip(*(series.values for series in self.series), strict=True)
        sums = [_sum(column) for column in columns]
        return sums or [None] * self.width

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but zeros and gaps, in the compared period, too."""
        return not any(self.totals) and not any(self.before or ())


def series_of(
    values: dict[str, list[float | None]], label: Callable[[str], str] = str
) -> list[Series]:
    """Series of at most COLOURS names, the largest first; the rest becomes one, at the end."""
    ranked = sorted(values, key=lambda name: (-sum(v or 0 for v in values[name]), name))
    shown = ranked if len(ranked) <= COLOURS else ranked[: COLOURS - 1]
    colours = slots(shown)
    series = [Series(name, values[name], colours[name], label(name)) for name in shown]
    pooled = [values[name] for name in ranked[len(shown) :]]
    if pooled:
        sums = [_sum(column) for column in zip(*pooled, strict=True)]
        series.append(Series(f"other ({len(pooled)})", sums, OTHER))
    return series


def _sum(column: Sequence[float | None]) -> float | None:
    values = [value for value in column if value is not None]
    return sum(values) if values else None


COLOURS = 8
OTHER = 0
"""The slot of what is pooled, grey; slots of series are 1 to COLOURS. The style sheet names them
`s0` to `s8`."""


def slots(names: Sequence[str]) -> Mapping[str, int]:
    """A slot of the palette for each of at most COLOURS names, no two the same.

    A name takes its own slot where it is free, else the next free one, so that a chart of other
    names seldom changes the colour of one.
    """
    taken: dict[str, int] = {}
    agents = {name: card.colour for name in names if (card := cards.find(name))}
    for name in sorted(names, key=lambda name: (name not in agents, name)):
        preferred = (
            agents.get(name) or blake2b(name.encode(), digest_size=2).digest()[0] % COLOURS + 1
        )
        free = (1 + (preferred - 1 + step) % COLOURS for step in range(COLOURS))
        taken[name] = next(slot for slot in free if slot not in taken.values())
    return taken
