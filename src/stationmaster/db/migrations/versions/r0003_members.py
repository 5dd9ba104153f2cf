"""Invitations, and service accounts that can be removed."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big, keys, numbers, texts

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of one-time links; add when members joined and accounts were removed."""
    op.add_column("members", sa.Column("joined_at", Big, nullable=True))
    op.execute("UPDATE members SET joined_at = created_at")
    op.add_column("service_accounts", sa.Column("removed_at", Big, nullable=True))
    op.add_column("api_keys", sa.Column("role", sa.Text(), nullable=True))
    op.drop_index("api_keys_by_org", "api_keys")
    op.create_index("api_keys_by_principal", "api_keys", ["org_id", "principal_id"])
    op.create_index("audit_log_by_type", "audit_log", ["org_id", "event_type", "audit_id"])
    op.create_table(
        "one_time_links",
        *keys("org_id", "user_id", "purpose"),
        *texts("link_hash"),
        *numbers("created_at", "expires_at"),
        *numbers("used_at", nullable=True),
        sa.UniqueConstraint("link_hash"),
    )
