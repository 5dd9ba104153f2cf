"""What is left of request limits and of attempts to sign in, for all processes together."""

from __future__ import annotations

from sqlalchemy import Column, Float

from stationmaster.db.columns import keys
from stationmaster.db.tables.base import once_made, table

# The installation's own: `bucket` is a digest of a kind and a name. `at` is in seconds of the
# database's clock, `level` may be below zero. What has no row is full.
buckets = table(
    "buckets",
    *keys("bucket"),
    Column("size", Float(53), nullable=False),
    Column("per_second", Float(53), nullable=False),
    Column("level", Float(53), nullable=False),
    Column("at", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

# Written twice a second and worth nothing after a crash: it needs no write-ahead log.
once_made(buckets, "postgresql", "ALTER TABLE buckets SET UNLOGGED")
