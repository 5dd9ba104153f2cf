"""Imported price lists, and by which prices days were counted."""

from alembic import op

from stationmaster.db.columns import blobs, keys, numbers, texts

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Create the tables of price lists, of their last review, and of the prices of days."""
    op.create_table(
        "price_lists",
        *keys("org_id", "origin"),
        *numbers("imported_at"),
        *texts("digest"),
        *blobs("body"),
    )
    op.create_table(
        "price_reviews",
        *keys("org_id"),
        *texts("digest"),
    )
    op.create_table(
        "day_prices",
        *keys("org_id", "day"),
        *texts("digest", "models"),
        sqlite_with_rowid=False,
    )
