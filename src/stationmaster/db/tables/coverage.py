"""Who and what sends telemetry, and what its sources say of the same sessions."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from stationmaster.db.tables.base import Big, metadata

# One row for each agent of a person on a machine, by the way in which its data arrives. Times
# are those of its events (ms); `version_at` is when its newest version was first seen, and
# `unknown` counts records of an unknown name since then, `unknown_before` those of the version
# before (null: none is known).
senders = Table(
    "senders",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("machine", Text, primary_key=True),
    Column("product", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("first_at", Big, nullable=False),
    Column("last_at", Big, nullable=False),
    Column("events", Big, nullable=False),
    Column("refused", Big, nullable=False),
    Column("version", Text, nullable=False),
    Column("version_at", Big, nullable=False),
    Column("unknown", Big, nullable=False),
    Column("unknown_before", Big),
    Column("email", Text),
    sqlite_with_rowid=False,
)

# What a day's events lack, as they arrived; `calls` are the tool calls among them.
day_quality = Table(
    "day_quality",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("product", Text, primary_key=True),
    Column("events", Big, nullable=False),
    Column("without_session", Big, nullable=False),
    Column("without_repository", Big, nullable=False),
    Column("without_client", Big, nullable=False),
    Column("calls", Big, nullable=False),
    Column("without_autonomy", Big, nullable=False),
    Column("clock_skew", Big, nullable=False),
    sqlite_with_rowid=False,
)

# What a source reported of a day's sessions that another source reported, too, beside what was
# counted. `difference` adds up the sessions' differences, `flagged` those that the source itself
# announces. `worst` is a JSON list of [session id, reported, counted].
source_comparisons = Table(
    "source_comparisons",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("product", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("figure", Text, primary_key=True),
    Column("sessions", Big, nullable=False),
    Column("differing", Big, nullable=False),
    Column("told", Big, nullable=False),
    Column("counted", Big, nullable=False),
    Column("difference", Big, nullable=False),
    Column("flagged", Big, nullable=False),
    Column("worst", Text, nullable=False),
    sqlite_with_rowid=False,
)
