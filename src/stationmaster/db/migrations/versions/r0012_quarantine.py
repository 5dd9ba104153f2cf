"""Events that a rollup cannot count, set aside with a reason.

Revision ID: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of parts and events that are set aside."""
    op.create_table(
        "quarantine",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("set_aside_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "day", "item"),
        sqlite_with_rowid=False,
    )
