"""Durable jobs: work that was asked for, and what became of it."""

from __future__ import annotations

from sqlalchemy import Index, Table, text

from stationmaster.db.columns import keys, numbers, texts
from stationmaster.db.tables.base import metadata

WAITING = "state = 'queued'"

# `attempts` counts those that began, and tells a worker whether a running job is still its own.
jobs = Table(
    "jobs",
    metadata,
    *keys("org_id", "job_id"),
    *texts("kind", "subject", "state"),
    *numbers("attempts"),
    *texts("requested_by", nullable=True),
    *numbers("requested_at", "due_at"),
    *numbers("started_at", "finished_at", nullable=True),
    *texts("step", "error", nullable=True),
    Index("jobs_by_state", "state", "org_id", "due_at"),
    Index("jobs_by_subject", "org_id", "kind", "subject", "job_id"),
)

# One job of a kind and subject waits at a time.
Index(
    "jobs_waiting",
    jobs.c.org_id,
    jobs.c.kind,
    jobs.c.subject,
    unique=True,
    sqlite_where=text(WAITING),
    postgresql_where=text(WAITING),
)
