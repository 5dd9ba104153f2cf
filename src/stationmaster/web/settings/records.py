"""`/settings/audit` and `/settings/jobs`: who changed what, and what runs in the background."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import get_args

import msgspec
from starlette.responses import Response

from stationmaster import clock, days
from stationmaster.access import audit
from stationmaster.jobs import service as jobs
from stationmaster.repos import service as repos
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import (
    Address,
    ManagerVisit,
    MemberVisit,
    OwnerVisit,
    Visit,
    listing,
    router,
    see_other,
)
from stationmaster.web.repositories.rows import short_name

AUDIT = "/settings/audit"
JOBS = "/settings/jobs"
PER_PAGE = 50
STATES: tuple[jobs.State, ...] = get_args(jobs.State)
_WORD = re.compile(r"[a-z_]{1,100}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TEXT_MAX = 254

routes = router()


@routes.get(AUDIT)
def show_audit(visit: OwnerVisit) -> Response:
    """Changes, newest first: all, or those of an event, a person or program, a thing, some days."""
    chosen, days_of = _texts(visit, ("event", "by", "of")), _texts(visit, ("from", "to"))
    span, fault = _span(days_of)
    event = chosen["event"] = chosen["event"].replace(" ", "_")
    records = audit.page(
        visit.db,
        visit.org,
        limit=PER_PAGE + 1,
        before=visit.request.query_params.get("before"),
        event_type=event if _WORD.fullmatch(event) else None,
        actor=chosen["by"] or None,
        target=chosen["of"] or None,
        span_ms=span,
    )
    shown = records[:PER_PAGE]
    address = Address(AUDIT, {**chosen, **days_of})
    named = {"event": "eventType", "by": "actor", "of": "target", "from": "startDate"}
    query = [(named.get(name, "endDate"), text) for name, text in address.values.items() if text]
    table = _changes(shown, visit.call("/api/platform/v1/audit", query))
    return visit.lists(
        "audit.html",
        address,
        [table],
        records=shown,
        fault=fault,
        chosen=address.values,
        more=address.link(before=shown[-1].audit_id) if len(records) > PER_PAGE else None,
    )


def _texts(visit: Visit, names: Sequence[str]) -> dict[str, str]:
    """The address's value of each name, on one line."""
    parameters = visit.request.query_params
    return {name: _CONTROL.sub("", parameters.get(name, ""))[:_TEXT_MAX].strip() for name in names}


def _span(chosen: Mapping[str, str]) -> tuple[tuple[int, int] | None, str | None]:
    """The chosen days in Unix milliseconds, or what is wrong with them."""
    if not any(chosen.values()):
        return None, None
    try:
        first = date.fromisoformat(chosen["from"] or "1970-01-01")
        last = date.fromisoformat(chosen["to"] or f"{clock.today()}")
    except ValueError:
        return None, "Dates are written like 2026-11-22."
    return (max(days.start_ms(first), 0), days.start_ms(last) + days.MS_PER_DAY), None


def _changes(records: Sequence[audit.AuditRecord], call: str) -> Table:
    columns = (
        "0.created_at: When (UTC), 0.event_type: Event, 0.actor.email|0.actor.id: By, "
        "0.actor.role: Role, 0.source: Source, 1: Of, 2: Details"
    )
    rows = [
        (
            record,
            " ".join(record.target or ()),
            msgspec.json.encode(record.payload).decode() if record.payload else "",
        )
        for record in records
    ]
    return listing("audit", "Audit log", columns, rows, call)


@routes.get(JOBS)
def show_jobs(visit: MemberVisit) -> Response:
    """Background work, newest first: all, or that of a state, a kind, a repository."""
    chosen = _texts(visit, ("state", "kind", "of"))
    chosen["state"] = next((state for state in STATES if state == chosen["state"]), "")
    listed = jobs.list_page(
        visit.db,
        visit.org,
        limit=PER_PAGE + 1,
        before=visit.request.query_params.get("before"),
        state=next((state for state in STATES if state == chosen["state"]), None),
        kind=chosen["kind"] or None,
        subject=chosen["of"] or None,
    )
    shown = listed[:PER_PAGE]
    address = Address(JOBS, chosen)
    names = {
        repository.repo_id: short_name(repository.url)
        for repository in repos.list_page(visit.db, visit.org)
    }
    named = {"of": "subject"}
    query = [(named.get(name, name), text) for name, text in chosen.items() if text]
    columns = (
        "kind: Job, subject: Of, state: State, attempts: Attempts, "
        "requested_at: Requested (UTC), finished_at: Ended (UTC), error: Error"
    )
    table = listing("jobs", "Jobs", columns, shown, visit.call("/api/platform/v1/jobs", query))
    return visit.lists(
        "jobs.html",
        address,
        [table],
        jobs=shown,
        names=names,
        states=STATES,
        chosen=chosen,
        may_change=visit.is_manager,
        more=address.link(before=shown[-1].job_id) if len(listed) > PER_PAGE else None,
    )


@routes.post(JOBS + "/{job_id}/cancel")
def cancel_job(visit: ManagerVisit, job_id: str) -> Response:
    jobs.cancel(visit.db, visit.caller, job_id)
    return see_other(JOBS)
