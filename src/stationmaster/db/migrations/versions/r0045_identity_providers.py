"""Identity providers that organizations have added."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    """Create the table of organizations' identity providers."""
    op.create_table(
        "identity_providers",
        *keys("org_id", "name"),
        *texts("issuer", "client_id"),
        *blobs("sealed", nullable=True),
        *texts("allowed_domains"),
        sa.Column("trust_unverified_email", sa.Boolean(), nullable=False),
        *numbers("created_at"),
        sa.UniqueConstraint("name"),
    )
