"""A number that tells two writings of a day's documents, slices and facts apart."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add to days the number of their last writing, 0 for those that are stored."""
    op.add_column("lake_days", sa.Column("published", Big, nullable=False, server_default="0"))
