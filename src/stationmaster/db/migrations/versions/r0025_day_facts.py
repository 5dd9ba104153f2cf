"""The finer counts of a day, for reports besides the five.

Revision ID: 0025
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the finer counts of each day."""
    op.create_table(
        "day_facts",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("landed", _BIG, nullable=False),
        sa.Column("form", _BIG, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "day"),
    )
