"""The finer counts of a day, for reports besides the five."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Create the table of the finer counts of each day."""
    op.create_table(
        "day_facts",
        *keys("org_id", "day"),
        *numbers("landed", "form"),
        *blobs("body"),
    )
