"""Durable jobs: asking for work, looking at it, calling it off, and every query of them. Times are
UTC milliseconds."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, delete, func, select, text, update

from stationmaster import clock, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.db import alone
from stationmaster.db.engine import Database
from stationmaster.db.readers import marks
from stationmaster.db.tables.jobs import WAITING, jobs
from stationmaster.errors import Conflict, NotFound

State = Literal["queued", "running", "succeeded", "failed", "cancelled"]
"""The last three are ends: a job that has one never changes again."""
Kind = str
"""What is done: a word of small letters and hyphens, such as `ci-scan`."""


class Job(msgspec.Struct, frozen=True):
    """Work on one subject, such as a repository's id.

    `attempts` counts those that have begun. `requested_by` is a principal, None for the software
    itself. A queued job begins at `due_at` at the earliest. `started_at` is of the newest attempt,
    `step` what that was doing last, `error` in one line why the newest attempt that failed did.
    """

    org_id: str
    job_id: str
    kind: Kind
    subject: str
    state: State
    attempts: int
    requested_by: str | None
    requested_at: int
    due_at: int
    started_at: int | None
    finished_at: int | None
    step: str | None
    error: str | None


class JobLost(Exception):
    """The job is not this worker's any more: cancelled, or taken over by another one."""


class Stopping(Exception):
    """This process ends; the job returns to those that wait."""


def ask(
    db: Database, org: ids.OrgId, kind: Kind, subject: str, *, by: Caller | None, delay_s: float = 0
) -> Job:
    """Have something done, not before `delay_s`; the job that already waits for it, if one does.

    One that is running does not count as waiting, for what it works on may have changed meanwhile.
    """
    with db.transaction() as connection:
        return ask_within(db, connection, org, kind, subject, by=by, delay_s=delay_s)


def ask_within(
    db: Database,
    connection: Connection,
    org: ids.OrgId,
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
    waiting = put_waiting(db, connection, new)
    if by is not None and waiting.job_id == new.job_id:
        _record(connection, by, "job_requested", waiting)
    return waiting


def get(db: Database, org: ids.OrgId, job: str) -> Job:
    """Raises NotFound."""
    with db.reading() as connection:
        return _existing(connection, org, job)


def cancel(db: Database, caller: Caller, job: str) -> Job:
    """Call a job off. One that is running ends at its next step, and what it finds is not kept.

    Raises NotFound, Conflict (`job_ended`) for one that has ended.
    """
    with db.transaction() as connection:
        existing = _existing(connection, caller.org_id, job)
        if existing.state not in ("queued", "running"):
            raise Conflict("The job has ended already.", code="job_ended")
        changed = change(
            connection, existing, state="cancelled", finished_at=clock.now_ms(), step=None
        )
        if changed is None:
            raise Conflict(
                "The job has changed in the meantime; reload it and try again.", code="job_changed"
            )
        _record(connection, caller, "job_cancelled", existing)
        return changed


def _existing(connection: Connection, org: ids.OrgId, job: str) -> Job:
    existing = one(connection, org, job)
    if existing is None:
        raise NotFound("There is no such job.")
    return existing


def _record(connection: Connection, by: Caller, event: str, job: Job) -> None:
    payload = {"kind": job.kind, "subject": job.subject}
    audit.note(connection, by, event, "job", job.job_id, **payload)


_COLUMNS = ", ".join(Job.__struct_fields__)
_AFTER_ALL = "job_g"
"""No identifier, whose digits are hexadecimal, is later."""
_ENDS: tuple[State, ...] = ("succeeded", "failed", "cancelled")


def put_waiting(db: Database, connection: Connection, new: Job) -> Job:
    """Add a job that waits. Where one of its kind and subject does, that one is the answer, due no
    later than the new one would be.
    """
    alone.in_transaction(connection, _lock(new))
    made = db.insert(jobs).values(msgspec.structs.asdict(new))
    sooner = func.least if db.dialect == "postgresql" else func.min
    row = connection.execute(
        made.on_conflict_do_update(
            index_elements=[jobs.c.org_id, jobs.c.kind, jobs.c.subject],
            index_where=text(WAITING),
            set_={"due_at": sooner(jobs.c.due_at, made.excluded.due_at)},
        ).returning(*jobs.c)
    ).one()
    return Job(*row)


def one(connection: Connection, org: ids.OrgId, job: str) -> Job | None:
    """A job by its id; None where the organization has no such job."""
    row = connection.execute(select(jobs).where(jobs.c.org_id == org, jobs.c.job_id == job)).first()
    return None if row is None else Job(*row)


def list_page(
    db: Database,
    org: ids.OrgId,
    *,
    limit: int,
    before: str | None = None,
    kind: Kind | None = None,
    subject: str | None = None,
    state: State | None = None,
) -> list[Job]:
    """At most `limit` jobs, newest first: those older than the job `before`, of a kind, subject and
    state where these are given."""
    wanted = {"kind": kind, "subject": subject, "state": state}
    filters = {name: value for name, value in wanted.items() if value is not None}
    also = "".join(f" AND {name} = ?" for name in filters)
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE org_id = ? AND job_id < ?{also}"
        " ORDER BY job_id DESC LIMIT ?",
        *(org, before or _AFTER_ALL, *filters.values(), limit),
    )
    return [Job(*row) for row in rows]


