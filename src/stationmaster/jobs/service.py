"""Asking for work, looking at it, calling it off."""

from __future__ import annotations

from sqlalchemy import Connection

from stationmaster import clock, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from stationmaster.ids import OrgId
from stationmaster.jobs import store
from stationmaster.jobs.model import Job, Kind, State


def ask(
    db: Database, org: OrgId, kind: Kind, subject: str, *, by: Caller | None, delay_s: float = 0
) -> Job:
    """Have something done, not before `delay_s`; the job that already waits for it, if one does.

    One that is running does not count as waiting, for what it works on may have changed meanwhile.
    """
    with db.transaction() as connection:
        return ask_within(db, connection, org, kind, subject, by=by, delay_s=delay_s)


def ask_within(
    db: Database,
    connection: Connection,
    org: OrgId,
    kind: Kind,
    subject: str,
    *,
    by: Caller | None,
    delay_s: float = 0,
) -> Job:
    """`ask` in a writing transaction of the caller's."""
    now = clock.now_ms()
    new = Job(
        org_id=org,
        job_id=ids.new_sortable("job"),
        kind=kind,
        subject=subject,
        state="queued",
        attempts=0,
        requested_by=None if by is None else by.principal_id,
        requested_at=now,
        due_at=now + round(delay_s * 1000),
        started_at=None,
        finished_at=None,
        step=None,
        error=None,
    )
    waiting = store.put_waiting(db, connection, new)
    if by is not None and waiting.job_id == new.job_id:
        _record(connection, by, "job_requested", waiting)
    return waiting


def get(db: Database, org: OrgId, job: str) -> Job:
    """Raises NotFound."""
    with db.reading() as connection:
        return _known(connection, org, job)


def list_page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None = None,
    kind: Kind | None = None,
    subject: str | None = None,
    state: State | None = None,
) -> list[Job]:
    """At most `limit` jobs, newest first: those older than the job `before`."""
    return store.page(db, org, limit=limit, before=before, kind=kind, subject=subject, state=state)


_FAILING_MAX = 100


def failing(db: Database, org: OrgId, since: int) -> list[Job]:
    """Work whose newest ended job failed at `since` (Unix milliseconds) or later, newest first; at
    most 100.
    """
    return store.newest_failed(db, org, since, _FAILING_MAX)


def cancel(db: Database, caller: Caller, job: str) -> Job:
    """Call a job off. One that is running ends at its next step, and what it finds is not kept.

    Raises NotFound, Conflict (`job_ended`) for one that has ended.
    """
    with db.transaction() as connection:
        existing = _known(connection, caller.org_id, job)
        if existing.state not in ("queued", "running"):
            raise Conflict("The job has ended already.", code="job_ended")
        changed = store.change(
            connection, existing, state="cancelled", finished_at=clock.now_ms(), step=None
        )
        if changed is None:
            raise Conflict(
                "The job has changed in the meantime; reload it and try again.", code="job_changed"
            )
        _record(connection, caller, "job_cancelled", existing)
        return changed


def _known(connection: Connection, org: OrgId, job: str) -> Job:
    existing = store.one(connection, org, job)
    if existing is None:
        raise NotFound("There is no such job.")
    return existing


def _record(connection: Connection, by: Caller, event: str, job: Job) -> None:
    target = audit.Target("job", job.job_id)
    payload = {"kind": job.kind, "subject": job.subject}
    audit.record(connection, OrgId(job.org_id), event, by=by, target=target, payload=payload)
