"""Imported price lists, and by which prices days were counted."""

from __future__ import annotations

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

# One list of each origin; `body` is what `credits.lists` encodes, compressed.
price_lists = table(
    "price_lists",
    *keys("org_id", "origin"),
    *numbers("imported_at"),
    *texts("digest"),
    *blobs("body"),
)

# The prices that the days of an organization were last compared with: see `pricing.review`.
price_reviews = table(
    "price_reviews",
    *keys("org_id"),
    *texts("digest"),
)

# Which models a day had, as JSON, and a digest of what they cost when it was counted.
day_prices = table(
    "day_prices",
    *keys("org_id", "day"),
    *texts("digest", "models"),
    sqlite_with_rowid=False,
)
