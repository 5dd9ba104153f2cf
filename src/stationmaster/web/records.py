"""`/settings/audit` and `/settings/jobs`: who changed what, and what runs in the background."""

from __future__ import annotations

import re
from typing import get_args
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import audit
from stationmaster.access.authenticate import require
from stationmaster.jobs import service as jobs
from stationmaster.jobs.model import State
from stationmaster.repos import service as repos
from stationmaster.web import menu
from stationmaster.web.pages import page, router, see_other
from stationmaster.web.repository_rows import short_name
from stationmaster.web.requests import SignedIn, services_of

AUDIT = "/settings/audit"
JOBS = "/settings/jobs"
PER_PAGE = 50
STATES: tuple[State, ...] = get_args(State)
_WORD = re.compile(r"[a-z_]{1,100}")

routes = router()


@routes.get(AUDIT)
def show_audit(
    request: Request, caller: SignedIn, event: str = "", before: str | None = None
) -> Response:
    """Changes, newest first, of all kinds or of one."""
    require(caller, "owner")
    records = audit.page(
        services_of(request).db,
        caller.org_id,
        limit=PER_PAGE + 1,
        before=before,
        event_type=event if _WORD.fullmatch(event) else None,
    )
    shown = records[:PER_PAGE]
    more = {"event": event, "before": shown[-1].audit_id} if len(records) > PER_PAGE else None
    return page(
        "audit.html",
        caller,
        request,
        records=shown,
        event=event,
        more=None if more is None else f"{AUDIT}?{urlencode(more)}",
    )


@routes.get(JOBS)
def show_jobs(
    request: Request, caller: SignedIn, state: str = "", before: str | None = None
) -> Response:
    """Background work, newest first, in all states or in one."""
    require(caller, *menu.MEMBERS)
    db = services_of(request).db
    known = next((each for each in STATES if each == state), None)
    found = jobs.list_page(db, caller.org_id, limit=PER_PAGE + 1, before=before, state=known)
    shown = found[:PER_PAGE]
    more = {"state": state, "before": shown[-1].job_id} if len(found) > PER_PAGE else None
    names = {known.repo_id: short_name(known.url) for known in repos.list_page(db, caller.org_id)}
    return page(
        "jobs.html",
        caller,
        request,
        jobs=shown,
        names=names,
        states=STATES,
        state=known or "",
        may_change=caller.role in menu.MANAGERS,
        more=None if more is None else f"{JOBS}?{urlencode(more)}",
    )


@routes.post(JOBS + "/{job_id}/cancel")
def cancel_job(request: Request, caller: SignedIn, job_id: str) -> Response:
    require(caller, *menu.MANAGERS)
    jobs.cancel(services_of(request).db, caller, job_id)
    return see_other(JOBS)
