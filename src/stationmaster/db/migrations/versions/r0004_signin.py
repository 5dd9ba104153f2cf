"""Passwords, sessions and signing keys."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables of passwords, sessions and signing keys."""
    op.create_table(
        "passwords",
        *keys("org_id", "user_id"),
        *texts("hash"),
        *numbers("changed_at"),
    )
    op.create_table(
        "sessions",
        *keys("org_id", "session_id"),
        *texts("user_id", "method", "family_hash", "secret_hash"),
        *texts("previous_hash", nullable=True),
        *numbers("created_at", "renewed_at", "used_at", "expires_at"),
        *numbers("revoked_at", nullable=True),
        sa.UniqueConstraint("family_hash"),
    )
    op.create_index("sessions_by_user", "sessions", ["org_id", "user_id"])
    op.create_table(
        "signing_keys",
        *keys("kid"),
        *blobs("sealed"),
        *texts("public"),
        *numbers("created_at"),
        *numbers("retired_at", nullable=True),
    )
    op.create_index("members_by_email", "members", ["email"])
