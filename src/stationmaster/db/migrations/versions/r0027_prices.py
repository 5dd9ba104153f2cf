"""Imported price lists, and by which prices days were counted.

Revision ID: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of price lists, of their last review, and of the prices of days."""
    op.create_table(
        "price_lists",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "origin")),
        sa.Column("imported_at", _BIG, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "origin"),
    )
    op.create_table(
        "price_reviews",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "digest")),
        sa.PrimaryKeyConstraint("org_id"),
    )
    op.create_table(
        "day_prices",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("org_id", "day", "digest", "models")
        ),
        sa.PrimaryKeyConstraint("org_id", "day"),
        sqlite_with_rowid=False,
    )
