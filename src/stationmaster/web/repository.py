"""`/repositories/ID/…`: one repository's readiness, refreshing it, its credential."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.errors import BadRequest, NotFound
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.model import Job
from stationmaster.readiness import advice, levels, rows
from stationmaster.readiness import service as readiness
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.levels import Standing
from stationmaster.readiness.model import LEVELS, PILLARS, Report, scores_of, state_of
from stationmaster.readiness.rows import STATES, Row
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository
from stationmaster.web import menu
from stationmaster.web.pages import page, router, see_other
from stationmaster.web.repositories import credential_of
from stationmaster.web.repository_rows import PATH, short_name
from stationmaster.web.requests import SignedIn, services_of

HISTORY_MAX = 12
"""Reports that are shown of a repository's history."""
TABS = (("readiness", "Readiness"), ("ci", "CI"), ("wiki", "Wiki"))
REFRESHES = "fetch"

routes = router()


@routes.get(PATH + "/{repo_id}")
def first_tab(repo_id: str, _caller: SignedIn) -> Response:
    return see_other(f"{PATH}/{quote(repo_id)}/readiness")


@routes.get(PATH + "/{repo_id}/readiness")
def show_readiness(
    request: Request, caller: SignedIn, repo_id: str, state: str = "", report: str = ""
) -> Response:
    """The newest report, or another one by its id; criteria of one state, or all."""
    known = known_repository(request, caller, repo_id)
    db, org = services_of(request).db, caller.org_id
    latest = readiness.latest(db, org, known.repo_id)
    if latest is None:
        return tab_page(request, caller, known, "readiness", made=None)
    made = readiness.read(db, org, report or latest.report_id)
    if made.repo_url != known.url:
        raise NotFound("There is no such report.")
    history = readiness.history(db, org, known.repo_id, start_after=None, count=HISTORY_MAX)
    changed = None
    if history[-1].report_id != made.report_id:
        changed = readiness.difference(db, org, made.report_id, None)
    stands = levels.standing(scores_of(made.report))
    return tab_page(
        request,
        caller,
        known,
        "readiness",
        made=made,
        stands=stands,
        levels=LEVELS,
        pillars=PILLARS,
        plan=advice.plan(made),
        groups=_groups(made, stands, state),
        state=state if state in STATES else "",
        states=STATES,
        counts={name: sum(state_of(e) == name for e in made.report.values()) for name in STATES},
        history=history,
        changed=changed,
        titles={name: criterion.title for name, criterion in CRITERIA.items()},
    )


@routes.post(PATH + "/{repo_id}/refresh")
def refresh(request: Request, caller: SignedIn, repo_id: str) -> Response:
    """Fetch the repository in the background; what reads it follows."""
    require(caller, *menu.MANAGERS)
    known = known_repository(request, caller, repo_id)
    jobs.ask(services_of(request).db, caller.org_id, REFRESHES, known.repo_id, by=caller)
    return see_other(f"{PATH}/{known.repo_id}/readiness")


@routes.get(PATH + "/{repo_id}/settings")
def show_settings(request: Request, caller: SignedIn, repo_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    return tab_page(request, caller, known_repository(request, caller, repo_id), "settings")


@routes.post(PATH + "/{repo_id}/credential")
def set_credential(
    request: Request,
    caller: SignedIn,
    repo_id: str,
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Replace what opens the repository; an empty secret removes it."""
    require(caller, *menu.MANAGERS)
    services, known = services_of(request), known_repository(request, caller, repo_id)
    new = credential_of(username, secret)
    if new is None and username:
        raise BadRequest("Give the token or password, too.", code="no_secret")
    if new is None:
        repos.remove_credential(services.db, caller, known.repo_id)
    else:
        repos.set_credential(services.db, services.vault, caller, known.repo_id, new)
    return see_other(f"{PATH}/{known.repo_id}/settings")


@routes.get(PATH + "/{repo_id}/remove")
def ask_to_remove(request: Request, caller: SignedIn, repo_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    known = known_repository(request, caller, repo_id)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {short_name(known.url)}?",
        consequence="Its credential, mirror, readiness reports and CI findings are deleted. "
        "Reports of what agents did in it stay.",
        verb="Remove",
        back=f"{PATH}/{known.repo_id}/settings",
    )


@routes.post(PATH + "/{repo_id}/remove")
def remove(request: Request, caller: SignedIn, repo_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    repos.remove(services.db, services.settings, caller, RepoId(repo_id))
    return see_other(PATH)


def known_repository(request: Request, caller: Caller, repo_id: str) -> Repository:
    """A registered repository. Raises NotFound, and Forbidden for guests."""
    require(caller, *menu.MEMBERS)
    return repos.get(services_of(request).db, caller.org_id, RepoId(repo_id))


def tab_page(
    request: Request, caller: Caller, known: Repository, tab: str, **values: Any
) -> Response:
    """One of the pages of a repository, with the template of its name."""
    is_manager = caller.role in menu.MANAGERS
    return page(
        f"repository_{tab}.html",
        caller,
        request,
        repository=known,
        address=short_name(known.url),
        tabs=[*TABS, *([("settings", "Settings")] if is_manager else [])],
        tab=tab,
        may_change=is_manager,
        job=_fetching(request, caller, known) if is_manager else None,
        **values,
    )


def _fetching(request: Request, caller: Caller, known: Repository) -> Job | None:
    """The job that fetches the repository now or next."""
    db = services_of(request).db
    found = jobs.list_page(db, caller.org_id, kind=REFRESHES, subject=known.repo_id, limit=1)
    return next((job for job in found if job.state in ("queued", "running")), None)


def _groups(made: Report, stands: Standing, state: str) -> list[tuple[str, str, list[Row]]]:
    """Each level with its percentage and criteria, those of one state or all."""
    found = [
        (
            "In no level" if level is None else f"Level {level}: {LEVELS[level]}",
            percentage,
            [row for row in group if state not in STATES or row.state == state],
        )
        for level, percentage, group in rows.groups(made, stands)
    ]
    return [group for group in found if group[2]]
