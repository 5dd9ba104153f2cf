"""What signing in needs: passwords, sessions, the keys that sign tokens."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Text

from stationmaster.db.columns import blobs, keys, numbers, texts
from stationmaster.db.tables.access import members
from stationmaster.db.tables.base import table

# One for each member and organization: who administers one organization can reset a password of it,
# and reaches nothing in another by that.
passwords = table(
    "passwords",
    *keys("org_id", "user_id"),
    *texts("hash"),
    *numbers("changed_at"),
)

# `family_hash` is of the part of a secret that stays when the other part is renewed.
sessions = table(
    "sessions",
    *keys("org_id", "session_id"),
    *texts("user_id", "method"),
    Column("family_hash", Text, nullable=False, unique=True),
    *texts("secret_hash"),
    *texts("previous_hash", nullable=True),
    *numbers("created_at", "renewed_at", "used_at", "expires_at"),
    *numbers("revoked_at", nullable=True),
    Index("sessions_by_user", "org_id", "user_id"),
)

# The installation's own, shared by its organizations: a token names its organization inside.
signing_keys = table(
    "signing_keys",
    *keys("kid"),
    *blobs("sealed"),
    *texts("public"),
    *numbers("created_at"),
    *numbers("retired_at", nullable=True),
)

# `name` is in addresses that are open to everybody, so it is one organization's alone. `sealed` is
# the client's secret, None for a public client; `allowed_domains` are separated by spaces.
identity_providers = table(
    "identity_providers",
    *keys("org_id"),
    Column("name", Text, primary_key=True, unique=True),
    *texts("issuer", "client_id"),
    *blobs("sealed", nullable=True),
    *texts("allowed_domains"),
    Column("trust_unverified_email", Boolean, nullable=False),
    *numbers("created_at"),
)

# A person who signs in gives an address and not yet an organization.
Index("members_by_email", members.c.email)
