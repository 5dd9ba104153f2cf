"""The audit log."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of the audit log."""
    op.create_table(
        "audit_log",
        *keys("org_id", "audit_id"),
        *numbers("created_at"),
        *texts("event_type", "source"),
        *texts("actor_kind", "actor_id", "actor_email", "actor_role", "target_kind", nullable=True),
        *texts("target_id", "payload", nullable=True),
        sqlite_with_rowid=False,
    )
