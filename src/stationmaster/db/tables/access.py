"""Who may do what: organizations, people, service accounts, keys."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Text, UniqueConstraint

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.base import table

organizations = table(
    "organizations",
    *keys("org_id"),
    *texts("name"),
    *numbers("created_at"),
)

# When an organization's days begin, where not in UTC: see access/time_zone.py.
organization_time_zones = table(
    "organization_time_zones",
    *keys("org_id"),
    *texts("name"),
)

# How many days of raw events an organization keeps, where owners decided: see access/retention.py.
organization_retention = table(
    "organization_retention",
    *keys("org_id"),
    *numbers("days"),
)

# How an organization's people are shown, where not by name: see access/privacy.py.
organization_privacy = table(
    "organization_privacy",
    *keys("org_id"),
    *texts("mode"),
    *numbers("minimum"),
    *blobs("seed"),
)

members = table(
    "members",
    *keys("org_id", "user_id"),
    *texts("email", "role"),
    *numbers("created_at"),
    *numbers("removed_at", "joined_at", nullable=True),
    *texts("team", nullable=True),
    UniqueConstraint("org_id", "email"),
)

# Whose a user id is by a person's decision: another person's, or (null) its own, whatever telemetry
# shows.
user_aliases = table(
    "user_aliases",
    *keys("org_id", "user_id"),
    *texts("person_id", "person_email", nullable=True),
    *numbers("created_at"),
    sqlite_with_rowid=False,
)

# With which people telemetry has shown an installation or an account together.
user_evidence = table(
    "user_evidence",
    *keys("org_id", "user_id", "person_id"),
    *texts("person_email", nullable=True),
    *texts("kind"),
    sqlite_with_rowid=False,
)

# At most one link of a kind for a person, so that a new one ends the one before. `made_by` and
# `made_with` name the principal and the key or session that made it; null is the operator.
one_time_links = table(
    "one_time_links",
    *keys("org_id", "user_id", "purpose"),
    Column("link_hash", Text, nullable=False, unique=True),
    *numbers("created_at", "expires_at"),
    *numbers("used_at", nullable=True),
    *texts("made_by", "made_with", nullable=True),
)

service_accounts = table(
    "service_accounts",
    *keys("org_id", "service_account_id"),
    *texts("name", "role"),
    Column("is_active", Boolean, nullable=False),
    *numbers("created_at"),
    *numbers("removed_at", nullable=True),
    UniqueConstraint("org_id", "name"),
)

api_keys = table(
    "api_keys",
    *keys("key_id"),
    *texts("org_id", "principal_kind", "principal_id", "name", "scope"),
    Column("secret_hash", Text, nullable=False, unique=True),
    *texts("hint"),
    *numbers("created_at"),
    *numbers("expires_at", "revoked_at", "last_used_at", nullable=True),
    *texts("role", "made_with", nullable=True),
    Index("api_keys_by_principal", "org_id", "principal_id"),
)

# Every change of who may do what and of what an organization has decided. `audit_id` sorts by time.
audit_log = table(
    "audit_log",
    *keys("org_id", "audit_id"),
    *numbers("created_at"),
    *texts("event_type", "source"),
    *texts("actor_kind", "actor_id", "actor_email", "actor_role", "target_kind", nullable=True),
    *texts("target_id", "payload", nullable=True),
    Index("audit_log_by_type", "org_id", "event_type", "audit_id"),
    sqlite_with_rowid=False,
)

# What was asked for: a person's data erased. `subject` (JSON) names the person until it is done.
erasures = table(
    "erasures",
    *keys("org_id", "erasure_id"),
    *texts("reports", "job_id"),
    *numbers("requested_at"),
    *numbers("finished_at", nullable=True),
    *numbers("events"),
    *texts("subject", nullable=True),
    sqlite_with_rowid=False,
)

# By which telemetry of erased people is recognised: hashes under the organization's key.
erased_marks = table(
    "erased_marks",
    *keys("org_id", "mark"),
    sqlite_with_rowid=False,
)
erasure_keys = table(
    "erasure_keys",
    *keys("org_id"),
    *blobs("key"),
)
