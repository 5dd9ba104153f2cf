"""Whose computers may not be reached from elsewhere."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Create the table of principals whose computers are not reached from elsewhere."""
    op.create_table(
        "remote_access_off",
        *keys("org_id", "principal_id"),
        *numbers("changed_at"),
        *texts("changed_by"),
    )
