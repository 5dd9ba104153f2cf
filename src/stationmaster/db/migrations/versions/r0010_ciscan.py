"""Results of CI scans.

Revision ID: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the last CI scan of each repository."""
    op.create_table(
        "ci_scans",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.Text(), nullable=False),
        sa.Column("checked_at", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("revision", _BIG, nullable=True),
        sa.Column("commit_hash", sa.Text(), nullable=True),
        sa.Column("scanned_at", _BIG, nullable=True),
        sa.Column("workflows", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org_id", "repo_id"),
        sqlite_with_rowid=False,
    )
