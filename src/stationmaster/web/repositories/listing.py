"""`/repositories`: every registered repository with its readiness, wiki, CI findings and cost;
register one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from stationmaster.errors import StationmasterError
from stationmaster.pipelines.scanning.findings import SEVERITIES
from stationmaster.readiness.model import LEVELS
from stationmaster.repos import service as repos
from stationmaster.repos.model import Credential, credential
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    csv_file,
    router,
    see_other,
)
from stationmaster.web.repositories.rows import PATH, Listing

routes = router()


@routes.get(PATH)
def show_repositories(visit: MemberVisit) -> Response:
    return _repositories(visit)


@routes.post(PATH)
def register(
    visit: ManagerVisit,
    url: Annotated[str, Form()],
    username: Annotated[str, Form()] = "",
    secret: Annotated[str, Form()] = "",
) -> Response:
    """Register a repository, and open its page."""
    try:
        made, _ = repos.register(
            visit.db, visit.services.vault, visit.caller, url, credential_of(username, secret)
        )
    except StationmasterError as fault:
        return _repositories(visit, fault=fault, url=url)
    return see_other(f"{PATH}/{made.repo_id}/readiness")


def _repositories(
    visit: Visit, *, fault: StationmasterError | None = None, url: str = ""
) -> Response:
    listing = Listing(visit)
    if visit.request.query_params.get("csv"):
        return csv_file(listing.table(), "repositories")
    return visit.page(
        "repositories.html",
        error=fault,
        listing=listing,
        url=url,
        levels=LEVELS,
        severities=SEVERITIES,
        may_register=visit.is_manager,
    )


def credential_of(username: str, secret: str) -> Credential | None:
    """What a form says opens a repository; None without a token or password."""
    if not secret:
        return None
    return credential("basic" if username else "token", username or None, secret)
