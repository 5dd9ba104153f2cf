"""The first tables.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


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
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id"),
    )
    op.create_table(
        "members",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("removed_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("org_id", "user_id"),
        sa.UniqueConstraint("org_id", "email"),
    )
    op.create_table(
        "service_accounts",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("service_account_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "service_account_id"),
        sa.UniqueConstraint("org_id", "name"),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("principal_kind", sa.Text(), nullable=False),
        sa.Column("principal_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=True),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.Column("last_used_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("key_id"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_index("api_keys_by_org", "api_keys", ["org_id"])


def _lake() -> None:
    op.create_table(
        "lake_days",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("landed", _BIG, nullable=False),
        sa.Column("rolled", _BIG, nullable=False),
        sa.Column("rolled_at", _BIG, nullable=True),
        sa.Column("cost_ms", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("org_id", "day"),
    )
    op.create_table(
        "moved_batches",
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("moved_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("batch_id"),
    )
    op.create_table(
        "intake_counts",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("count", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "day", "product", "source", "outcome"),
    )


def _reports() -> None:
    op.create_table(
        "report_documents",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("revision", _BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "report", "day"),
    )
    op.create_index("report_documents_by_day", "report_documents", ["org_id", "day", "revision"])
    op.create_table(
        "user_documents",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "user_id", "day"),
        sqlite_with_rowid=False,
    )


def _activity() -> None:
    op.create_table(
        "active_users",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("is_counted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "day", "user_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("active_users_by_user", "active_users", ["org_id", "user_id", "day"])
    op.create_table(
        "session_days",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "session_id", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("session_days_by_day", "session_days", ["org_id", "day"])


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("first_day", sa.Text(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("tally", sa.LargeBinary(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("inbox_by_batch", "inbox", ["batch_id"])
    op.create_index("inbox_by_org", "inbox", ["org_id", "first_day"])
