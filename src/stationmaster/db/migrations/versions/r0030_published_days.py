"""A number that tells two writings of a day's documents, slices and facts apart.

Revision ID: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add to days the number of their last writing, 0 for those that are stored."""
    op.add_column("lake_days", sa.Column("published", Big, nullable=False, server_default="0"))
