"""Readiness reports.

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of readiness reports and of the latest one of each repository."""
    op.create_table(
        "readiness_reports",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("report_id", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("repo_url", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "report_id"),
    )
    op.create_index(
        "readiness_reports_by_time", "readiness_reports", ["org_id", "created_at", "report_id"]
    )
    op.create_index(
        "readiness_reports_by_repository",
        "readiness_reports",
        ["org_id", "repo_id", "created_at", "report_id"],
    )
    op.create_table(
        "latest_readiness_reports",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.Text(), nullable=False),
        sa.Column("report_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "repo_id"),
        sqlite_with_rowid=False,
    )
