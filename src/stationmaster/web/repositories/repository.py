"""`/repositories/ID/…`: what the pages of one repository share; refreshing it, its credential."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.errors import BadRequest
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.model import Job
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page
from stationmaster.web.frame.pages import Address, page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.repositories.listing import credential_of
from stationmaster.web.repositories.rows import PATH, short_name

TABS = (("readiness", "Readiness"), ("ci", "CI"), ("wiki", "Wiki"))
REFRESHES = "fetch"

routes = router()


@routes.get(PATH + "/{repo_id}")
def first_tab(repo_id: str, _caller: SignedIn) -> Response:
    return see_other(f"{PATH}/{quote(repo_id)}/readiness")


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
        "Figures of agents in it stay in reports.",
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
    request: Request,
    caller: Caller,
    known: Repository,
    tab: str,
    tables: Sequence[Table | Plot] = (),
    asked: Mapping[str, str] = {},
    **values: Any,
) -> Response:
    """One of the pages of a repository, with the template of its name; `asked` is the query of its
    address."""
    address = Address(f"{PATH}/{known.repo_id}/{tab}", asked)
    shown = {**frame(request, caller, known, tab), **values}
    return list_page(f"repository_{tab}.html", caller, request, address, tables, **shown)


def frame(request: Request, caller: Caller, known: Repository, tab: str) -> dict[str, Any]:
    """What `repository.html` needs."""
    is_manager = caller.role in menu.MANAGERS
    further = (("cost", "Cost"), ("settings", "Settings")) if is_manager else ()
    return {
        "repository": known,
        "address": short_name(known.url),
        "tabs": (*TABS, *further),
        "tab": tab,
        "may_change": is_manager,
        "job": _fetching(request, caller, known) if is_manager else None,
    }


def _fetching(request: Request, caller: Caller, known: Repository) -> Job | None:
    """The job that fetches the repository now or next."""
    db = services_of(request).db
    found = jobs.list_page(db, caller.org_id, kind=REFRESHES, subject=known.repo_id, limit=1)
    return next((job for job in found if job.state in ("queued", "running")), None)
