"""`/people` and `/teams`: everyone, or every team, with what was used, sorted by a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from starlette.responses import Response

from stationmaster import days
from stationmaster.limits import service as limits
from stationmaster.people import reads
from stationmaster.web import spend
from stationmaster.web.charts.axes import long_label
from stationmaster.web.figures.blocks import Card, Column, Row, Table, Value
from stationmaster.web.figures.reports import ReportAnswer
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame.pages import AnyVisit, router
from stationmaster.web.limits.page import LISTED_MAX, read_period

PATH = "/people"
TEAMS = "/teams"
PER_PAGE = 100
PAGES = tuple(f"{number}" for number in range(1, LISTED_MAX // PER_PAGE + 1))
USED = (
    Column("Dollars", "usd", sort="dollars"),
    Column("Credits", "credits", sort="credits"),
    Column("Sessions", sort="sessions"),
)
SHARE = Column("Of the limit", "share", sort="share")
NAMED = (Column("Team", "text"), Column("Agents", "text"), Column("Last active", "text"))
DONE = (Column("Commits", sort="commits"), Column("Pull requests", sort="requests"))
SORTS = ("dollars", "credits", "sessions", "share", "commits", "requests", "name")

routes = router()


class RowsPage(NamedTuple):
    """The rows of one page of a long table, and the numbers of the pages beside it."""

    rows: Sequence[Row]
    first: int
    before: str | None
    after: str | None


@routes.get(PATH)
def show_people(visit: AnyVisit) -> Response:
    """Everyone of the organization, whether they were active or not, where people have names."""
    view = View(visit, ("team", "agent", "repository"), {"sort": SORTS, "page": PAGES})
    return view.answer("people.html", PEOPLE, cards=_cards, notes=spend.notes, page_of=page_of)


@routes.get(TEAMS)
def show_teams(visit: AnyVisit) -> Response:
    view = View(visit, ("agent", "repository"), {"sort": SORTS, "page": PAGES})
    return view.answer("teams.html", TEAM_TABLE, notes=spend.notes, page_of=page_of)


def page_of(view: View, table: Table) -> RowsPage:
    """The rows of the page that the address names."""
    number = int(view.own["page"])
    start = (number - 1) * PER_PAGE
    rows = table.rows[start : start + PER_PAGE]
    after = f"{number + 1}" if start + PER_PAGE < len(table.rows) else None
    return RowsPage(rows, start + 1, f"{number - 1}" if number > 1 else None, after)


def _cards(view: View) -> list[Card]:
    """Who is expected and who was active, where people are shown by name."""
    if not view.policy.is_named:
        return []
    expected = [person for person in view.everyone if person.kind != "service"]
    states = [person.state for person in expected]
    active = {row["group_key"] for row in _answer(view, "user").rows}
    return [
        Card("Active in these days", sum(person.id in active for person in expected)),
        Card("Expected", len(expected), notes=["members, and other people in telemetry"]),
        Card("Stopped sending", states.count("stopped"), link="/coverage"),
        Card("Never sent", states.count("never"), link="/coverage"),
    ]


def _answer(view: View, group_by: str) -> ReportAnswer:
    return view.report("spend", group_by=group_by, per="month")


def _people(view: View) -> Table:
    """Everyone with a row of figures; those without any only where no filter is set."""
    answer = _answer(view, "user")
    used = spend.used(answer.rows)
    if view.policy.is_named:
        columns: tuple[Column, ...] = (*USED, SHARE, *NAMED)
        rows = _named_rows(view, used)
    else:
        columns = (*USED, *DONE)
        rows = [
            Row(view.people.get(key, key), figures, f"{PATH}/{quote(key)}")
            for key, figures in used.items()
        ]
    table = Table("people", "People", "Person", columns, rows, answer.call)
    return _ordered(view, table)._replace(
        empty="No person was active in these days with these filters."
    )


def _named_rows(view: View, used: Mapping[str, Sequence[float | None]]) -> list[Row]:
    assert view.period is not None
    services, org = view.services, view.org
    counted = read_period(view)
    usage = limits.usage(services.db, org, *counted, after="", count=LISTED_MAX)
    shares = {standing.principal_id: standing.share for standing in usage.standings}
    activity = reads.activity(services.db, org, *view.period)
    rows = []
    for person in view.everyone:
        if person.id not in used and view.filters.only:
            continue
        figures: Sequence[Value] = used.get(person.id, (0, 0, 0))[:3]
        about = activity.get(person.id, reads.Activity(None))
        last = None if person.last_seen is None else long_label(days.of_ms(person.last_seen))
        values = (
            about.team,
            ", ".join(sorted(about.agents)) or None,
            last or "never",
        )
        rows.append(
            Row(
                view.people[person.id],
                (*figures, shares.get(person.id), *values),
                f"{PATH}/{quote(person.id)}",
            )
        )
    return rows


def _teams(view: View) -> Table:
    answer = _answer(view, "team")
    rows = [
        Row(key, figures, f"{TEAMS}/{quote(key, safe='')}")
        for key, figures in spend.used(answer.rows).items()
    ]
    table = Table("teams", "Teams", "Team", (*USED, *DONE), rows, answer.call)
    return _ordered(view, table)


def _ordered(view: View, table: Table) -> Table:
    """The table by the column that the address names, the largest first; else by name."""
    places = {column.sort: place for place, column in enumerate(table.columns) if column.sort}
    place = places.get(view.own["sort"])
    if place is None:
        return table._replace(rows=sorted(table.rows, key=lambda row: row.name.lower()))

    def key(row: Row) -> tuple[float, str]:
        value = row.values[place]
        return -(value if isinstance(value, int | float) else 0), row.name.lower()

    return table._replace(rows=sorted(table.rows, key=key))


PEOPLE: Mapping[str, Maker] = {"people": _people}
TEAM_TABLE: Mapping[str, Maker] = {"teams": _teams}
