"""What signing in needs: passwords, sessions, the keys that sign tokens."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.access import members
from stationmaster.db.tables.base import Big, metadata

# One for each member and organization: who administers one organization can reset a password of it,
# and reaches nothing in another by that.
passwords = Table(
    "passwords",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("hash", Text, nullable=False),
    Column("changed_at", Big, nullable=False),
)

# `family_hash` is of the part of a secret that stays when the other part is renewed.
sessions = Table(
    "sessions",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("family_hash", Text, nullable=False, unique=True),
    Column("secret_hash", Text, nullable=False),
    Column("previous_hash", Text),
    Column("created_at", Big, nullable=False),
    Column("renewed_at", Big, nullable=False),
    Column("used_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
    Column("revoked_at", Big),
    Index("sessions_by_user", "org_id", "user_id"),
)

# The installation's own, shared by its organizations: a token names its organization inside.
signing_keys = Table(
    "signing_keys",
    metadata,
    Column("kid", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("public", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("retired_at", Big),
)

# `name` is in addresses that are open to everybody, so it is one organization's alone. `sealed` is
# the client's secret, None for a public client; `allowed_domains` are separated by spaces.
identity_providers = Table(
    "identity_providers",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, primary_key=True, unique=True),
    Column("issuer", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("sealed", LargeBinary),
    Column("allowed_domains", Text, nullable=False),
    Column("trust_unverified_email", Boolean, nullable=False),
    Column("created_at", Big, nullable=False),
)

# Whoever signs in knows an address and not yet an organization.
Index("members_by_email", members.c.email)
