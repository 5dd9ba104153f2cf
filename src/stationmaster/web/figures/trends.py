"""Figures of a report with those of the compared period: as a card, and as bars by group."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.report_names import Insight, Report
from stationmaster.web.charts.figures import Unit
from stationmaster.web.charts.model import Chart, Series, series_of
from stationmaster.web.figures import folds, today
from stationmaster.web.figures.blocks import Card, Plot, agent_name
from stationmaster.web.figures.view import View


def card(view: View, report: Insight, name: str, field: str, unit: Unit = "count") -> Card:
    """A total of the chosen days."""
    answer, period = view.report(report), view.before()
    before = None if period is None else view.report(report, of=period).meta["totals"]
    return Card(
        name,
        folds.number(answer.meta["totals"][field]),
        unit,
        None if before is None else folds.number(before[field]),
        is_compared=before is not None,
        days=folds.course(answer.rows, view.days(), field),
    )


def known_card(view: View, report: Insight, name: str, field: str, unit: Unit = "count") -> Card:
    """The same without a value where no day has figures."""
    made = card(view, report, name, field, unit)
    return made if view.report(report).rows else made._replace(value=None)


def sum_card(view: View, report: Report, name: str, field: str) -> Card:
    """The sum of a figure of one of the five reports, over the chosen days."""
    rows, period, before = view.report(report).rows, view.before(), None
    if period is not None:
        before = sum(row[field] for row in view.report(report, of=period).rows)
    course = folds.course(rows, view.days(), field)
    amount = sum(row[field] for row in rows)
    return Card(name, amount, "count", before, period is not None, days=course)


def lines(rows: folds.Rows, view: View, fields: Mapping[str, str]) -> list[Series]:
    """A line for each field of rows by day, under its name."""
    return [
        Series(name, folds.course(rows, view.days(), field), slot)
        for slot, (field, name) in enumerate(fields.items(), start=1)
    ]


def by_group(
    view: View,
    report: Report | Insight,
    part: str,
    field: str,
    *,
    name: str,
    title: str,
    unit: Unit = "count",
) -> Plot:
    """A figure a day, stacked by agent or model."""
    answer, plain, days = view.report(report, group_by=part), view.report(report), view.days()
    values = folds.by_group(answer.rows, days, field, {row["date"] for row in plain.rows})
    period, before = view.before(), None
    if period is not None:
        rows = view.report(report, of=period).rows
        before = folds.fitted(folds.course(rows, period.dates(), field), len(days))
    zone = answer.meta.get("time_zone", "UTC")
    is_open = view.ends_today and zone == "UTC" and _add_today(view, values, part, field)
    if is_open:
        days = [*days, view.filters.today]
        before = None if before is None else [*before, None]
    label = agent_name if part == "agent" else str
    series = series_of(values, label=label)
    return Plot(
        Chart(name, title, unit, days, series, is_open, before=before, zone=zone), answer.call
    )


def _add_today(view: View, values: dict[str, list[float | None]], part: str, field: str) -> bool:
    """Append the running day to the values of each group; False, and nothing, where it is not
    counted so."""
    so_far = {} if view.so_far is None else today.of_group(view.so_far, part, field)
    if not so_far:
        return False
    nothing: list[float | None] = [0.0] * len(view.days())
    for name in {*values, *so_far}:
        values[name] = [*values.get(name, nothing), so_far.get(name)]
    return True
