"""`/repositories`: every registered repository with its readiness, wiki, CI findings and cost;
register one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.errors import StationmasterError
from stationmaster.pipelines.scanning.findings import SEVERITIES
from stationmaster.readiness.model import LEVELS
from stationmaster.repos import service as repos
from stationmaster.repos.model import Credential, credential
from stationmaster.web.figures.view import csv_file
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of
from stationmaster.web.repositories.rows import PATH, Listing

routes = router()


@routes.get(PATH)
def show_repositories(request: Request, caller: SignedIn) -> Response:
    return _repositories(request, caller)


@routes.post(PATH)
def register(
    request: Request,
    caller: SignedIn,
    url: Annotated[str, Form()],
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Register a repository, and open its page."""
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    try:
        made, _ = repos.register(
            services.db, services.vault, caller, url, credential_of(username, secret)
        )
    except StationmasterError as fault:
        return _repositories(request, caller, fault=fault, url=url)
    return see_other(f"{PATH}/{made.repo_id}/readiness")


def _repositories(
    request: Request,
    caller: Caller,
    *,
    fault: StationmasterError | None = None,
    url: str = "",
) -> Response:
    require(caller, *menu.MEMBERS)
    listing = Listing(request, caller)
    if request.query_params.get("csv"):
        return csv_file(listing.table(), "repositories")
    return page(
        "repositories.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        listing=listing,
        url=url,
        levels=LEVELS,
        severities=SEVERITIES,
        may_register=caller.role in menu.MANAGERS,
    )


def credential_of(username: str, secret: str) -> Credential | None:
    """What a form says opens a repository; None without a token or password."""
    if not secret:
        return None
    return credential("basic" if username else "token", username or None, secret)
