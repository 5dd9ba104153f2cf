"""Whose computers may not be reached from elsewhere.

Revision ID: 0044
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of principals whose computers are not reached from elsewhere."""
    op.create_table(
        "remote_access_off",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "principal_id")),
        sa.Column(
            "changed_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "principal_id"),
    )
