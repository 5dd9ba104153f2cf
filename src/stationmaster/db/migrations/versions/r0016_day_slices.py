"""What was done on a day, by user, agent, repository and team."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the table of the slices of each day."""
    op.create_table(
        "day_slices",
        *keys("org_id", "day"),
        *numbers("landed"),
        *blobs("body"),
    )
