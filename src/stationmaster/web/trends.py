"""Figures of a report beside those of the compared period: as a card, and as bars by group."""

from __future__ import annotations

from stationmaster.analytics.model import Insight, Report
from stationmaster.web import folds
from stationmaster.web.agent_names import agent_name
from stationmaster.web.blocks import Card, Plot
from stationmaster.web.charts.model import Chart, series_of
from stationmaster.web.view import View


def card(view: View, report: Insight, name: str, field: str, unit: folds.Unit = "count") -> Card:
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


def known_card(
    view: View, report: Insight, name: str, field: str, unit: folds.Unit = "count"
) -> Card:
    """The same without a value where no day has figures."""
    made = card(view, report, name, field, unit)
    return made if view.report(report).rows else made._replace(value=None)


def by_group(
    view: View,
    report: Report | Insight,
    part: str,
    field: str,
    *,
    name: str,
    title: str,
    unit: folds.Unit = "count",
) -> Plot:
    """A figure a day, stacked by agent or model."""
    answer, plain, days = view.report(report, group_by=part), view.report(report), view.days()
    values = folds.by_group(answer.rows, days, field, {row["date"] for row in plain.rows})
    period, before = view.before(), None
    if period is not None:
        rows = view.report(report, of=period).rows
        before = folds.fitted(folds.course(rows, period.each(), field), len(days))
    label = agent_name if part == "agent" else str
    return Plot(
        Chart(name, title, unit, days, series_of(values, label=label), before=before), answer.call
    )
