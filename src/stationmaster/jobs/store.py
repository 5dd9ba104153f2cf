"""Every query of the jobs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select, text, update

from stationmaster.db import alone
from stationmaster.db.engine import Database
from stationmaster.db.readers import marks
from stationmaster.db.tables.jobs import WAITING, jobs
from stationmaster.ids import OrgId
from stationmaster.jobs.model import Job, Kind, State

_COLUMNS = ", ".join(Job.__struct_fields__)
_AFTER_ALL = "job_g"
"""No identifier, whose digits are hexadecimal, comes later."""
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


def one(connection: Connection, org: OrgId, job: str) -> Job | None:
    """A job by its id; None where the organization has no such job."""
    row = connection.execute(select(jobs).where(jobs.c.org_id == org, jobs.c.job_id == job)).first()
    return None if row is None else Job(*row)


def page(
    db: Database, org: OrgId, *, limit: int, before: str | None, **wanted: str | None
) -> list[Job]:
    """At most `limit`, newest first: those older than the job `before`, with the wanted values of
    columns, where given.
    """
    filters = {name: value for name, value in wanted.items() if value is not None}
    also = "".join(f" AND {name} = ?" for name in filters)
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE org_id = ? AND job_id < ?{also}"
        " ORDER BY job_id DESC LIMIT ?",
        *(org, before or _AFTER_ALL, *filters.values(), limit),
    )
    return [Job(*row) for row in rows]


def organizations_with_due(db: Database, kinds: Collection[Kind], now: int) -> list[OrgId]:
    """Organizations with queued jobs of some kinds that are due by `now` (UTC ms), sorted."""
    rows = db.rows(
        "SELECT DISTINCT org_id FROM jobs WHERE state = 'queued' AND due_at <= ?"
        f" AND kind IN ({marks(kinds)}) ORDER BY org_id",
        *(now, *kinds),
    )
    return [OrgId(org) for (org,) in rows]


def due(db: Database, org: OrgId, kinds: Collection[Kind], now: int, limit: int) -> list[Job]:
    """Those of an organization that wait and are due, the longest due first."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE state = 'queued' AND org_id = ? AND due_at <= ?"
        f" AND kind IN ({marks(kinds)}) ORDER BY due_at, job_id LIMIT ?",
        *(org, now, *kinds, limit),
    )
    return [Job(*row) for row in rows]


def running(db: Database, kinds: Collection[Kind]) -> list[Job]:
    """All whose state is running, in every organization: as many as workers do at once."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM jobs WHERE state = 'running' AND kind IN ({marks(kinds)})", *kinds
    )
    return [Job(*row) for row in rows]


_FAILED = f"""
SELECT {_COLUMNS} FROM jobs AS failed
WHERE org_id = ? AND state = 'failed' AND finished_at >= ? AND NOT EXISTS (
  SELECT 1 FROM jobs AS later
  WHERE later.org_id = failed.org_id AND later.kind = failed.kind
    AND later.subject = failed.subject AND later.job_id > failed.job_id
    AND later.state IN ('succeeded', 'failed', 'cancelled')
) ORDER BY job_id DESC LIMIT ?
"""


def newest_failed(db: Database, org: OrgId, since: int, limit: int) -> list[Job]:
    """Jobs that failed at `since` or later, where no newer one of the same work has ended."""
    return [Job(*row) for row in db.rows(_FAILED, org, since, limit)]


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


def forget_old(connection: Connection, ended: Job, keep: int) -> None:
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
