"""Who may do what: organizations, people, service accounts, keys."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Table, Text, UniqueConstraint

from stationmaster.db.tables.base import Big, metadata

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
    Column("joined_at", Big),
    UniqueConstraint("org_id", "email"),
)

# At most one link of a kind for a person, so that a new one ends the one before.
one_time_links = Table(
    "one_time_links",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("link_hash", Text, nullable=False, unique=True),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
    Column("used_at", Big),
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
    Column("removed_at", Big),
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
    Column("role", Text),
    Index("api_keys_by_principal", "org_id", "principal_id"),
)

# Every change of who may do what and of what an organization has decided. `audit_id` sorts by time.
audit_log = Table(
    "audit_log",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("audit_id", Text, primary_key=True),
    Column("created_at", Big, nullable=False),
    Column("event_type", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("actor_kind", Text),
    Column("actor_id", Text),
    Column("actor_email", Text),
    Column("actor_role", Text),
    Column("target_kind", Text),
    Column("target_id", Text),
    Column("payload", Text),
    Index("audit_log_by_type", "org_id", "event_type", "audit_id"),
    sqlite_with_rowid=False,
)
