"""The first tables."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big, blobs, keys, numbers, texts

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables of access, the lake, reports and activity; on PostgreSQL the inbox, too."""
    _access()
    _lake()
    _reports()
    _activity()
    if op.get_bind().dialect.name == "postgresql":
        _inbox()


def _access() -> None:
    op.create_table(
        "organizations",
        *keys("org_id"),
        *texts("name"),
        *numbers("created_at"),
    )
    op.create_table(
        "members",
        *keys("org_id", "user_id"),
        *texts("email", "role"),
        *numbers("created_at"),
        *numbers("removed_at", nullable=True),
        sa.UniqueConstraint("org_id", "email"),
    )
    op.create_table(
        "service_accounts",
        *keys("org_id", "service_account_id"),
        *texts("name", "role"),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        *numbers("created_at"),
        sa.UniqueConstraint("org_id", "name"),
    )
    op.create_table(
        "api_keys",
        *keys("key_id"),
        *texts("org_id", "principal_kind", "principal_id", "name", "scope", "secret_hash", "hint"),
        *numbers("created_at"),
        *numbers("expires_at", "revoked_at", "last_used_at", nullable=True),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_index("api_keys_by_org", "api_keys", ["org_id"])


def _lake() -> None:
    op.create_table(
        "lake_days",
        *keys("org_id", "day"),
        *numbers("landed", "rolled"),
        *numbers("rolled_at", "cost_ms", nullable=True),
    )
    op.create_table(
        "moved_batches",
        *keys("batch_id"),
        *numbers("moved_at"),
    )
    op.create_table(
        "intake_counts",
        *keys("org_id", "day", "product", "source", "outcome"),
        *numbers("count"),
    )


def _reports() -> None:
    op.create_table(
        "report_documents",
        *keys("org_id", "report", "day"),
        *numbers("revision"),
        *blobs("digest", "body"),
    )
    op.create_index("report_documents_by_day", "report_documents", ["org_id", "day", "revision"])
    op.create_table(
        "user_documents",
        *keys("org_id", "user_id", "day"),
        *blobs("digest", "body"),
        sqlite_with_rowid=False,
    )


def _activity() -> None:
    op.create_table(
        "active_users",
        *keys("org_id", "day", "user_id"),
        sa.Column("is_counted", sa.Boolean(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("active_users_by_user", "active_users", ["org_id", "user_id", "day"])
    op.create_table(
        "session_days",
        *keys("org_id", "session_id", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("session_days_by_day", "session_days", ["org_id", "day"])


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", Big, autoincrement=True, nullable=False),
        *texts("org_id"),
        *texts("first_day", nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        *texts("batch_id", nullable=True),
        *blobs("tally"),
        *blobs("payload", nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("inbox_by_batch", "inbox", ["batch_id"])
    op.create_index("inbox_by_org", "inbox", ["org_id", "first_day"])
