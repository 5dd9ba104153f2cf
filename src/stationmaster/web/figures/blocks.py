"""The parts that pages of figures are made of: cards, charts and tables, and
the names of agents in them.

Each chart and table has a name of its own on its page. It is offered as CSV under the page's
address with `csv=NAME`, and shows the API call that answers the same.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Literal, NamedTuple

from stationmaster.agents import cards
from stationmaster.analytics.formats.spreadsheets import csv_cell
from stationmaster.web.charts import drawing
from stationmaster.web.charts.drawing import Drawing, Path
from stationmaster.web.charts.figures import Unit, change, short
from stationmaster.web.charts.model import Chart

Value = float | int | str | None


class Card(NamedTuple):
    """One figure: its value, the value of the compared period, its course by day, what to know."""

    name: str
    value: float | None
    unit: Unit = "count"
    before: float | None = None
    is_compared: bool = False
    link: str | None = None
    days: Sequence[float | None] = ()
    notes: Sequence[str] = ()

    @property
    def change(self) -> str | None:
        """Against the compared period, in words."""
        words = change(self.value, self.before) if self.is_compared else None
        if words is None:
            return None
        joined = "than" if words.endswith(("more", "less")) else "as"
        return f"{words} {joined} {short(self.before, self.unit)}"

    @property
    def spark(self) -> Path | None:
        """The line of its course by day; None with fewer than two values."""
        values = [value for value in self.days if value is not None]
        return drawing.spark(self.days) if len(values) > 1 else None

    @property
    def spark_width(self) -> int:
        """The width of that line's picture, in its units."""
        return drawing.width(len(self.days))


class Plot(NamedTuple):
    """A chart of days."""

    chart: Chart
    call: str
    shape: Literal["bars", "lines"] = "bars"
    of: str = "Day"
    """What a place along the bottom is."""
    kind: Literal["plot"] = "plot"

    @property
    def name(self) -> str:
        """The chart's name, unique on its page."""
        return self.chart.name

    @property
    def title(self) -> str:
        """The question that the chart answers."""
        return self.chart.title

    @property
    def drawing(self) -> Drawing:
        """The shapes of the chart, as bars or as lines."""
        return drawing.bars(self.chart) if self.shape == "bars" else drawing.lines(self.chart)

    def grid(self) -> list[list[Value]]:
        """The numbers with their heads, as the table next to the chart has them."""
        chart = self.chart
        columns = [series.values for series in chart.series]
        heads: list[Value] = [self.of, *(series.name for series in chart.series)]
        if len(chart.series) > 1 and chart.is_summed:
            heads.append("Total")
            columns.append(chart.totals)
        if chart.before is not None:
            heads.append("Period before")
            columns.append(chart.before)
        names = [*(chart.places or map(str, chart.days))]
        if chart.is_last_unfinished:
            names[-1] += " (so far)"
        rows: list[list[Value]] = [
            [place, *(column[number] for column in columns)] for number, place in enumerate(names)
        ]
        return [heads, *rows]


class Column(NamedTuple):
    """A column of figures."""

    name: str
    unit: Unit | Literal["text"] = "count"
    is_wide: bool = False
    """Left out on phones."""
    sort: str = ""
    """The value of the page's parameter `sort` that orders rows by it."""


class Row(NamedTuple):
    """A row of a table: its name, what the name leads to, and a value for each column."""

    name: str
    values: Sequence[Value]
    link: str | None = None
    slot: int | None = None
    """The colour that the name has in charts."""
    label: str = ""
    """What pages show for the name, if it is not the name."""

    @property
    def shown(self) -> str:
        """The label, or the name where there is none."""
        return self.label or self.name


class Table(NamedTuple):
    """Rows of figures; the first column's values are drawn as bars, too."""

    name: str
    title: str
    of: str
    """What a row is: the head of its first column."""
    columns: Sequence[Column]
    rows: Sequence[Row]
    call: str
    notes: Sequence[str] = ()
    empty: str = "No data in this period."
    shown_max: int = 20
    more: str | None = None
    """Where all rows are; without it, in the CSV."""
    kind: Literal["table"] = "table"

    @property
    def shown(self) -> Sequence[Row]:
        """The first `shown_max` rows."""
        return self.rows[: self.shown_max]

    def bar(self, row: Row) -> float:
        """The length of a row's bar as a percentage of the longest one."""
        longest = max((_number(row_of.values[0]) for row_of in self.rows), default=0)
        return round(100 * _number(row.values[0]) / longest, 1) if longest else 0

    def grid(self) -> list[list[Value]]:
        """All rows with their heads."""
        heads: list[Value] = [self.of, *(column.name for column in self.columns)]
        return [heads, *([row.name, *row.values] for row in self.rows)]


class HiddenBlock(NamedTuple):
    """In the place of a chart or table that the privacy mode does not show."""

    name: str
    reason: str
    kind: Literal["refused"] = "refused"

    @property
    def title(self) -> str:
        """The name as words that begin with a capital."""
        return self.name.replace("-", " ").capitalize()


Block = Plot | Table | HiddenBlock


def to_csv(block: Plot | Table) -> bytes:
    """Exactly what a chart or table shows, figures with all their digits."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([csv_cell(cell) for cell in line] for line in block.grid())
    return buffer.getvalue().encode()


def _number(value: Value) -> float:
    return value if isinstance(value, int | float) else 0


def agent_names() -> dict[str, str]:
    """The names of all agents."""
    return {card.product: card.title for card in cards.every()}


def agent_name(agent: str) -> str:
    """The name of an agent, or its product where it has none."""
    card = cards.find(agent)
    return agent if card is None else card.title
