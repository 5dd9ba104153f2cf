"""Sessions of coding agents on computers, and the agents that each computer allows.

Revision ID: 0039
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0037"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of sessions on computers; add the agents that a computer allows."""
    op.add_column("computer_presence", sa.Column("agents", sa.Text()))
    op.create_table(
        "computer_sessions",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "session_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("computer_id", "agent")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("started_by", "state")),
        sa.Column("reason", sa.Text()),
        *(sa.Column(name, _BIG, nullable=False) for name in ("created_at", "changed_at")),
        sa.Column("ended_at", _BIG),
        *(
            sa.Column(name, _BIG, nullable=False, server_default="0")
            for name in ("prompts", "permissions", "updates")
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id"),
    )
    op.create_index(
        "computer_sessions_by_computer",
        "computer_sessions",
        ["org_id", "computer_id", "session_id"],
    )
