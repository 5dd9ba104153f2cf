"""Which computers are connected, and the SSH keys that their agents show.

Revision ID: 0036
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of the computers that are connected."""
    op.create_table(
        "computer_presence",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "computer_id")),
        sa.Column("process", sa.Text()),
        *(sa.Column(name, _BIG, nullable=False) for name in ("since", "last_seen_at")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("agent_version", "host_keys")),
        sa.Column("new_host_keys", sa.Text()),
        sa.PrimaryKeyConstraint("org_id", "computer_id"),
    )
