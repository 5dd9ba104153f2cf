"""How long an organization keeps its raw events.

Revision ID: 0037
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of how many days organizations keep events."""
    op.create_table(
        "organization_retention",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("days", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
