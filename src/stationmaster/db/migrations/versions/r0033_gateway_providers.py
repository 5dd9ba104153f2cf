"""Providers of models that the gateway passes calls on to.

Revision ID: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the gateway's providers."""
    op.create_table(
        "gateway_providers",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "name", "kind", "url")),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column("failover", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "name"),
    )
