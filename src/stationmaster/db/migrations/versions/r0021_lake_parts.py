"""Every part of the lake with its bytes, its rows and its hash.

Revision ID: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the lake's parts."""
    op.create_table(
        "lake_parts",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "day", "name")),
        *(sa.Column(name, _BIG, nullable=False) for name in ("size", "row_count")),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("is_adopted", sa.Boolean(), nullable=False),
        sa.Column("checked_at", _BIG, nullable=False),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org_id", "day", "name"),
        sqlite_with_rowid=False,
    )
    op.create_index("lake_parts_by_check", "lake_parts", ["checked_at", "org_id", "day", "name"])
    op.create_index(
        "lake_parts_by_fault",
        "lake_parts",
        ["org_id", "day"],
        sqlite_where=sa.text("fault IS NOT NULL"),
        postgresql_where=sa.text("fault IS NOT NULL"),
    )
