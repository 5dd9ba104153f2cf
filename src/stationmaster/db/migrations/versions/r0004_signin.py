"""Passwords, sessions and signing keys.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of passwords, sessions and signing keys."""
    op.create_table(
        "passwords",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("changed_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "user_id"),
    )
    op.create_table(
        "sessions",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("family_hash", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("previous_hash", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("renewed_at", _BIG, nullable=False),
        sa.Column("used_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("org_id", "session_id"),
        sa.UniqueConstraint("family_hash"),
    )
    op.create_index("sessions_by_user", "sessions", ["org_id", "user_id"])
    op.create_table(
        "signing_keys",
        sa.Column("kid", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("public", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("retired_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("kid"),
    )
    op.create_index("members_by_email", "members", ["email"])
