"""Every part of the lake with its bytes, its rows and its hash."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Create the table of the lake's parts."""
    op.create_table(
        "lake_parts",
        *keys("org_id", "day", "name"),
        *numbers("size", "row_count"),
        *texts("sha256"),
        sa.Column("is_adopted", sa.Boolean(), nullable=False),
        *numbers("checked_at"),
        *texts("fault", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("lake_parts_by_check", "lake_parts", ["checked_at", "org_id", "day", "name"])
    op.create_index(
        "lake_parts_by_fault",
        "lake_parts",
        ["org_id", "day"],
        sqlite_where=sa.text("fault IS NOT NULL"),
        postgresql_where=sa.text("fault IS NOT NULL"),
    )
