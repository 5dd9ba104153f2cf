"""Days whose events are gone by policy.

Revision ID: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of partitions, from the days of the lake, and of erased days."""
    op.create_table(
        "lake_partitions",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("since", _BIG, nullable=False),
        sa.Column("parts", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "day"),
    )
    op.execute(
        "INSERT INTO lake_partitions (org_id, day, since, parts)"
        " SELECT org_id, day, 0, 0 FROM lake_days"
    )
    op.create_table(
        "lake_horizons",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("closed_through", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
