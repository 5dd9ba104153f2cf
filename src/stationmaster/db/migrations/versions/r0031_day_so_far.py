"""The running day as it was last counted."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Create the table of the running day of each organization."""
    op.create_table(
        "day_so_far",
        *keys("org_id"),
        *texts("day"),
        *numbers("landed", "counted_at"),
        *blobs("body"),
    )
