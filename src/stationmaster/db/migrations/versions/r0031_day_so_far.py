"""The running day as it was last counted.

Revision ID: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the running day of each organization."""
    op.create_table(
        "day_so_far",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "day")),
        *(sa.Column(name, _BIG, nullable=False) for name in ("landed", "counted_at")),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
