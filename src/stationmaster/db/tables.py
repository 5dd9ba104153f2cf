"""Every table of the state of record. The organization is part of every tenant table's key.

Times are UTC milliseconds, days ISO text (sorts and compares as a day on both databases).
The Alembic migrations in `db/migrations` create these; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()
Big = BigInteger().with_variant(Integer, "sqlite")

organizations = Table(
    "organizations",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", Big, nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("removed_at", Big),
    UniqueConstraint("org_id", "email"),
)

service_accounts = Table(
    "service_accounts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("service_account_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("created_at", Big, nullable=False),
    UniqueConstraint("org_id", "name"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("key_id", Text, primary_key=True),
    Column("org_id", Text, nullable=False),
    Column("principal_kind", Text, nullable=False),
    Column("principal_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("secret_hash", Text, nullable=False, unique=True),
    Column("hint", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big),
    Column("revoked_at", Big),
    Column("last_used_at", Big),
    Index("api_keys_by_org", "org_id"),
)

# A day is dirty while `landed` is ahead of `rolled`; both count deliveries to the lake.
lake_days = Table(
    "lake_days",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("landed", Big, nullable=False),
    Column("rolled", Big, nullable=False),
    Column("rolled_at", Big),
    Column("cost_ms", Big),
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

# One finished JSON document per organization, report and day. `body` is one object for a plain
# report, comma-joined objects (or nothing) for a grouped one. Bodies come last, so that what
# stands before them is read without reading them.
report_documents = Table(
    "report_documents",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("report", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("revision", Big, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("report_documents_by_day", "org_id", "day", "revision"),
)

user_documents = Table(
    "user_documents",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# Who was active when: the source of trailing windows, and the order of /users pages.
active_users = Table(
    "active_users",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("is_counted", Boolean, nullable=False),
    Index("active_users_by_user", "org_id", "user_id", "day"),
    sqlite_with_rowid=False,
)

# On which days a session was active, so that it counts as started on the first of them only.
session_days = Table(
    "session_days",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Index("session_days_by_day", "org_id", "day"),
    sqlite_with_rowid=False,
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