def organizations_with_due(db: Database, kinds: Collection[Kind], now: int) -> list[ids.OrgId]:
    """Organizations with queued jobs of some kinds that are due by `now` (UTC ms), sorted."""
    rows = db.rows(
        "SELECT DISTINCT org_id FROM jobs WHERE state = 'queued' AND due_at <= ?"
        f" AND kind IN ({marks(kinds)}) ORDER BY org_id",
        *(now, *kinds),
    )
    return [ids.OrgId(org) for (org,) in rows]


def due(db: Database, org: ids.OrgId, kinds: Collection[Kind], now: int, limit: int) -> list[Job]:
    """Those of an organization that wait and are due, the longest due first."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE state = 'queued' AND org_id = ? AND due_at <= ?"
        f" AND kind IN ({marks(kinds)}) ORDER BY due_at, job_id LIMIT ?",
        *(org, now, *kinds, limit),
    )
    return [Job(*row) for row in rows]


def running(db: Database, kinds: Collection[Kind]) -> list[Job]:
    """All whose state is running, in every organization: as many as workers do at a time."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE state = 'running' AND kind IN ({marks(kinds)})", *kinds
    )
    return [Job(*row) for row in rows]


_FAILING_MAX = 100
_FAILED = f"""
SELECT {_COLUMNS} FROM jobs AS failed
WHERE org_id = ? AND state = 'failed' AND finished_at >= ? AND NOT EXISTS (
  SELECT 1 FROM jobs AS later
  WHERE later.org_id = failed.org_id AND later.kind = failed.kind
    AND later.subject = failed.subject AND later.job_id > failed.job_id
    AND later.state IN ('succeeded', 'failed', 'cancelled')
) ORDER BY job_id DESC LIMIT ?
"""


def failing(db: Database, org: ids.OrgId, since: int) -> list[Job]:
    """Work whose newest ended job failed at `since` or later, newest first; at most 100."""
    return [Job(*row) for row in db.rows(_FAILED, org, since, _FAILING_MAX)]


def change(connection: Connection, job: Job, **values: Any) -> Job | None:
    """Change a job if it is still as known in state and attempts; None when it is not."""
    row = connection.execute(
        update(jobs)
        .where(
            jobs.c.org_id == job.org_id,
            jobs.c.job_id == job.job_id,
            jobs.c.state == job.state,
            jobs.c.attempts == job.attempts,
        )
        .values(**values)
        .returning(*jobs.c)
    ).first()
    return None if row is None else Job(*row)


def put_back(connection: Connection, job: Job, **values: Any) -> bool:
    """Let a running job wait again, with these values. Not while another of its kind and subject
    does: that one is the one that waits.
    """
    alone.in_transaction(connection, _lock(job))
    others = select(jobs.c.job_id).where(
        jobs.c.org_id == job.org_id,
        jobs.c.kind == job.kind,
        jobs.c.subject == job.subject,
        jobs.c.state == "queued",
    )
    if connection.execute(others).first() is not None:
        return False
    change(connection, job, state="queued", step=None, **values)
    return True


def delete_old(connection: Connection, ended: Job, keep: int) -> None:
    """Delete all but the newest of those of the same kind and subject that have ended."""
    same = (
        jobs.c.org_id == ended.org_id,
        jobs.c.kind == ended.kind,
        jobs.c.subject == ended.subject,
        jobs.c.state.in_(_ENDS),
    )
    kept = select(jobs.c.job_id).where(*same).order_by(jobs.c.job_id.desc()).limit(keep)
    connection.execute(delete(jobs).where(*same, jobs.c.job_id.not_in(kept)))


def due_in_all(db: Database, now: int) -> tuple[int, int | None]:
    """How many wait though they are due, in all organizations, and since when the oldest is."""
    [(count, oldest)] = db.rows(
        "SELECT COUNT(*), MIN(due_at) FROM jobs WHERE state = 'queued' AND due_at <= ?", now
    )
    return count, oldest


def _lock(job: Job) -> str:
    return f"waiting job {job.org_id} {job.kind} {job.subject}"
