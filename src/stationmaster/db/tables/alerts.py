"""Alerts, where they are sent, every attempt to send one, and mail that waits to be sent."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `digest` is of the key that an alert is raised under, once. Where `person_id` is not null, the
# texts have a placeholder in the place of that person. `until` is when its cause ends by itself.
alerts = Table(
    "alerts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("alert_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("person_id", Text),
    Column("raised_at", Big, nullable=False),
    Column("until", Big),
    Column("resolved_at", Big),
    Index("alerts_by_key", "org_id", "kind", "digest", unique=True),
    sqlite_with_rowid=False,
)

# `kinds` are words with spaces between them, none for all; `recipients` of mail stand on lines.
# The address and the secrets are sealed; `shown_address` is what may be shown of the address.
# `failing_since` is the first failure after the last success; nothing is sent before
# `paused_until`.
alert_destinations = Table(
    "alert_destinations",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("destination_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("recipients", Text, nullable=False),
    Column("shown_address", Text),
    Column("sealed_address", LargeBinary),
    Column("sealed_secret", LargeBinary),
    Column("sealed_previous", LargeBinary),
    Column("previous_until", Big),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("failing_since", Big),
    Column("paused_until", Big),
    Column("created_at", Big, nullable=False),
    Column("created_by", Text, nullable=False),
)

# One message to one destination. A waiting one that somebody sends has its `due_at` moved to when
# another process may try, should this one die. `attempts` counts since it was created or replayed.
alert_deliveries = Table(
    "alert_deliveries",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("delivery_id", Text, primary_key=True),
    Column("alert_id", Text, nullable=False),
    Column("destination_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Big, nullable=False),
    Column("due_at", Big, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("finished_at", Big),
    Index("alert_deliveries_by_state", "state", "due_at"),
    Index("alert_deliveries_by_alert", "org_id", "alert_id"),
    Index("alert_deliveries_by_destination", "org_id", "destination_id", "delivery_id"),
    sqlite_with_rowid=False,
)

# `ended_at` is null while it lasts, and for good where the process died. `status` is HTTP's.
alert_attempts = Table(
    "alert_attempts",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("delivery_id", Text, primary_key=True),
    Column("attempt_id", Text, primary_key=True),
    Column("started_at", Big, nullable=False),
    Column("ended_at", Big),
    Column("status", Big),
    Column("error", Text),
    sqlite_with_rowid=False,
)

# Recipients and text are sealed: a message may hold a one-time link.
outgoing_mail = Table(
    "outgoing_mail",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("mail_id", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
)
