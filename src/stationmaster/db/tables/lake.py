"""What the lake holds of each day, and the inbox before it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Integer, MetaData, Table, false

from stationmaster.db.columns import Big, blobs, keys, numbers, texts
from stationmaster.db.tables.base import partial_index, table

# A day is dirty while `landed` is ahead of `rolled`; both count deliveries to the lake. `published`
# is a random number that changes whenever what is stored of the day is written again.
lake_days = table(
    "lake_days",
    *keys("org_id", "day"),
    *numbers("landed", "rolled"),
    *numbers("rolled_at", "cost_ms", nullable=True),
    Column("published", Big, nullable=False, server_default="0"),
)

# The partitions of the lake that hold parts, since when (ms), and how many were written since a
# compaction looked.
lake_partitions = table(
    "lake_partitions",
    *keys("org_id", "day"),
    *numbers("since", "parts"),
)

# Every part that the figures count on: what was written, and what the last check found (a fault is
# "missing" or "changed"). `is_adopted`: a version without hashes wrote it, and it was entered as it
# was found.
lake_parts = table(
    "lake_parts",
    *keys("org_id", "day", "name"),
    *numbers("size", "row_count"),
    *texts("sha256"),
    Column("is_adopted", Boolean, nullable=False),
    *numbers("checked_at"),
    *texts("fault", nullable=True),
    # On its way in or out: no reader takes the file, and none misses it.
    Column("is_hidden", Boolean, nullable=False, server_default=false()),
    Index("lake_parts_by_check", "checked_at", "org_id", "day", "name"),
    partial_index("lake_parts_by_fault", "org_id", "day", where="fault IS NOT NULL"),
    sqlite_with_rowid=False,
)

# Events of the days through this one are erased, and what arrives for them is not kept.
lake_horizons = table(
    "lake_horizons",
    *keys("org_id"),
    *texts("closed_through"),
)

moved_batches = table(
    "moved_batches",
    *keys("batch_id"),
    *numbers("moved_at"),
)

# What became of every record that was ever accepted, for doctor and coverage.
intake_counts = table(
    "intake_counts",
    *keys("org_id", "day", "product", "source", "outcome"),
    *numbers("count"),
)

# The inbox lives in a file of its own next to SQLite, and in the same database on PostgreSQL.
inbox_metadata = MetaData()

inbox = Table(
    "inbox",
    inbox_metadata,
    Column("id", Big, primary_key=True, autoincrement=True),
    *texts("org_id"),
    *texts("first_day", nullable=True),
    Column("size", Integer, nullable=False),
    *texts("batch_id", nullable=True),
    *blobs("tally"),
    *blobs("payload", nullable=True),
    Index("inbox_by_org", "org_id", "first_day"),
    Index("inbox_by_batch", "batch_id"),
    sqlite_autoincrement=True,
)
