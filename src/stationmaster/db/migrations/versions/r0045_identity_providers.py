"""Identity providers that organizations have added.

Revision ID: 0045
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of organizations' identity providers."""
    op.create_table(
        "identity_providers",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("org_id", "name")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("issuer", "client_id")),
        sa.Column("sealed", sa.LargeBinary()),
        sa.Column("allowed_domains", sa.Text(), nullable=False),
        sa.Column("trust_unverified_email", sa.Boolean(), nullable=False),
        sa.Column(
            "created_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("org_id", "name"),
        sa.UniqueConstraint("name"),
    )
