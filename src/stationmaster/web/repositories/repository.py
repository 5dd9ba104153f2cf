"""`/repositories/ID/…`: what the pages of one repository share; refreshing it, its credential,
what agents' work in it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Form
from starlette.responses import Response

from stationmaster.agents import values
from stationmaster.errors import BadRequest
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository
from stationmaster.web import spend
from stationmaster.web.charts.model import Chart
from stationmaster.web.figures import trends
from stationmaster.web.figures.blocks import Card, Plot, Table
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame.pages import (
    Address,
    AnyVisit,
    ManagerVisit,
    MemberVisit,
    Visit,
    router,
    see_other,
)
from stationmaster.web.repositories.rows import PATH, credential_of, short_name

DIMENSIONS = ("team", "person", "agent", "model")
FIELDS = {"sessions": "Sessions", "git_commits": "Commits", "git_prs_created": "Pull requests"}

TABS = (("readiness", "Readiness"), ("ci", "CI"), ("wiki", "Wiki"))
REFRESHES = "fetch"

routes = router()
REPOSITORY = PATH + "/{repo_id}"
"""What the addresses of the pages of one repository begin with."""


@routes.get(REPOSITORY)
def first_tab(_visit: AnyVisit, repo_id: str) -> Response:
    return see_other(f"{PATH}/{quote(repo_id)}/readiness")


@routes.post(REPOSITORY + "/refresh")
def refresh(visit: ManagerVisit, repo_id: str) -> Response:
    """Fetch the repository in the background; what reads it follows."""
    repository = known_repository(visit, repo_id)
    jobs.ask(visit.db, visit.org, REFRESHES, repository.repo_id, by=visit.caller)
    return see_other(f"{PATH}/{repository.repo_id}/readiness")


@routes.get(REPOSITORY + "/settings")
def show_settings(visit: ManagerVisit, repo_id: str) -> Response:
    return tab_page(visit, known_repository(visit, repo_id), "settings")


@routes.post(REPOSITORY + "/credential")
def set_credential(
    visit: ManagerVisit,
    repo_id: str,
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Replace what opens the repository; an empty secret removes it."""
    repository = known_repository(visit, repo_id)
    new = credential_of(username, secret)
    if new is None and username:
        raise BadRequest("Enter the token or password, too.", code="no_secret")
    if new is None:
        repos.remove_credential(visit.db, visit.caller, repository.repo_id)
    else:
        repos.set_credential(visit.db, visit.services.vault, visit.caller, repository.repo_id, new)
    return see_other(f"{PATH}/{repository.repo_id}/settings")


@routes.get(REPOSITORY + "/remove")
def ask_to_remove(visit: ManagerVisit, repo_id: str) -> Response:
    repository = known_repository(visit, repo_id)
    return visit.confirm(
        "repository", short_name(repository.url), f"{PATH}/{repository.repo_id}/settings"
    )


@routes.post(REPOSITORY + "/remove")
def remove(visit: ManagerVisit, repo_id: str) -> Response:
    repos.remove(visit.db, visit.settings, visit.caller, RepoId(repo_id))
    return see_other(PATH)


def known_repository(visit: Visit, repo_id: str) -> Repository:
    """A registered repository. Raises NotFound, and Forbidden for guests."""
    return repos.get(visit.db, visit.org, RepoId(repo_id))


def tab_page(
    visit: Visit,
    repository: Repository,
    tab: str,
    tables: Sequence[Table | Plot] = (),
    asked: Mapping[str, str] = {},
    **values: Any,
) -> Response:
    """One of the pages of a repository, with the template of its name; `asked` is the query of its
    address."""
    address = Address(f"{PATH}/{repository.repo_id}/{tab}", asked)
    shown = {**frame(visit, repository, tab), **values}
    return visit.lists(f"repository_{tab}.html", address, tables, **shown)


def frame(visit: Visit, repository: Repository, tab: str) -> dict[str, Any]:
    """What `repository.html` needs."""
    is_manager = visit.is_manager
    further = (("cost", "Cost"), ("settings", "Settings")) if is_manager else ()
    return {
        "repository": repository,
        "address": short_name(repository.url),
        "tabs": (*TABS, *further),
        "tab": tab,
        "may_change": is_manager,
        "job": _fetching(visit, repository) if is_manager else None,
    }


def _fetching(visit: Visit, repository: Repository) -> jobs.Job | None:
    """The job that fetches the repository now or next."""
    latest = jobs.list_page(
        visit.db, visit.org, kind=REFRESHES, subject=repository.repo_id, limit=1
    )
    return next((job for job in latest if job.state in ("queued", "running")), None)


@routes.get(REPOSITORY + "/cost")
def show_cost(visit: MemberVisit, repo_id: str) -> Response:
    """Figures of the agents' work in it, under the name that the reports have for it."""
    repository = known_repository(visit, repo_id)
    name = values.repository(repository.url) or repository.url
    view = View(visit, DIMENSIONS, part={"repository": name})
    return view.answer(
        "repository_cost.html",
        BLOCKS,
        cards=_cost_cards,
        notes=spend.notes,
        **frame(visit, repository, "cost"),
    )


def _cost_cards(view: View) -> list[Card]:
    card = partial(trends.card, view, "spend")
    return [card("Dollars", "cost_usd", "usd"), *(card(t, field) for field, t in FIELDS.items())]


def _work_of(view: View) -> Plot:
    """Sessions, commits and pull requests a day."""
    answer = view.report("spend")
    series = trends.lines(answer.rows, view, FIELDS)
    title = "Sessions, commits and pull requests a day"
    chart = Chart("work", title, "count", view.days(), series)
    return Plot(chart, answer.call, "lines")


BLOCKS: Mapping[str, Maker] = {
    "by-day": partial(spend.by_day, "agent"),
    "work": _work_of,
    **{f"by-{part}": partial(spend.ranking, part) for part in ("agent", "model", "person", "team")},
}
