"""`/repositories/ID/cost`: what agents cost in a repository, and what they did for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.responses import Response

from stationmaster.agents import values
from stationmaster.web import spend
from stationmaster.web.charts.model import Chart
from stationmaster.web.figures import trends
from stationmaster.web.figures.blocks import Card, Plot
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame.pages import MemberVisit, router
from stationmaster.web.repositories.repository import frame, known_repository
from stationmaster.web.repositories.rows import PATH

DIMENSIONS = ("team", "person", "agent", "model")
FIELDS = {"sessions": "Sessions", "git_commits": "Commits", "git_prs_created": "Pull requests"}

routes = router()


@routes.get(PATH + "/{repo_id}/cost")
def show_cost(visit: MemberVisit, repo_id: str) -> Response:
    """Figures of the agents' work in it, under the name that the reports have for it."""
    repository = known_repository(visit, repo_id)
    name = values.repository(repository.url) or repository.url
    view = View(visit, DIMENSIONS, part={"repository": name})
    return view.answer(
        "repository_cost.html",
        BLOCKS,
        cards=_cards,
        notes=spend.notes,
        **frame(visit, repository, "cost"),
    )


def _cards(view: View) -> list[Card]:
    card = partial(trends.card, view, "spend")
    return [card("Dollars", "cost_usd", "usd"), *(card(t, field) for field, t in FIELDS.items())]


def _work(view: View) -> Plot:
    """Sessions, commits and pull requests a day."""
    answer = view.report("spend")
    series = trends.lines(answer.rows, view, FIELDS)
    title = "Sessions, commits and pull requests a day"
    chart = Chart("work", title, "count", view.days(), series)
    return Plot(chart, answer.call, "lines")


BLOCKS: Mapping[str, Maker] = {
    "by-day": partial(spend.by_day, "agent"),
    "work": _work,
    **{f"by-{part}": partial(spend.ranking, part) for part in ("agent", "model", "person", "team")},
}
