"""Imported price lists, and by which prices days were counted."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# One list of each origin; `body` is what `credits.lists` encodes, compressed.
price_lists = Table(
    "price_lists",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("imported_at", Big, nullable=False),
    Column("digest", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# The prices that the days of an organization were last compared with: see `pricing.review`.
price_reviews = Table(
    "price_reviews",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
)

# Which models a day had, as JSON, and a digest of what they cost when it was counted.
day_prices = Table(
    "day_prices",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("models", Text, nullable=False),
    sqlite_with_rowid=False,
)
