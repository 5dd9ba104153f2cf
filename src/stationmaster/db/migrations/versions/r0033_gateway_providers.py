"""Providers of models that the gateway passes calls on to."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Create the table of the gateway's providers."""
    op.create_table(
        "gateway_providers",
        *keys("org_id", "name"),
        *texts("kind", "url"),
        *blobs("sealed"),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        *texts("failover"),
        *numbers("created_at"),
    )
