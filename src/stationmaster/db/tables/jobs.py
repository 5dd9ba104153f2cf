"""Durable jobs: work that was asked for, and what became of it."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text, text

from stationmaster.db.tables.base import Big, metadata

WAITING = "state = 'queued'"

# `attempts` counts those that began, and tells a worker whether a running job is still its own.
jobs = Table(
    "jobs",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("job_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Big, nullable=False),
    Column("requested_by", Text),
    Column("requested_at", Big, nullable=False),
    Column("due_at", Big, nullable=False),
    Column("started_at", Big),
    Column("finished_at", Big),
    Column("step", Text),
    Column("error", Text),
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
