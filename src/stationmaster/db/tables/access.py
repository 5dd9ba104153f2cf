"""Who may do what: organizations, people, service accounts, keys."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary, Table, Text, UniqueConstraint

from stationmaster.db.tables.base import Big, metadata

organizations = Table(
    "organizations",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", Big, nullable=False),
)

# When an organization's days begin, where not in UTC: see access/time_zone.py.
organization_time_zones = Table(
    "organization_time_zones",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
)

# How many days of raw events an organization keeps, where owners decided: see access/retention.py.
organization_retention = Table(
    "organization_retention",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("days", Big, nullable=False),
)

# How an organization's people are shown, where not by name: see access/privacy.py.
organization_privacy = Table(
    "organization_privacy",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("minimum", Big, nullable=False),
    Column("seed", LargeBinary, nullable=False),
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
    Column("team", Text),
    UniqueConstraint("org_id", "email"),
)

# Whose a user id is by somebody's word: another person's, or (null) its own, whatever telemetry
# shows.
user_aliases = Table(
    "user_aliases",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("person_id", Text),
    Column("person_email", Text),
    Column("created_at", Big, nullable=False),
    sqlite_with_rowid=False,
)

# With which people telemetry has shown an installation or an account together.
user_evidence = Table(
    "user_evidence",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("person_id", Text, primary_key=True),
    Column("person_email", Text),
    Column("kind", Text, nullable=False),
    sqlite_with_rowid=False,
)

# At most one link of a kind for a person, so that a new one ends the one before. `made_by` and
# `made_with` name the principal and the key or session that made it; null is the operator.
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
    Column("made_by", Text),
    Column("made_with", Text),
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
    Column("made_with", Text),
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

# What was asked for: a person's data erased. `subject` (JSON) names the person until it is done.
erasures = Table(
    "erasures",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("erasure_id", Text, primary_key=True),
    Column("reports", Text, nullable=False),
    Column("job_id", Text, nullable=False),
    Column("requested_at", Big, nullable=False),
    Column("finished_at", Big),
    Column("events", Big, nullable=False),
    Column("subject", Text),
    sqlite_with_rowid=False,
)

# By which telemetry of erased people is recognised: hashes under the organization's key.
erased_marks = Table(
    "erased_marks",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("mark", Text, primary_key=True),
    sqlite_with_rowid=False,
)
erasure_keys = Table(
    "erasure_keys",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("key", LargeBinary, nullable=False),
)
