"""Durable jobs: what was asked for, what runs, how it ended."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, router
from stationmaster.jobs import service

routes = router("/api/platform/v1/jobs", "Jobs")

KIND = r"^[a-z][a-z0-9-]{0,99}$"


class JobRecord(wire.Answer, record=service.Job, without=("org_id",)):
    """Work on one subject, such as a repository's id. Times are Unix milliseconds.

    `attempts` counts those that have begun. `requestedBy` is a user or a service account, null for
    Stationmaster itself. A queued job begins at `dueAt` at the earliest. `startedAt` and `step`
    are those of the newest attempt, `error` is that of the newest failed one.
    """


class JobPage(wire.Answer):
    """Newest first."""

    jobs: list[JobRecord]
    pagination: wire.Pagination


@routes.get("")
@blocking.reads
def list_jobs(
    caller: callers.Member,
    db: Db,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^job_[0-9a-f]{24}$", description="The last job id of the previous page."),
    ] = None,
    kind: Annotated[str | None, Query(pattern=KIND)] = None,
    subject: Annotated[str | None, Query(pattern=wire.ID)] = None,
    state: service.State | None = None,
) -> JobPage:
    """List jobs, newest first, filtered by kind, subject and state."""
    listed = service.list_page(
        db,
        caller.org_id,
        limit=limit + 1,
        before=cursor,
        kind=kind,
        subject=subject,
        state=state,
    )
    return wire.page(JobPage, listed, limit, lambda job: job.job_id)


@routes.get("/{job_id}")
@blocking.reads
def get_job(job_id: wire.Identifier, caller: callers.Member, db: Db) -> JobRecord:
    """One job."""
    return JobRecord.of(service.get(db, caller.org_id, job_id))


@routes.post("/{job_id}/cancel", responses=problems(409))
def cancel_job(job_id: wire.Identifier, caller: callers.Manager, db: Db) -> JobRecord:
    """Cancel a job. A running one ends at its next step. 409 with `job_ended` if it has already
    ended."""
    return JobRecord.of(service.cancel(db, caller, job_id))
