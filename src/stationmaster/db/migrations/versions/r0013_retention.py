"""Days whose events are gone by policy."""

from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the tables of partitions, from the days of the lake, and of erased days."""
    op.create_table(
        "lake_partitions",
        *keys("org_id", "day"),
        *numbers("since", "parts"),
    )
    op.execute(
        "INSERT INTO lake_partitions (org_id, day, since, parts)"
        " SELECT org_id, day, 0, 0 FROM lake_days"
    )
    op.create_table(
        "lake_horizons",
        *keys("org_id"),
        *texts("closed_through"),
    )
