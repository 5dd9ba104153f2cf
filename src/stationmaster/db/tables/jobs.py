"""Durable jobs: work that was asked for, and what became of it."""

from __future__ import annotations

from sqlalchemy import Index

from stationmaster.db.columns import keys, numbers, texts
from stationmaster.db.tables.base import partial_index, table

WAITING = "state = 'queued'"

# `attempts` counts those that began, and shows a worker whether a running job is still its own.
jobs = table(
    "jobs",
    *keys("org_id", "job_id"),
    *texts("kind", "subject", "state"),
    *numbers("attempts"),
    *texts("requested_by", nullable=True),
    *numbers("requested_at", "due_at"),
    *numbers("started_at", "finished_at", nullable=True),
    *texts("step", "error", nullable=True),
    Index("jobs_by_state", "state", "org_id", "due_at"),
    Index("jobs_by_subject", "org_id", "kind", "subject", "job_id"),
    # One job of a kind and subject waits at a time.
    partial_index("jobs_waiting", "org_id", "kind", "subject", where=WAITING, unique=True),
)
