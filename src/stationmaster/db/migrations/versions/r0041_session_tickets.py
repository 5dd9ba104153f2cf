"""Tickets with which pages open the stream of a session.

Revision ID: 0041
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of tickets for streams of sessions."""
    op.create_table(
        "session_tickets",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "ticket_hash")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("principal_id", "session_id")),
        sa.Column(
            "expires_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("org_id", "ticket_hash"),
    )
