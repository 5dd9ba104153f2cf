"""Events that a rollup cannot count, set aside with a reason."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table of parts and events that are set aside."""
    op.create_table(
        "quarantine",
        *keys("org_id", "day", "item"),
        *texts("reason"),
        *numbers("set_aside_at"),
        sqlite_with_rowid=False,
    )
