"""Durable jobs, and when a repository was last looked at."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big, keys, numbers, texts

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the table of durable jobs; add when a repository was last looked at."""
    op.create_table(
        "jobs",
        *keys("org_id", "job_id"),
        *texts("kind", "subject", "state"),
        *numbers("attempts"),
        *texts("requested_by", nullable=True),
        *numbers("requested_at", "due_at"),
        *numbers("started_at", "finished_at", nullable=True),
        *texts("step", "error", nullable=True),
    )
    op.create_index("jobs_by_state", "jobs", ["state", "org_id", "due_at"])
    op.create_index("jobs_by_subject", "jobs", ["org_id", "kind", "subject", "job_id"])
    op.create_index(
        "jobs_waiting",
        "jobs",
        ["org_id", "kind", "subject"],
        unique=True,
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.add_column("repositories", sa.Column("looked_at", Big, nullable=True))
