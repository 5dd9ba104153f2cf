"""What the lake holds of each day, and the inbox before it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, MetaData, Table, Text, false

from stationmaster.db.tables.base import Big, metadata

# A day is dirty while `landed` is ahead of `rolled`; both count deliveries to the lake. `published`
# is a random number that changes whenever what is stored of the day is written again.
lake_days = Table(
    "lake_days",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("landed", Big, nullable=False),
    Column("rolled", Big, nullable=False),
    Column("rolled_at", Big),
    Column("cost_ms", Big),
    Column("published", Big, nullable=False, server_default="0"),
)

# The partitions of the lake that hold parts, since when (ms), and how many were written since a
# compaction looked.
lake_partitions = Table(
    "lake_partitions",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("since", Big, nullable=False),
    Column("parts", Big, nullable=False),
)

# Every part that the figures count on: what was written, and what the last check found (a fault is
# "missing" or "changed"). `is_adopted`: a version without hashes wrote it, and it was entered as it
# was found.
lake_parts = Table(
    "lake_parts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("size", Big, nullable=False),
    Column("row_count", Big, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("is_adopted", Boolean, nullable=False),
    Column("checked_at", Big, nullable=False),
    Column("fault", Text),
    # On its way in or out: no reader takes the file, and none misses it.
    Column("is_hidden", Boolean, nullable=False, server_default=false()),
    Index("lake_parts_by_check", "checked_at", "org_id", "day", "name"),
    sqlite_with_rowid=False,
)
_is_faulty = lake_parts.c.fault.is_not(None)
Index(
    "lake_parts_by_fault",
    lake_parts.c.org_id,
    lake_parts.c.day,
    sqlite_where=_is_faulty,
    postgresql_where=_is_faulty,
)

# Events of the days through this one are erased, and what arrives for them is not kept.
lake_horizons = Table(
    "lake_horizons",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("closed_through", Text, nullable=False),
)

moved_batches = Table(
    "moved_batches",
    metadata,
    Column("batch_id", Text, primary_key=True),
    Column("moved_at", Big, nullable=False),
)

# What became of every record that was ever accepted, for doctor and coverage.
intake_counts = Table(
    "intake_counts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("product", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("count", Big, nullable=False),
)

# The inbox lives in a file of its own beside SQLite, and in the same database on PostgreSQL.
inbox_metadata = MetaData()

inbox = Table(
    "inbox",
    inbox_metadata,
    Column("id", Big, primary_key=True, autoincrement=True),
    Column("org_id", Text, nullable=False),
    Column("first_day", Text),
    Column("size", Integer, nullable=False),
    Column("batch_id", Text),
    Column("tally", LargeBinary, nullable=False),
    Column("payload", LargeBinary),
    Index("inbox_by_org", "org_id", "first_day"),
    Index("inbox_by_batch", "batch_id"),
    sqlite_autoincrement=True,
)
