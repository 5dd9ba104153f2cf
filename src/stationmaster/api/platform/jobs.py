"""Durable jobs: what was asked for, what runs, how it ended."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.jobs import model, service

routes = router("/api/platform/v1/jobs", "Jobs")

KIND = r"^[a-z][a-z0-9-]{0,99}$"


class JobRecord(wire.Answer):
    """Work on one subject, such as a repository's id. Times are Unix milliseconds.

    `attempts` counts those that have begun. `requestedBy` is a user or a service account, null for
    Stationmaster itself. A queued job begins at `dueAt` at the earliest. `startedAt` is of the
    newest attempt, `step` what it is doing, `error` why the newest one that failed did.
    """

    job_id: str
    kind: str
    subject: str
    state: model.State
    attempts: int
    requested_by: str | None
    requested_at: int
    due_at: int
    started_at: int | None
    finished_at: int | None
    step: str | None
    error: str | None


class JobPage(wire.Answer):
    """Newest first."""

    jobs: list[JobRecord]
    pagination: wire.Pagination


@routes.get("")
async def list_jobs(
    caller: callers.Member,
    request: Request,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^job_[0-9a-f]{24}$", description="A job id: the page is older."),
    ] = None,
    kind: Annotated[str | None, Query(pattern=KIND)] = None,
    subject: Annotated[str | None, Query(pattern=wire.ID)] = None,
    state: model.State | None = None,
) -> JobPage:
    """List jobs, newest first: all, or those of a kind, of a subject, in a state."""
    db = services_of(request).db
    found = await blocking.read(
        db,
        lambda: service.list_page(
            db,
            caller.org_id,
            limit=limit + 1,
            before=cursor,
            kind=kind,
            subject=subject,
            state=state,
        ),
    )
    shown, pagination = wire.paged(found, limit, lambda each: each.job_id)
    return JobPage(jobs=[record(each) for each in shown], pagination=pagination)


@routes.get("/{job_id}")
async def get_job(job_id: wire.Identifier, caller: callers.Member, request: Request) -> JobRecord:
    """One job."""
    db = services_of(request).db
    return record(await blocking.read(db, service.get, db, caller.org_id, job_id))


@routes.post("/{job_id}/cancel", responses=problems("Problem", 409))
async def cancel_job(
    job_id: wire.Identifier, caller: callers.Manager, request: Request
) -> JobRecord:
    """Call a job off.

    One that is running ends at its next step. 409 with `job_ended` when it has ended already.
    """
    db = services_of(request).db
    return record(await blocking.work(service.cancel, db, caller, job_id))


def record(job: model.Job) -> JobRecord:
    """A job as it is answered, for operations of features that ask for one, too."""
    return JobRecord(
        job_id=job.job_id,
        kind=job.kind,
        subject=job.subject,
        state=job.state,
        attempts=job.attempts,
        requested_by=job.requested_by,
        requested_at=job.requested_at,
        due_at=job.due_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        step=job.step,
        error=job.error,
    )
