"""`/spend`: what model calls cost, by day, agent, model, person, team and repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.responses import Response

from stationmaster.web.charts.model import slots
from stationmaster.web.figures import caches, trends
from stationmaster.web.figures.blocks import Card, Column, Plot, Row, Table, agent_name
from stationmaster.web.figures.folds import Rows, total
from stationmaster.web.figures.view import PARAMETERS, Maker, View
from stationmaster.web.frame.pages import AnyVisit, router

PATH = "/spend"
BY = {"by": ("agent", "model")}
"""What the bars of days are made of."""
COLUMNS = (
    Column("Dollars", "usd"),
    Column("Credits", "credits", is_wide=True),
    Column("Sessions", is_wide=True),
)
FIGURES = ("cost_usd", "billable_tokens", "sessions", "git_commits", "git_prs_created")
"""What groups are shown with, here and on the pages of people and teams."""
PARTS = {
    "agent": "By agent",
    "model": "By model",
    "person": "By person",
    "team": "By team",
    "repository": "By repository",
}

routes = router()


@routes.get(PATH)
def show_spend(visit: AnyVisit) -> Response:
    view = View(visit, own=BY)
    return view.answer("spend.html", BLOCKS, cards=_cards, notes=notes)


def _cards(view: View) -> list[Card]:
    card = partial(trends.known_card, view, "spend")
    return [
        card("Dollars", "cost_usd", "usd"),
        card("Credits", "billable_tokens", "credits"),
        card("Dollars a session", "cost_per_session", "usd"),
        card("Dollars a commit", "cost_per_commit", "usd"),
        card("Dollars a pull request", "cost_per_pull_request", "usd"),
        caches.card(view),
    ]


def notes(view: View) -> list[str]:
    """What dollars leave out."""
    answer = view.report("spend")
    unpriced = answer.meta["totals"]["unpriced_calls"]
    if not unpriced:
        return ["All model calls of these days have a price."] if answer.rows else []
    return [f"{unpriced:,} model calls have no price; their dollars are not included."]


def by_day(part: str, view: View) -> Plot:
    """Dollars a day, stacked by agent or model."""
    title = f"Dollars a day, by {part}"
    return trends.by_group(view, "spend", part, "cost_usd", name="by-day", title=title, unit="usd")


def ranking(dimension: str, view: View) -> Table:
    """Each part of the organization with what it spent, the largest first."""
    answer = view.report("spend", group_by=PARAMETERS[dimension], per="month")
    groups = used(answer.rows)
    names = view.people if dimension == "person" else {}
    colours = slots(sorted(groups)[:8]) if dimension == "agent" else {}
    label = agent_name if dimension == "agent" else str
    ranked = sorted(groups.items(), key=lambda group: (-(group[1][0] or 0), -(group[1][1] or 0)))
    rows = [
        Row(
            *(names.get(key, key), figures[:3], view.link(**{dimension: key})),
            *(colours.get(key), label(key) if dimension == "agent" else ""),
        )
        for key, figures in ranked
    ]
    silent = [label(key) for key, figures in ranked if figures[1] is None]
    return Table(
        *(f"by-{dimension}", PARTS[dimension], dimension.capitalize(), COLUMNS, rows, answer.call),
        notes=unreported(silent) if dimension == "agent" else (),
    )


def used(rows: Rows) -> dict[str, list[float | None]]:
    """The sums of FIGURES by group: no dollars, credits and sessions, which are those with model
    calls, where no call was reported, since nothing is known of them."""
    return {
        key: figures if calls else [None, None, None, *figures[3:]]
        for key, (*figures, calls) in total(rows, (*FIGURES, "calls")).items()
    }


def unreported(agents: Sequence[str]) -> list[str]:
    """Why some agents have no dollars."""
    if not agents:
        return []
    verb = "reports" if len(agents) == 1 else "report"
    return [
        f"{', '.join(agents)} {verb} no tokens here, so dollars and sessions with model calls are "
        "unknown."
    ]


BLOCKS: Mapping[str, Maker] = {
    "caches": caches.by_model,
    "by-day": lambda view: by_day(view.own["by"], view),
    **{f"by-{dimension}": partial(ranking, dimension) for dimension in PARTS},
}
