"""Machines that wait to be paired by a code.

Revision ID: 0042
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of machines that wait to be paired."""
    op.create_table(
        "computer_pairings",
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("credential_hash", sa.Text(), nullable=False, unique=True),
        sa.Column("registration", sa.Text(), nullable=False),
        sa.Column(
            "expires_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("code_hash"),
    )
