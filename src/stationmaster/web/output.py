"""`/output`: files, lines, languages, commits and pull requests, by agent and repository."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.responses import Response

from stationmaster.web.charts.model import Chart
from stationmaster.web.figures import folds, trends
from stationmaster.web.figures.blocks import Card, Column, Plot, Row, Table, agent_name
from stationmaster.web.figures.view import PARAMETERS, Maker, View
from stationmaster.web.frame.pages import AnyVisit, router

PATH = "/output"
DIMENSIONS = ("team", "person", "agent", "repository")
GIT = {
    "git_commits": Column("Commits"),
    "git_prs_created": Column("Pull requests"),
    "files_created": Column("Files created", is_wide=True),
    "files_edited": Column("Files edited", is_wide=True),
}
EDITS = {
    "lines_added": Column("Lines added"),
    "lines_removed": Column("Lines removed", is_wide=True),
    "accepted": Column("Accepted edits", is_wide=True),
    "rejected": Column("Rejected", is_wide=True),
}

routes = router()


@routes.get(PATH)
def show_output(visit: AnyVisit) -> Response:
    return View(visit, DIMENSIONS).answer("output.html", BLOCKS, cards=_cards)


def _cards(view: View) -> list[Card]:
    of_git = partial(trends.sum_card, view, "productivity")
    return [
        of_git("Commits", "git_commits"),
        of_git("Pull requests", "git_prs_created"),
        of_git("Files edited", "files_edited"),
        trends.known_card(view, "edits", "Lines added", "lines_added"),
        trends.known_card(view, "edits", "Edits accepted", "acceptance_rate", "share"),
    ]


def _by_day(name: str, title: str, field: str, view: View) -> Plot:
    return trends.by_group(view, "productivity", "agent", field, name=name, title=title)


def _lines(view: View) -> Plot:
    answer = view.report("edits")
    series = trends.lines(answer.rows, view, {"lines_added": "added", "lines_removed": "removed"})
    return Plot(Chart("lines", "Lines a day", "count", view.days(), series), answer.call, "lines")


def _ranking(dimension: str, view: View) -> Table:
    answer = view.report("productivity", group_by=PARAMETERS[dimension])
    groups = folds.total(answer.rows, tuple(GIT))
    names = view.people if dimension == "person" else {}
    ranked = sorted(groups.items(), key=lambda group: [-(value or 0) for value in group[1]])
    rows = [
        Row(
            *(names.get(key, key), figures, view.link(**{dimension: key})),
            label=agent_name(key) if dimension == "agent" else "",
        )
        for key, figures in ranked
    ]
    title = f"By {dimension}"
    of = dimension.capitalize()
    return Table(f"by-{dimension}", title, of, tuple(GIT.values()), rows, answer.call)


def _languages(view: View) -> Table:
    answer = view.report("edits", group_by="language", per="month")
    rows = [Row(key, figures) for key, figures in folds.ranked(answer.rows, tuple(EDITS))]
    columns = tuple(EDITS.values())
    return Table("by-language", "By language", "Language", columns, rows, answer.call)


BLOCKS: Mapping[str, Maker] = {
    "commits": partial(_by_day, "commits", "Commits a day, by agent", "git_commits"),
    "pull-requests": partial(
        _by_day, "pull-requests", "Pull requests a day, by agent", "git_prs_created"
    ),
    "lines": _lines,
    "by-agent": partial(_ranking, "agent"),
    "by-repository": partial(_ranking, "repository"),
    "by-team": partial(_ranking, "team"),
    "by-language": _languages,
}
