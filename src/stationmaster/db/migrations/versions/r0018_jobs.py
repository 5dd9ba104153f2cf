"""Durable jobs, and when a repository was last looked at.

Revision ID: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of durable jobs; add when a repository was last looked at."""
    op.create_table(
        "jobs",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "job_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "subject", "state")),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=True),
        *(sa.Column(name, _BIG, nullable=False) for name in ("requested_at", "due_at")),
        *(sa.Column(name, _BIG, nullable=True) for name in ("started_at", "finished_at")),
        *(sa.Column(name, sa.Text(), nullable=True) for name in ("step", "error")),
        sa.PrimaryKeyConstraint("org_id", "job_id"),
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
    op.add_column("repositories", sa.Column("looked_at", _BIG, nullable=True))
