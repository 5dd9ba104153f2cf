"""Request limits and throttles that all processes share."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the table of levels of request limits; on PostgreSQL it is not logged."""
    # Written twice a second and worth nothing after a crash: it needs no write-ahead log.
    prefixes = ["UNLOGGED"] if op.get_bind().dialect.name == "postgresql" else []
    op.create_table(
        "buckets",
        *keys("bucket"),
        sa.Column("size", sa.Float(53), nullable=False),
        sa.Column("per_second", sa.Float(53), nullable=False),
        sa.Column("level", sa.Float(53), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        prefixes=prefixes,
        sqlite_with_rowid=False,
    )
