"""Erasing people: what was asked for, whose telemetry is not stored, and parts on their way."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Create the tables of erasures and of erased users as marks; add which parts are hidden."""
    op.create_table(
        "erasures",
        *keys("org_id", "erasure_id"),
        *texts("reports", "job_id"),
        *numbers("requested_at"),
        *numbers("finished_at", nullable=True),
        *numbers("events"),
        *texts("subject", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "erased_marks",
        *keys("org_id", "mark"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "erasure_keys",
        *keys("org_id"),
        *blobs("key"),
    )
    op.add_column(
        "lake_parts",
        sa.Column("is_hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
