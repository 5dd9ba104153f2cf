"""`/`: how the organization's agents stand this month, and what needs a person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial

from starlette.responses import Response

from stationmaster.web import needs, spend
from stationmaster.web.charts.figures import Unit, short
from stationmaster.web.figures import folds, month
from stationmaster.web.figures.blocks import Card, Table
from stationmaster.web.figures.month import Course
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, router, see_other

PATH = "/"
TOP = 5
"""Rows of each ranking."""

routes = router()


@routes.get(PATH)
def show_overview(visit: AnyVisit) -> Response:
    """The page, or where somebody begins who may not see the figures of all."""
    if not visit.is_manager:
        return see_other(menu.home(visit.caller))
    view = View(visit, own=spend.BY)
    return view.answer(
        "overview.html",
        BLOCKS,
        cards=_cards,
        notes=spend.notes,
        needs=needs.of(view) if view.has_figures else [],
    )


def _cards(view: View) -> list[Card]:
    answer = view.report("spend", of=month.asked(view.filters.today))
    rows = {date.fromisoformat(row["date"]): row for row in answer.rows}
    month_name = f"{view.filters.today:%B} so far"

    def course(field: str) -> tuple[Course, list[float | None]]:
        values = {day: folds.number(row[field]) or 0.0 for day, row in rows.items()}
        return month.course(values, view.filters.today), folds.course(
            answer.rows, view.days(), field
        )

    def card(title: str, field: str, unit: Unit = "count") -> Card:
        measure, by_day = course(field)
        forecast = [] if measure.forecast is None else [f"forecast {short(measure.forecast, unit)}"]
        return Card(
            title,
            measure.so_far,
            unit,
            measure.before,
            is_compared=measure.before is not None,
            days=by_day,
            notes=[month_name, *(forecast if unit in ("usd", "credits") else ())],
        )

    return [
        card("Dollars", "cost_usd", "usd")._replace(link="/spend?range=month"),
        card("Credits", "billable_tokens", "credits")._replace(link="/spend?range=month"),
        _people(view),
        card("Commits", "git_commits")._replace(link="/output?range=month"),
        card("Pull requests", "git_prs_created")._replace(link="/output?range=month"),
    ]


def _people(view: View) -> Card:
    """Who was active in the 30 days up to the last closed one."""
    rows = view.report("activity").rows
    expected = [person for person in view.everyone if person.kind != "service"]
    of = f", of {len(expected)} expected" if view.policy.is_named else ""
    return Card(
        "People active",
        rows[-1]["monthly_active_users"] if rows else None,
        link="/use",
        days=folds.course(rows, view.days(), "daily_active_users"),
        notes=[f"in 30 days{of}"],
    )


def _top(dimension: str, view: View) -> Table:
    table = spend.ranking(dimension, view)
    rows = [row._replace(values=row.values[:1]) for row in table.rows]
    return table._replace(
        columns=table.columns[:1], rows=rows, shown_max=TOP, more=f"/spend#by-{dimension}"
    )


BLOCKS: Mapping[str, Maker] = {
    "by-day": spend.BLOCKS["by-day"],
    **{
        f"by-{dimension}": partial(_top, dimension)
        for dimension in ("person", "team", "repository")
    },
}
