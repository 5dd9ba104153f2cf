"""Machines that wait to be paired by a code."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Create the table of machines that wait to be paired."""
    op.create_table(
        "computer_pairings",
        *keys("code_hash"),
        sa.Column("credential_hash", sa.Text(), nullable=False, unique=True),
        *texts("registration"),
        *numbers("expires_at"),
    )
